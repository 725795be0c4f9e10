//! Verbs that follow boards or subscribe to the puzzle of the day: `marque subscribe board|all|puzzles userid
//! password`.

use crate::command::args::{Args, PasswordRole};
use crate::command::args::{begins_with_board, is_userid};
use crate::command::error::WordError;
use crate::command::game_types::{FollowMode, FollowTarget, GameCommand, GamePreference};
use crate::command::spec::{Form, VerbSpec};

/// The word that means every board of the game where a board number is expected.
const ALL: &str = "all";
/// The word that means the puzzle of the day where a board number is expected.
const PUZZLES: &str = "puzzles";

pub(crate) const VERBS: &[VerbSpec] = &[
    VerbSpec {
        passwords: &[2],
        names_board: true,
        is_meant,
        examples: &[
            "marque subscribe 7 alice s3cret",
            "marque subscribe all alice s3cret",
            "marque subscribe puzzles alice s3cret",
        ],
        ..VerbSpec::game(
            "subscribe",
            "GAME subscribe board|all|puzzles userid password",
            Form {
                read: |args| puzzles(args, true).unwrap_or_else(|| follow(args, FollowMode::Moves)),
                write: |command| write_puzzles(command, true).or_else(|| write_follow(command, FollowMode::Moves)),
            },
        )
    },
    VerbSpec {
        passwords: &[2],
        names_board: true,
        is_meant,
        examples: &["marque notify 7 alice s3cret"],
        ..VerbSpec::game(
            "notify",
            "GAME notify board|all userid password",
            Form {
                read: |args| follow(args, FollowMode::Ends),
                write: |command| write_follow(command, FollowMode::Ends),
            },
        )
    },
    VerbSpec {
        passwords: &[2],
        names_board: true,
        is_meant,
        examples: &["marque unsubscribe 7 alice s3cret", "marque unsubscribe puzzles alice s3cret"],
        ..VerbSpec::game(
            "unsubscribe",
            "GAME unsubscribe board|all|puzzles userid password",
            Form {
                read: |args| puzzles(args, false).unwrap_or_else(|| follow(args, FollowMode::Off)),
                write: |command| write_puzzles(command, false).or_else(|| write_follow(command, FollowMode::Off)),
            },
        )
    },
];

/// Returns whether the arguments start with a board, or are `all` or `puzzles`, a userid and a password.
fn is_meant(args: &[&str]) -> bool {
    let is_word = |word: &str| [ALL, PUZZLES].iter().any(|known| known.eq_ignore_ascii_case(word));
    begins_with_board(args) || matches!(args, [what, userid, _] if is_word(what) && is_userid(userid))
}

fn follow(args: &mut Args<'_>, how: FollowMode) -> Result<GameCommand, WordError> {
    let all = args.first().is_some_and(|word| word.eq_ignore_ascii_case(ALL));
    let what = if all { args.next()?.map(|_| FollowTarget::All) } else { None };
    let what = what.map_or_else(|| args.board().map(FollowTarget::Board), Ok)?;
    let (userid, password) = (args.userid()?, args.password(PasswordRole::Only)?);
    args.finish()?;
    Ok(GameCommand::Preference { userid, password, preference: GamePreference::Follow { what, how } })
}

fn write_follow(command: &GameCommand, mode: FollowMode) -> Option<Vec<String>> {
    let GameCommand::Preference { userid, password, preference: GamePreference::Follow { what, how } } = command else {
        return None;
    };
    let what = match what {
        FollowTarget::All => ALL.to_owned(),
        FollowTarget::Board(board) => board.to_string(),
    };
    (*how == mode).then(|| vec![what, userid.clone(), format!("{password:?}")])
}

/// Reads the arguments if they start with `puzzles`.
fn puzzles(args: &mut Args<'_>, gets: bool) -> Option<Result<GameCommand, WordError>> {
    args.first().filter(|word| word.eq_ignore_ascii_case(PUZZLES))?;
    let read = |args: &mut Args<'_>| {
        args.next()?;
        let (userid, password) = (args.userid()?, args.password(PasswordRole::Only)?);
        args.finish()?;
        Ok(GameCommand::Preference { userid, password, preference: GamePreference::Puzzles(gets) })
    };
    Some(read(args))
}

fn write_puzzles(command: &GameCommand, gets: bool) -> Option<Vec<String>> {
    match command {
        GameCommand::Preference { userid, password, preference: GamePreference::Puzzles(now) } if *now == gets => {
            Some(vec![PUZZLES.to_owned(), userid.clone(), format!("{password:?}")])
        }
        _ => None,
    }
}
