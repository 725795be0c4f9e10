//! Commands of the server itself: the words after `signup`.

use super::Which;
use super::args::{Args, Fault};
use super::game::{boards, optional_which};
use super::values::{games, is_board, userid};
use super::words::said;
use super::{Command, account};
use crate::rules::catalogue;
use crate::text::nearest;

/// Reads what follows the command's own words, which are one of the table's names.
pub(super) fn read(name: &str, args: &mut Args<'_>) -> Result<Command, Fault> {
    match name {
        "signup" => {
            let (userid, password) = (args.userid("userid")?, args.new_password("password")?);
            Ok(Command::Signup { userid, password, addresses: args.addresses()? })
        }
        "confirm" => {
            if let Some(board) = args.first().filter(|word| is_board(word)) {
                let message = format!(
                    "A move on board {} is confirmed with its game's name ({}) before it.",
                    said(board),
                    games()
                );
                let i = args.need("board number")?;
                return Err(Fault::at(i, message));
            }
            let userid = args.userid("userid")?;
            let code = args.need("code").and_then(|i| args.code(i))?;
            args.finish()?;
            Ok(Command::ConfirmAddress { userid, code })
        }
        "change password" => {
            let userid = args.userid("userid")?;
            let (current, new) = (args.password("current password")?, args.new_password("new password")?);
            args.finish()?;
            Ok(Command::ChangePassword { userid, current, new })
        }
        "help" => help(args),
        "list" => list(args),
        "all show" => {
            let userid = args.userid("userid")?;
            let which = optional_which(args)?.unwrap_or(Which::Next);
            args.finish()?;
            Ok(Command::AllShow { userid, which })
        }
        "show" => show(args),
        _ => account::read(name, args),
    }
}

fn help(args: &mut Args<'_>) -> Result<Command, Fault> {
    let mut topics = Vec::new();
    while let Some(i) = args.next()? {
        let word = args.word(i);
        // A topic is the name of a file: nothing may stand in it that walks out of its folder.
        let name = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if !name || word.is_empty() || word == "-" {
            return Err(Fault::at(i, format!("{} is not a topic of the help.", said(word))));
        }
        topics.push(word.to_ascii_lowercase());
    }
    Ok(Command::Help { topics })
}

fn list(args: &mut Args<'_>) -> Result<Command, Fault> {
    let mut games = Vec::new();
    while let Some(i) = args.next()? {
        let word = args.word(i);
        let Some(game) = catalogue::find(word) else {
            let near = nearest(word, catalogue::GAMES.iter().map(|game| game.name()));
            return Err(Fault::at(i, format!("There is no game {}.", said(word))).near(near));
        };
        games.push(game.name());
    }
    Ok(Command::List { games })
}

fn show(args: &mut Args<'_>) -> Result<Command, Fault> {
    if args.first().is_some_and(is_board) {
        return Ok(Command::ShowBoards { boards: boards(args)?, plain: args.plain() });
    }
    let mut userids = vec![args.userid("userid or board number")?];
    while let Some(i) = args.next()? {
        userids.push(userid(i, args.word(i))?);
    }
    Ok(Command::ShowPlayers { userids })
}
