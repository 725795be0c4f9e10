//! Verbs that show the server: `help`, `list`, `show`, `analyse`, `puzzle`, `all show`.

use super::board::move_text;
use super::looking::{boards, optional_filter, write_boards};
use crate::command::args::Args;
use crate::command::args::{is_board, userid};
use crate::command::error::WordError;
use crate::command::game_types::BoardFilter;
use crate::command::options::ServerOption;
use crate::command::spec::{Form, VerbSpec, form};
use crate::command::types::{Command, PuzzleAction};
use crate::command::words::{excerpt, number};
use crate::message;
use crate::numbers::PuzzleNumber;
use crate::rules::catalogue;
use crate::text::nearest;

pub(crate) const VERBS: &[VerbSpec] = &[
    VerbSpec {
        changes: false,
        examples: &["help", "help commands"],
        is_meant: |args| args.len() <= 3,
        ..VerbSpec::server("help", "help [topic...]", form!(help, Command::Help { topics } => topics.clone()))
    },
    VerbSpec {
        changes: false,
        examples: &["list", "list marque"],
        is_meant: |args| args.len() == 1 || args.iter().any(|word| nearest_game(word).is_some()),
        ..VerbSpec::server(
            "list",
            "list [game...]",
            form!(list, Command::List { games } => games.iter().map(|game| (*game).to_owned()).collect()),
        )
    },
    VerbSpec {
        changes: false,
        options: &[ServerOption::Plain],
        examples: &["show alice bob", "show 1 2#7 --plain"],
        is_meant: |args| args.len() <= 2 || args.first().is_some_and(|word| is_board(word)),
        ..VerbSpec::server(
            "show",
            "show userid... | show board[#n]... [--plain]",
            form!(
                show,
                Command::ShowPlayers { userids } => userids.clone(),
                Command::ShowBoards { boards, plain } => write_boards(boards, *plain),
            ),
        )
    },
    VerbSpec {
        examples: &["analyse 12"],
        is_meant: |args| args.first().is_some_and(|word| is_board(word)),
        ..VerbSpec::server(
            "analyse",
            "analyse board",
            form!(
                |args| {
                    let board = args.board()?;
                    args.finish()?;
                    Ok(Command::Analyse { board })
                },
                Command::Analyse { board } => vec![board.to_string()],
            ),
        )
    },
    VerbSpec {
        changes: false,
        examples: &["puzzle", "puzzle marque", "puzzle marque 17 f4", "puzzle marque 17 solution"],
        // A sentence of a letter may start with "Puzzle", by itself or before a word other than a game.
        is_meant: |args| args.first().is_some_and(|word| nearest_game(word).is_some()),
        ..VerbSpec::server(
            "puzzle",
            "puzzle [game [number [move|solution]]]",
            Form { read: puzzle, write: write_puzzle },
        )
    },
    VerbSpec {
        changes: false,
        examples: &["all show alice next", "all show alice all"],
        // The word "All" by itself is probably text of a letter, not a command.
        is_meant: |args| !args.is_empty(),
        ..VerbSpec::server(
            "all show",
            "all show userid [all|active|next]",
            form!(
                |args| {
                    let userid = args.userid()?;
                    let filter = optional_filter(args)?.unwrap_or(BoardFilter::Next);
                    args.finish()?;
                    Ok(Command::AllShow { userid, filter })
                },
                Command::AllShow { userid, filter } => vec![userid.clone(), filter.word().to_owned()],
            ),
        )
    },
];

fn help(args: &mut Args<'_>) -> Result<Command, WordError> {
    let mut topics = Vec::new();
    while let Some(i) = args.next()? {
        let word = args.word(i);
        // A topic is a file name, so it must not contain characters that lead out of the directory.
        let name = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if !name || word.is_empty() || word == "-" {
            return Err(WordError::at(i, message!("command.not-a-topic", word = excerpt(word))));
        }
        topics.push(word.to_ascii_lowercase());
    }
    Ok(Command::Help { topics })
}

fn nearest_game(word: &str) -> Option<&'static str> {
    nearest(word, catalogue::GAMES.iter().map(|game| game.name())).or_else(|| catalogue::titled(word))
}

/// Returns the name of the game in argument `i`.
fn game(i: usize, word: &str) -> Result<&'static str, WordError> {
    let unknown = || WordError::at(i, message!("command.no-game", word = excerpt(word))).near(nearest_game(word));
    catalogue::find(word).map(|game| game.name()).ok_or_else(unknown)
}

fn list(args: &mut Args<'_>) -> Result<Command, WordError> {
    let mut games = Vec::new();
    while let Some(i) = args.next()? {
        games.push(game(i, args.word(i))?);
    }
    Ok(Command::List { games })
}

/// The word that requests the solution where a move is expected.
const SOLUTION: &str = "solution";

fn puzzle(args: &mut Args<'_>) -> Result<Command, WordError> {
    let shown = |game, number| Ok(Command::Puzzle { game, number, action: PuzzleAction::Show });
    let Some(i) = args.next()? else { return shown(None, None) };
    let game = Some(game(i, args.word(i))?);
    let Some(i) = args.next()? else { return shown(game, None) };
    let word = args.word(i);
    let number = number(word).filter(|number| *number > 0).map(PuzzleNumber);
    if number.is_none() {
        return Err(WordError::at(i, message!("command.not-a-puzzle", word = excerpt(word))));
    }
    let action = match args.peek() {
        None => PuzzleAction::Show,
        Some(word) if is_solution(word) => {
            args.next()?;
            PuzzleAction::Solution
        }
        Some(_) => PuzzleAction::Try(move_text(args)?.text),
    };
    args.finish()?;
    Ok(Command::Puzzle { game, number, action })
}

/// Returns whether a word requests the solution of a puzzle.
pub fn is_solution(word: &str) -> bool {
    word.eq_ignore_ascii_case(SOLUTION)
}

fn write_puzzle(command: &Command) -> Option<Vec<String>> {
    let Command::Puzzle { game, number, action } = command else { return None };
    let mut words: Vec<String> = game.iter().map(|game| (*game).to_owned()).collect();
    words.extend(number.map(|number| number.to_string()));
    match action {
        PuzzleAction::Show => {}
        PuzzleAction::Try(text) => words.push(text.clone()),
        PuzzleAction::Solution => words.push(SOLUTION.to_owned()),
    }
    Some(words)
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
