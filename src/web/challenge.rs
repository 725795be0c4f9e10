//! The page for challenging a player, or anyone; the lobby of open challenges; and invitations.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::{Deserialize, Serialize};

use super::lessons::{all_games, game_facts, games_by_kind};
use super::page::{Page, PageResult};
use super::page_request::{Fields, PageRequest, Path, Query};
use crate::command::{BoardAction, Command, GameCommand, MOST_DAYS, MOST_TOTAL_DAYS, Password, ServerOption};
use crate::message;
use crate::rules::{Game, Options, catalogue};
use crate::service::{self, InvitationView, LobbyRow};
use crate::store::StoreError;
use crate::text::Message;

/// The form's fixed fields. There are further fields for options of the game that have a value, and for options of the
/// challenge.
const FIELDS: [&str; 5] = ["to", "opponent", "robot", "first", "option"];

/// The query of the page.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct ChallengeQuery {
    /// The userid of the player to challenge.
    opponent: String,
}

/// `GET /games/GAME/challenge`
pub(crate) fn form(
    request: &mut PageRequest<'_>,
    (Path(name), Query(query)): (Path<String>, Query<ChallengeQuery>),
) -> PageResult {
    let Some(game) = catalogue::find(&name) else { return request.not_found() };
    if request.player.is_none() {
        return Ok(Page::redirect(&format!("/login?next=/games/{name}/challenge")));
    }
    let opponent = query.opponent.as_str();
    let level = opponent.strip_prefix("robot").filter(|level| level.parse::<u8>().is_ok());
    let given = |name| match (name, level) {
        ("to", Some(_)) => "robot",
        ("to", None) if !opponent.is_empty() => "player",
        ("robot", Some(level)) => level,
        ("opponent", None) => opponent,
        _ => "",
    };
    form_page(request, StatusCode::OK, game, given, None)
}

/// Makes the page of the form with these field values; `error` explains a rejection.
fn form_page<'a>(
    request: &PageRequest<'_>,
    status: StatusCode,
    game: &dyn Game,
    given: impl Fn(&'static str) -> &'a str,
    error: Option<Message>,
) -> PageResult {
    let policy = &request.site.config.policy;
    let (nag, forfeit, total) = (policy.nagtime, policy.forfeittime, policy.totaltime);
    let terms = context! { nag, forfeit, total, most => MOST_DAYS, most_total => MOST_TOTAL_DAYS };
    let options = game.options().iter().filter(|option| option.value.is_some()).map(|option| option.name);
    let default = policy.options(game, &Options::default());
    let (aims, values_of) = (aims(game, &default), values_of(game, &default));
    let fields = FIELDS.into_iter().chain(ServerOption::OF_CHALLENGE.map(ServerOption::name)).chain(options);
    let values: BTreeMap<_, _> = fields.map(|name| (name, given(name))).collect();
    let facts = context! { game => game_facts(game), values => Serde(values), error => error.map(Serde), terms, aims,
    values_of, robots => policy.robots, kinds => games_by_kind() };
    request.page_with(status, "challenge", facts)
}

/// Returns `options`, or the built-in options of the game if `options` is empty.
fn in_force(game: &dyn Game, options: &Options) -> Options {
    if options.is_empty() { Options::from_canonical(game.built_in()) } else { options.clone() }
}

/// Lists the options without a value. The default option is first. Its name is empty, because the command does not need
/// a word for it.
fn aims(game: &dyn Game, default: &Options) -> Vec<Value> {
    let default = in_force(game, default);
    let is_default = |name: &str| default.iter().any(|(other, _)| other == name);
    let (first, others): (Vec<_>, Vec<_>) =
        game.options().iter().filter(|option| option.value.is_none()).partition(|option| is_default(option.name));
    let of = |name: &'static str, about: &Message| context! { name, about => Serde(about) };
    let first = first.into_iter().map(|option| of("", &option.about));
    first.chain(others.into_iter().map(|option| of(option.name, &option.about))).collect()
}

/// Lists the options with a value, each with its default and the alternatives.
fn values_of(game: &dyn Game, default: &Options) -> Vec<Value> {
    let default = in_force(game, default);
    let options = game.options().iter().filter(|option| option.value.is_some()).map(|option| {
        let default = default.iter().find(|(name, _)| *name == option.name).and_then(|(_, value)| value);
        let others = option.numbers.iter().map(ToString::to_string).filter(|number| Some(number.as_str()) != default);
        context! { name => option.name, default, others => others.collect::<Vec<_>>() }
    });
    options.collect()
}

/// `POST /games/GAME/challenge`
pub(crate) fn challenge(request: &mut PageRequest<'_>, Path(name): Path<String>, fields: Fields) -> PageResult {
    let Some(game) = catalogue::find(&name) else { return request.not_found() };
    if request.player.is_none() {
        return request.unsent_page(&fields);
    }
    if fields.get("to") == "player" && fields.some("opponent").is_none() {
        let error = Some(message!("web.no-opponent"));
        return form_page(request, StatusCode::CONFLICT, game, |name| fields.get(name), error);
    }
    match request.run_words(&words(request.userid(), game, &fields), fields.some("say"))? {
        Ok(service::Response::Challenged { board }) => Ok(Page::redirect(&format!("/boards/{}", board.number))),
        Ok(service::Response::Offered { offer }) => Ok(Page::redirect(&format!("/boards/{}", offer.number))),
        Ok(_) => request.not_found(),
        Err(rejection) => {
            let error = Some(in_words_of_form(rejection.message));
            form_page(request, StatusCode::CONFLICT, game, |name| fields.get(name), error)
        }
    }
}

/// Replaces a message about an option of the command with one about the form's field.
fn in_words_of_form(message: Message) -> Message {
    let code = match &*message.code {
        "command.option-days" => "web.wrong-days",
        "command.option-fischer" => "web.wrong-bank",
        "command.two-limits" => "web.two-limits",
        _ => return message,
    };
    Message { code: code.into(), ..message }
}

/// Converts the form to the words of a command line.
fn words(userid: &str, game: &dyn Game, fields: &Fields) -> Vec<String> {
    let mut words = vec![game.name().to_owned(), "challenge".to_owned()];
    for option in game.options() {
        // Options with a value have separate fields; the others share one field.
        match (&option.value, fields.some(option.name)) {
            (Some(_), Some(value)) => words.push(format!("-{}={value}", option.name)),
            (None, _) if fields.get("option") == option.name => words.push(format!("-{}", option.name)),
            _ => {}
        }
    }
    let opponent = opponent(fields);
    let by_invitation = fields.get("to") == "invitation" && opponent.is_none();
    for option in ServerOption::OF_CHALLENGE {
        let name = option.name();
        match fields.some(name) {
            _ if option == ServerOption::Say => {}
            Some(days) if !option.is_flag() => words.push(format!("--{name}={days}")),
            None if option != ServerOption::Private || !by_invitation => {}
            _ => words.push(format!("--{name}")),
        }
    }
    let opponent = opponent.unwrap_or_else(|| "anyone".to_owned());
    let (first, second) = match fields.get("first") {
        "no" => (opponent, userid.to_owned()),
        _ => (userid.to_owned(), opponent),
    };
    words.extend([first, second]);
    words
}

/// Returns the userid of the opponent in the form. Also accepts "robot 1" for the computer player `robot1`.
fn opponent(fields: &Fields) -> Option<String> {
    if fields.get("to") == "robot" {
        return Some(format!("robot{}", fields.get("robot")));
    }
    let typed = fields.some("opponent")?;
    let level = typed.strip_prefix("robot").map(str::trim).filter(|level| level.parse::<u8>().is_ok());
    Some(level.map_or(typed.clone(), |level| format!("robot{level}")))
}

/// The maximum number of challenges on the page.
const MOST: usize = 100;

/// The filters of the lobby. An empty filter matches every challenge.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct LobbyQuery {
    /// The name of a game.
    game: String,
    /// `rated` or `unrated`.
    rated: String,
    /// `first` or `second`: the side of the player who accepts the challenge.
    moves: String,
}

impl LobbyQuery {
    fn shows(&self, row: &LobbyRow) -> bool {
        is(&self.game, &row.offer.game)
            && is(&self.rated, if row.offer.flags.rated { "rated" } else { "unrated" })
            && is(&self.moves, if row.offer.first { "second" } else { "first" })
    }

    fn games(&self) -> impl Iterator<Item = &'static dyn Game> {
        catalogue::GAMES.iter().copied().filter(|game| is(&self.game, game.name()))
    }
}

fn is(wanted: &str, actual: &str) -> bool {
    wanted.is_empty() || wanted == actual
}

/// `GET /challenges`
pub(crate) fn page(request: &mut PageRequest<'_>, Query(query): Query<LobbyQuery>) -> PageResult {
    let from = request.origin();
    let (mut rows, seekers, change) = request.read(|service, tx| {
        let seekers = query.games().map(|game| {
            let seekers = service.seekers(tx, game.name())?;
            Ok(context! { title => game.title(), seekers })
        });
        let seekers = seekers.collect::<Result<Vec<Value>, StoreError>>()?;
        Ok((service.lobby(tx, &from)?, seekers, service.last_change(tx)?))
    })?;
    let all = rows.len();
    rows.retain(|row| query.shows(row));
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let rows = Serde(rows);
    let facts = context! { rows, change, all, more, seekers, query => Serde(query), games => all_games(),
    kinds => games_by_kind() };
    request.page("lobby", facts)
}

/// `GET /invite/CODE`: shows the challenge. Changes nothing, because security scanners follow links too.
pub(crate) fn invitation_page(request: &mut PageRequest<'_>, Path(code): Path<String>) -> PageResult {
    show(request, &code, None)
}

/// `POST /invite/CODE`: accepts the challenge.
pub(crate) fn take(request: &mut PageRequest<'_>, Path(code): Path<String>, fields: Fields) -> PageResult {
    if request.player.is_none() {
        return request.unsent_page(&fields);
    }
    let Some(InvitationView::Open { offer }) = find(request, &code)? else { return show(request, &code, None) };
    let Some(game) = catalogue::find(&offer.game).map(Game::name) else { return request.not_found() };
    let action = BoardAction::Accept(Some(code.clone()));
    let (userid, password) = (request.userid().to_owned(), Password::FromContext);
    let command = GameCommand::AtBoard { board: offer.number, userid, password, action };
    match request.run_command(Command::Game { game: Some(game), command }, fields.some("say"))? {
        Ok(service::Response::Challenged { board }) => Ok(Page::redirect(&format!("/boards/{}", board.number))),
        Ok(_) => request.not_found(),
        Err(rejection) => show(request, &code, Some(rejection.message)),
    }
}

fn find(request: &mut PageRequest<'_>, code: &str) -> anyhow::Result<Option<InvitationView>> {
    let player = request.player.clone();
    Ok(request.read(|service, tx| service.invitation(tx, code, player.as_ref()))?)
}

/// Makes the page of an invitation; `error` explains why the challenge was not accepted.
fn show(request: &mut PageRequest<'_>, code: &str, error: Option<Message>) -> PageResult {
    let status = if error.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    match find(request, code)? {
        None => request.message_page(StatusCode::NOT_FOUND, message!("web.no-such-invitation")),
        Some(InvitationView::Taken { number, plays: true }) => Ok(Page::redirect(&format!("/boards/{number}"))),
        Some(InvitationView::Open { offer }) if offer.challenger == request.userid() => {
            Ok(Page::redirect(&format!("/boards/{}", offer.number)))
        }
        Some(invitation) => {
            let facts = context! { invitation => Serde(invitation), code, error => error.map(Serde) };
            request.page_with(status, "invitation", facts)
        }
    }
}
