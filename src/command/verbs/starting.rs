//! Verbs that start boards: `marque challenge userid1 userid2`.

use crate::command::args::{Args, PasswordRole};
use crate::command::args::{is_userid, userid};
use crate::command::error::WordError;
use crate::command::game_types::{GameCommand, GamePreference};
use crate::command::options::{ParsedOptions, ServerOption};
use crate::command::spec::{Form, VerbSpec, form};
use crate::command::terms::Terms;
use crate::command::words::{excerpt, number};
use crate::message;
use crate::text::nearest;

/// The maximum number of opponents that a player can look for.
const MOST_SOUGHT: u32 = 100;
/// The highest number of boards that a player can set with `limit`. To allow more boards, players use `all`.
const MOST_BOARDS: u32 = 1_000;
/// The word that means an open seat where a userid is expected.
const ANYONE: &str = "anyone";

pub(crate) const VERBS: &[VerbSpec] = &[
    VerbSpec {
        options: &ServerOption::OF_CHALLENGE,
        examples: &[
            "marque challenge -opposite --nagtime=7 --forfeittime=21 --totaltime=90 alice bob --say=\"Good luck\"",
            "marque challenge --unrated --private alice anyone",
            "marque challenge --fischer=10/1/20 alice bob",
        ],
        // Without the game's name, the line must have two players and not be a sentence.
        is_meant: |args| {
            let is_player = |word: &str| word.eq_ignore_ascii_case(ANYONE) || is_userid(word);
            matches!(args, [first, second] if is_player(first) && is_player(second))
        },
        ..VerbSpec::game(
            "challenge",
            "GAME challenge [-option...] [--option...] userid1 userid2 [--say=\"...\"]",
            Form { read: challenge, write: write_challenge },
        )
    },
    VerbSpec {
        passwords: &[1],
        is_meant: |args| matches!(args, [userid, _, count] if is_userid(userid) && seek(0, count).is_ok()),
        examples: &["marque seek alice s3cret 3"],
        ..VerbSpec::game(
            "seek",
            "GAME seek userid password n",
            form!(
                |args| preference(args, seek),
                GameCommand::Preference { userid, password, preference: GamePreference::Seek(count) } => {
                    vec![userid.clone(), format!("{password:?}"), count.to_string()]
                }
            ),
        )
    },
    VerbSpec {
        passwords: &[1],
        is_meant: |args| matches!(args, [userid, _, most] if is_userid(userid) && limit(0, most).is_ok()),
        examples: &["marque limit alice s3cret 12", "marque limit alice s3cret all", "marque limit alice s3cret none"],
        ..VerbSpec::game(
            "limit",
            "GAME limit userid password n|all|none",
            form!(
                |args| preference(args, limit),
                GameCommand::Preference { userid, password, preference: GamePreference::Limit(most) } => {
                    let most = match most {
                        None => "all".to_owned(),
                        Some(0) => "none".to_owned(),
                        Some(most) => most.to_string(),
                    };
                    vec![userid.clone(), format!("{password:?}"), most]
                }
            ),
        )
    },
];

fn challenge(args: &mut Args<'_>) -> Result<GameCommand, WordError> {
    args.allow_game_options();
    let mut players = [None, None];
    let missing = [message!("command.missing-first-userid"), message!("command.missing-second-userid")];
    for (place, missing) in missing.into_iter().enumerate() {
        let (i, word) = args.need(missing)?;
        let anyone = word.eq_ignore_ascii_case(ANYONE);
        if anyone && place == 1 && players[0].is_none() {
            return Err(WordError::at(i, message!("command.nobody-challenges")));
        }
        if !anyone {
            players[place] = Some(userid(i, word)?);
        }
    }
    args.finish()?;
    let terms = terms(&args.options)?;
    Ok(GameCommand::Challenge { options: args.options.take_game(), players, terms })
}

/// Returns the terms that the options set.
pub(crate) fn terms(options: &ParsedOptions) -> Result<Terms<Option<u32>>, WordError> {
    let mut terms = Terms::default();
    for option in ServerOption::OF_CHALLENGE.into_iter().filter(|option| options.has(*option)) {
        terms.state(option, options.days(option).map(|(_, days)| days));
    }
    if let Some((at, fischer)) = options.fischer {
        if options.days(ServerOption::TotalTime).is_some_and(|(_, total)| total > 0) {
            return Err(WordError::at(at, message!("command.two-limits")));
        }
        terms.time_control.fischer = Some(fischer);
    }
    let (nag, forfeit) = (options.days(ServerOption::NagTime), options.days(ServerOption::ForfeitTime));
    if let (Some((at, nag)), Some((_, forfeit @ 1..))) = (nag, forfeit)
        && nag >= forfeit
    {
        let near = format!("--{}={}", ServerOption::NagTime.name(), forfeit / 2);
        return Err(WordError::at(at, message!("command.late-reminder", nag, forfeit)).near(Some(near)));
    }
    Ok(terms)
}

fn write_challenge(command: &GameCommand) -> Option<Vec<String>> {
    let GameCommand::Challenge { options, players, terms } = command else { return None };
    let options = format!("{options} {terms}");
    let mut words: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
    words.extend(players.iter().map(|userid| userid.as_deref().unwrap_or(ANYONE).to_owned()));
    Some(words)
}

fn preference(
    args: &mut Args<'_>,
    read: fn(usize, &str) -> Result<GamePreference, WordError>,
) -> Result<GameCommand, WordError> {
    let (userid, password) = (args.userid()?, args.password(PasswordRole::Only)?);
    let Some(i) = args.next()? else {
        return Err(args.missing(message!("command.missing-number"), |word| read(0, word).is_ok()));
    };
    let preference = read(i, args.word(i))?;
    args.finish()?;
    Ok(GameCommand::Preference { userid, password, preference })
}

fn seek(i: usize, word: &str) -> Result<GamePreference, WordError> {
    let count = number(word).filter(|count| *count <= MOST_SOUGHT);
    count
        .map(GamePreference::Seek)
        .ok_or_else(|| WordError::at(i, message!("command.not-a-count", word = excerpt(word), most = MOST_SOUGHT)))
}

fn limit(i: usize, word: &str) -> Result<GamePreference, WordError> {
    match (word.to_ascii_lowercase().as_str(), number(word).filter(|most| *most <= MOST_BOARDS)) {
        ("all", _) => Ok(GamePreference::Limit(None)),
        ("none", _) => Ok(GamePreference::Limit(Some(0))),
        (_, Some(most)) => Ok(GamePreference::Limit(Some(most))),
        (word, None) => {
            let message = message!("command.not-a-limit", word = excerpt(word), most = MOST_BOARDS);
            Err(WordError::at(i, message).near(nearest(word, ["all", "none"])))
        }
    }
}
