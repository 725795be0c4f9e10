//! Verbs that look at the server: `help`, `list`, `show`, `all show`.

use super::looking::{boards, optional_filter, write_boards};
use crate::command::args::Args;
use crate::command::error::WordError;
use crate::command::game_types::BoardFilter;
use crate::command::options::ServerOption;
use crate::command::spec::{Form, VerbSpec};
use crate::command::types::Command;
use crate::command::values::{is_board, userid};
use crate::command::words::excerpt;
use crate::message;
use crate::rules::catalogue;
use crate::text::nearest;

pub(super) const VERBS: &[VerbSpec] = &[
    VerbSpec {
        examples: &["help", "help commands"],
        is_meant: |args| args.len() <= 3,
        ..VerbSpec::server(
            "help",
            "help [topic...]",
            Form {
                read: help,
                write: |command| match command {
                    Command::Help { topics } => Some(topics.clone()),
                    _ => None,
                },
            },
        )
    },
    VerbSpec {
        examples: &["list", "list marque"],
        is_meant: |args| args.len() == 1 || args.iter().any(|word| nearest_game(word).is_some()),
        ..VerbSpec::server(
            "list",
            "list [game...]",
            Form {
                read: list,
                write: |command| match command {
                    Command::List { games } => Some(games.iter().map(|game| (*game).to_owned()).collect()),
                    _ => None,
                },
            },
        )
    },
    VerbSpec {
        options: &[ServerOption::Plain],
        examples: &["show alice bob", "show 1 2#7 --plain"],
        is_meant: |args| args.len() <= 2 || args.first().is_some_and(|word| is_board(word)),
        ..VerbSpec::server(
            "show",
            "show userid... | show board[#n]... [--plain]",
            Form {
                read: show,
                write: |command| match command {
                    Command::ShowPlayers { userids } => Some(userids.clone()),
                    Command::ShowBoards { boards, plain } => Some(write_boards(boards, *plain)),
                    _ => None,
                },
            },
        )
    },
    VerbSpec {
        examples: &["analyse 12"],
        is_meant: |args| args.first().is_some_and(|word| is_board(word)),
        ..VerbSpec::server(
            "analyse",
            "analyse board",
            Form {
                read: |args| {
                    let board = args.board()?;
                    args.finish()?;
                    Ok(Command::Analyse { board })
                },
                write: |command| match command {
                    Command::Analyse { board } => Some(vec![board.to_string()]),
                    _ => None,
                },
            },
        )
    },
    VerbSpec {
        examples: &["all show alice next", "all show alice all"],
        // "All" alone is a word of a letter.
        is_meant: |args| !args.is_empty(),
        ..VerbSpec::server(
            "all show",
            "all show userid [all|active|next]",
            Form {
                read: |args| {
                    let userid = args.userid()?;
                    let filter = optional_filter(args)?.unwrap_or(BoardFilter::Next);
                    args.finish()?;
                    Ok(Command::AllShow { userid, filter })
                },
                write: |command| match command {
                    Command::AllShow { userid, filter } => Some(vec![userid.clone(), filter.word().to_owned()]),
                    _ => None,
                },
            },
        )
    },
];

fn help(args: &mut Args<'_>) -> Result<Command, WordError> {
    let mut topics = Vec::new();
    while let Some(i) = args.next()? {
        let word = args.word(i);
        // A topic is the name of a file: nothing may stand in it that leaves its directory.
        let name = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if !name || word.is_empty() || word == "-" {
            return Err(WordError::at(i, message!("command.not-a-topic", word = excerpt(word))));
        }
        topics.push(word.to_ascii_lowercase());
    }
    Ok(Command::Help { topics })
}

fn nearest_game(word: &str) -> Option<&'static str> {
    nearest(word, catalogue::GAMES.iter().map(|game| game.name()))
}

fn list(args: &mut Args<'_>) -> Result<Command, WordError> {
    let mut games = Vec::new();
    while let Some(i) = args.next()? {
        let word = args.word(i);
        let Some(game) = catalogue::find(word) else {
            return Err(WordError::at(i, message!("command.no-game", word = excerpt(word))).near(nearest_game(word)));
        };
        games.push(game.name());
    }
    Ok(Command::List { games })
}

fn show(args: &mut Args<'_>) -> Result<Command, WordError> {
    if args.first().is_some_and(is_board) {
        return Ok(Command::ShowBoards { boards: boards(args)?, plain: args.options.has(ServerOption::Plain) });
    }
    let (i, word) = args.need(message!("command.missing-userid-or-board"))?;
    let mut userids = vec![userid(i, word)?];
    while let Some(i) = args.next()? {
        userids.push(userid(i, args.word(i))?);
    }
    Ok(Command::ShowPlayers { userids })
}
