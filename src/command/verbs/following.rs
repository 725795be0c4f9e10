//! Verbs that follow boards: `marque subscribe board|all userid password`.

use crate::command::args::{Args, PasswordRole};
use crate::command::error::WordError;
use crate::command::game_types::{FollowMode, FollowTarget, GameCommand, GamePreference};
use crate::command::spec::{Form, VerbSpec};

/// The word in the place of a board that stands for all of the game.
const ALL: &str = "all";

pub(super) const VERBS: &[VerbSpec] = &[
    VerbSpec {
        passwords: &[2],
        examples: &["marque subscribe 7 alice s3cret", "marque subscribe all alice s3cret"],
        ..VerbSpec::game(
            "subscribe",
            "GAME subscribe board|all userid password",
            Form {
                read: |args| follow(args, FollowMode::Moves),
                write: |command| write_follow(command, FollowMode::Moves),
            },
        )
    },
    VerbSpec {
        passwords: &[2],
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
        examples: &["marque unsubscribe 7 alice s3cret"],
        ..VerbSpec::game(
            "unsubscribe",
            "GAME unsubscribe board|all userid password",
            Form {
                read: |args| follow(args, FollowMode::Off),
                write: |command| write_follow(command, FollowMode::Off),
            },
        )
    },
];

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
