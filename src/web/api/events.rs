//! Leagues, cups and ladders, and the actions of players in them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::actions::{unexpected, yes};
use super::boards::{self, BoardAt};
use super::error::ApiError;
use super::request::ApiRequest;
use super::schemas::{GameOptions, ThinkingTime, Userid};
use crate::command::{self, AccountAction, Command, EventKind, Flags, ParsedLine, Password, ServerOption};
use crate::message;
use crate::service::{EventRow, EventView, Response};

/// The events of this server.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Events {
    /// All events, the newest first.
    events: Vec<EventRow>,
}

/// `GET /events`
pub(crate) fn all(request: &mut ApiRequest<'_>) -> Result<Events, ApiError> {
    Ok(Events { events: request.read(|service, tx| service.events(tx))? })
}

/// `GET /events/NAME`
pub(crate) fn event(request: &mut ApiRequest<'_>) -> Result<EventView, ApiError> {
    shown(request, None)
}

/// `GET /events/NAME/EDITION`
pub(crate) fn edition(request: &mut ApiRequest<'_>) -> Result<EventView, ApiError> {
    let word = request.parameters.in_path("edition");
    let number = word.parse().ok().filter(|number| *number > 0);
    let number = number.ok_or_else(|| ApiError::malformed(message!("command.not-an-edition", word)).about(word))?;
    shown(request, Some(number))
}

fn shown(request: &mut ApiRequest<'_>, edition: Option<u32>) -> Result<EventView, ApiError> {
    let name = name(request)?;
    match request.run(ParsedLine::of(Command::Event { name, edition }), None)? {
        Response::EventShown { event } => Ok(*event),
        other => Err(unexpected(&other)),
    }
}

/// Returns the event's name from the path.
fn name(request: &ApiRequest<'_>) -> Result<String, ApiError> {
    let name = request.parameters.in_path("name");
    // A text that is not a name could add words to the command line that an error shows.
    match Userid::fits(name) {
        true => Ok(name.to_owned()),
        false => Err(ApiError::not_there(message!("service.no-such-event", name)).about(name)),
    }
}

/// A new event.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewEvent {
    /// The name: `spring`.
    name: Userid,
    /// The name of the game: `marque`.
    game: String,
    /// The kind.
    #[serde(default)]
    kind: EventKind,
    /// The game's options, as on a board: `-size=9`. The default is this server's.
    #[serde(default)]
    options: GameOptions,
    /// The maximum number of players in a division of a league; `null` means 10.
    #[serde(default)]
    #[schemars(range(min = 6, max = 10))]
    division: Option<u32>,
    /// Whether two players of a division play two games against each other; only in a league.
    #[serde(default)]
    twice: bool,
    /// Whether a league or cup has only one edition.
    #[serde(default)]
    once: bool,
    /// The thinking time.
    #[serde(flatten)]
    time: ThinkingTime,
    /// Whether the event's boards change ratings.
    #[serde(default = "yes")]
    rated: bool,
}

/// `POST /events`
pub(crate) fn new(request: &mut ApiRequest<'_>, new: NewEvent) -> Result<EventView, ApiError> {
    let player = request.player()?;
    let mut words = ["event", "new"].map(str::to_owned).to_vec();
    words.extend([String::from(new.name), new.game]);
    words.extend(new.options.words().map(str::to_owned));
    words.extend(new.time.terms(Flags { rated: new.rated, ..Flags::default() }));
    words.push(format!("--{}={}", ServerOption::Kind.name(), new.kind.name()));
    words.extend(new.division.map(|most| format!("--{}={most}", ServerOption::Division.name())));
    let flags = [(ServerOption::Twice, new.twice), (ServerOption::Once, new.once)];
    words.extend(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(option, _)| format!("--{}", option.name())));
    words.extend([player.userid, "-".to_owned()]);
    let line = request.understood(command::parse_words(&words))?;
    match request.run(line, None)? {
        Response::EventCreated { event } => Ok(*event),
        other => Err(unexpected(&other)),
    }
}

/// `POST /events/NAME/join`
pub(crate) fn join(request: &mut ApiRequest<'_>) -> Result<EventView, ApiError> {
    let action = AccountAction::Join(name(request)?);
    act(request, action, None)?;
    shown(request, None)
}

/// `POST /events/NAME/leave`
pub(crate) fn leave(request: &mut ApiRequest<'_>) -> Result<EventView, ApiError> {
    let action = AccountAction::Leave(name(request)?);
    act(request, action, None)?;
    shown(request, None)
}

/// A challenge for a place in a ladder.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceChallenge {
    /// The userid of the challenged player.
    opponent: Userid,
    /// A comment on the challenge.
    #[serde(default)]
    say: Option<String>,
}

/// `POST /events/NAME/challenge`
pub(crate) fn challenge(request: &mut ApiRequest<'_>, new: PlaceChallenge) -> Result<BoardAt, ApiError> {
    let action = AccountAction::ChallengeInEvent { event: name(request)?, opponent: new.opponent.into() };
    match act(request, action, new.say)? {
        Response::Challenged { board } => boards::present_board(request, board.number),
        other => Err(unexpected(&other)),
    }
}

fn act(request: &mut ApiRequest<'_>, action: AccountAction, say: Option<String>) -> Result<Response, ApiError> {
    let (userid, password) = (request.player()?.userid, Password::FromContext);
    request.run(ParsedLine::of(Command::Account { userid, password, action }), say)
}
