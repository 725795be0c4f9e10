//! Verbs of events: `event new`, `event challenge`, `events`, `event`, `join`, `leave`.

use super::starting::terms;
use crate::command::args::is_userid;
use crate::command::args::{Args, PasswordRole};
use crate::command::error::WordError;
use crate::command::options::{EventKind, ServerOption};
use crate::command::spec::{Form, VerbSpec, form};
use crate::command::types::{AccountAction, Command, EventPlan};
use crate::command::words::{excerpt, number};
use crate::message;
use crate::rules::catalogue;
use crate::text::nearest;

/// The minimum length of a word that is probably a password at the end of an invalid `join`, `leave` or `event
/// challenge`. A shorter word belongs to a sentence.
const SHORTEST_PASSWORD: usize = 4;

/// The options that only some kinds of events have.
const OF_SOME_KINDS: &[(ServerOption, &[EventKind])] = &[
    (ServerOption::Division, &[EventKind::League]),
    (ServerOption::Twice, &[EventKind::League]),
    (ServerOption::Once, &[EventKind::League, EventKind::Cup]),
];

pub(crate) const VERBS: &[VerbSpec] = &[
    VerbSpec {
        passwords: &[3],
        options: &ServerOption::OF_EVENT,
        examples: &[
            "event new spring marque -opposite --forfeittime=14 --kind=league --division=8 --twice alice s3cret",
            "event new spring-cup hex --kind=cup --once alice s3cret",
            "event new climb hex --fischer=10/1/20 --kind=ladder alice s3cret",
        ],
        is_meant: |args| args.get(1).is_some_and(|word| catalogue::find(word).is_some()),
        ..VerbSpec::server(
            "event new",
            "event new name game [-option...] [--option...] userid password",
            Form { read: new_event, write: write_new_event },
        )
    },
    VerbSpec {
        passwords: &[3],
        options: &[ServerOption::Say],
        examples: &["event challenge climb bob alice s3cret"],
        is_meant: |args| matches!(args, [name, rest @ ..] if is_userid(name) && is_membership(rest)),
        ..VerbSpec::server(
            "event challenge",
            "event challenge name opponent userid password [--say=\"...\"]",
            form!(
                challenge,
                Command::Account { userid, password, action: AccountAction::ChallengeInEvent { event, opponent } } => {
                    vec![event.clone(), opponent.clone(), userid.clone(), format!("{password:?}")]
                }
            ),
        )
    },
    VerbSpec {
        changes: false,
        examples: &["event spring", "event spring 2"],
        is_meant: |args| args.len() <= 2 && args.get(1).is_none_or(|word| number(word).is_some()),
        ..VerbSpec::server(
            "event",
            "event [name [edition]]",
            form!(
                event,
                Command::Event { name, edition } => {
                    std::iter::once(name.clone()).chain(edition.map(|edition| edition.to_string())).collect()
                }
            ),
        )
    },
    VerbSpec {
        changes: false,
        examples: &["events"],
        is_meant: |args| args.is_empty(),
        ..VerbSpec::server(
            "events",
            "events",
            form!(|args| args.finish().map(|()| Command::Events), Command::Events => Vec::new()),
        )
    },
    VerbSpec {
        passwords: &[2],
        examples: &["join spring alice s3cret"],
        is_meant: is_membership,
        ..VerbSpec::server(
            "join",
            "join name userid password",
            form!(
                |args| membership(args, AccountAction::Join),
                Command::Account { userid, password, action: AccountAction::Join(name) } => {
                    vec![name.clone(), userid.clone(), format!("{password:?}")]
                }
            ),
        )
    },
    VerbSpec {
        passwords: &[2],
        examples: &["leave spring alice s3cret"],
        is_meant: is_membership,
        ..VerbSpec::server(
            "leave",
            "leave name userid password",
            form!(
                |args| membership(args, AccountAction::Leave),
                Command::Account { userid, password, action: AccountAction::Leave(name) } => {
                    vec![name.clone(), userid.clone(), format!("{password:?}")]
                }
            ),
        )
    },
];

fn is_membership(args: &[&str]) -> bool {
    matches!(args, [name, userid, password] if is_userid(name) && is_userid(userid)
        && (*password == "-" || password.chars().count() >= SHORTEST_PASSWORD))
}

/// Takes the name of an event.
fn event_name(args: &mut Args<'_>) -> Result<String, WordError> {
    let (i, word) = args.need(message!("command.missing-event"))?;
    let is_verb = ["new", "challenge"].iter().any(|verb| word.eq_ignore_ascii_case(verb));
    match is_userid(word) && !is_verb {
        true => Ok(word.to_owned()),
        false => Err(WordError::at(i, message!("command.not-an-event", word = excerpt(word)))),
    }
}

fn new_event(args: &mut Args<'_>) -> Result<Command, WordError> {
    let name = event_name(args)?;
    let (i, word) = args.need(message!("command.missing-event-game"))?;
    let names = || catalogue::GAMES.iter().map(|game| game.name());
    let near = || nearest(word, names()).or_else(|| catalogue::titled(word));
    let unknown = || WordError::at(i, message!("command.no-game", word = excerpt(word))).near(near());
    let game = catalogue::find(word).ok_or_else(unknown)?;
    args.allow_options_of(game);
    let (userid, password) = (args.userid()?, args.password(PasswordRole::Only)?);
    args.finish()?;
    let terms = terms(&args.options)?;
    let kind = args.options.kind().unwrap_or_default();
    for (option, kinds) in OF_SOME_KINDS {
        if let Some(i) = args.options.index(*option).filter(|_| !kinds.contains(&kind)) {
            let option = format!("--{}", option.name());
            let kinds: Vec<String> = kinds.iter().map(|kind| kind.name().to_owned()).collect();
            return Err(WordError::at(i, message!("command.option-of-other-kind", option, kinds)));
        }
    }
    if let Some(wrong) = args.options.wrong_players.take() {
        return Err(wrong);
    }
    let plan = EventPlan {
        name,
        game: game.name(),
        terms,
        kind,
        division: args.options.days(ServerOption::Division).map(|(_, most)| most),
        twice: args.options.has(ServerOption::Twice),
        once: args.options.has(ServerOption::Once),
        options: args.options.take_game(),
    };
    Ok(Command::Account { userid, password, action: AccountAction::NewEvent(Box::new(plan)) })
}

fn write_new_event(command: &Command) -> Option<Vec<String>> {
    let Command::Account { userid, password, action: AccountAction::NewEvent(plan) } = command else { return None };
    let EventPlan { name, game, options, terms, kind, division, twice, once } = &**plan;
    let mut words = vec![name.clone(), (*game).to_owned()];
    words.extend(format!("{options} {terms}").split_whitespace().map(str::to_owned));
    let kind = Some(kind).filter(|kind| **kind != EventKind::default());
    words.extend(kind.map(|kind| format!("--{}={}", ServerOption::Kind.name(), kind.name())));
    words.extend(division.map(|most| format!("--{}={most}", ServerOption::Division.name())));
    let flags = [(ServerOption::Twice, *twice), (ServerOption::Once, *once)];
    words.extend(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(option, _)| format!("--{}", option.name())));
    words.extend([userid.clone(), format!("{password:?}")]);
    Some(words)
}

fn challenge(args: &mut Args<'_>) -> Result<Command, WordError> {
    let event = event_name(args)?;
    let opponent = args.userid()?;
    let (userid, password) = (args.userid()?, args.password(PasswordRole::Only)?);
    args.finish()?;
    Ok(Command::Account { userid, password, action: AccountAction::ChallengeInEvent { event, opponent } })
}

fn event(args: &mut Args<'_>) -> Result<Command, WordError> {
    if args.first().is_none() {
        return args.finish().map(|()| Command::Events);
    }
    let name = event_name(args)?;
    let edition = match args.next()? {
        None => None,
        Some(i) => {
            let word = args.word(i);
            let edition = number(word).filter(|edition| *edition > 0);
            Some(edition.ok_or_else(|| WordError::at(i, message!("command.not-an-edition", word = excerpt(word))))?)
        }
    };
    args.finish()?;
    Ok(Command::Event { name, edition })
}

fn membership(args: &mut Args<'_>, action: fn(String) -> AccountAction) -> Result<Command, WordError> {
    let name = event_name(args)?;
    let (userid, password) = (args.userid()?, args.password(PasswordRole::Only)?);
    args.finish()?;
    Ok(Command::Account { userid, password, action: action(name) })
}
