//! Verbs that show the boards of a game: `marque show`, `marque history`.

use crate::command::args::Args;
use crate::command::args::{board_at, filter, is_board, need_filter, userid};
use crate::command::error::WordError;
use crate::command::game_types::{BoardFilter, BoardPosition, GameCommand, PreviewFrom};
use crate::command::options::ServerOption;
use crate::command::spec::{Form, VerbSpec, form};
use crate::command::words;
use crate::command::words::{excerpt, is_graphic};
use crate::message;

/// The word that means a new board where a board number is expected.
const NEW: &str = "new";

pub(crate) const VERBS: &[VerbSpec] = &[
    VerbSpec {
        changes: false,
        options: &[ServerOption::Plain],
        examples: &["marque show 1 2#7 --plain", "marque show alice next"],
        ..VerbSpec::game(
            "show",
            "GAME show board[#n]... [--plain] | GAME show userid [all|active|next]",
            form!(
                show,
                // `show userid` is equivalent to `games userid`, and is written as `games userid`.
                GameCommand::Show { boards, plain } => write_boards(boards, *plain),
            ),
        )
    },
    VerbSpec {
        changes: false,
        examples: &["marque games", "marque games alice bob all"],
        // Without the game's name, the verb must be the whole line, or the line must end with a filter such as `all`.
        is_meant: |args| args.last().is_none_or(|word| filter(word).is_some() || words::list(word).is_some()),
        ..VerbSpec::game(
            "games",
            "GAME games [userid...] [all|active|next]",
            form!(
                games,
                GameCommand::Games { userids, filter } => {
                    let mut words = userids.clone();
                    words.push(filter.word().to_owned());
                    words
                }
            ),
        )
    },
    VerbSpec {
        changes: false,
        options: &[ServerOption::Format],
        names_board: true,
        examples: &["marque history 3", "marque history 3 --format=json"],
        ..VerbSpec::game(
            "history",
            "GAME history board [--format=text|json]",
            form!(
                |args| {
                    let board = args.board()?;
                    args.finish()?;
                    Ok(GameCommand::History { board, json: args.options.json() })
                },
                GameCommand::History { board, json } => {
                    let mut words = vec![board.to_string()];
                    words.extend(json.then(|| format!("--{}=json", ServerOption::Format.name())));
                    words
                }
            ),
        )
    },
    VerbSpec {
        changes: false,
        options: &[ServerOption::Plain],
        names_board: true,
        examples: &["marque preview 3#2 f3,f4 g5 --plain", "marque preview new -any_2 f3 g4"],
        is_meant: |args| args.first().is_some_and(|word| is_board(word) || word.eq_ignore_ascii_case(NEW)),
        ..VerbSpec::game(
            "preview",
            "GAME preview board[#n] [move...] [--plain] | GAME preview new [-option...] [move...]",
            Form { read: preview, write: write_preview },
        )
    },
    VerbSpec {
        changes: false,
        synonyms: &["ratings"],
        examples: &["marque standings"],
        is_meant: |args| args.is_empty(),
        ..VerbSpec::game(
            "standings",
            "GAME standings",
            form!(|args| args.finish().map(|()| GameCommand::Standings), GameCommand::Standings => Vec::new()),
        )
    },
];

/// Reads one or more boards, each optionally with a ply.
pub(crate) fn boards(args: &mut Args<'_>) -> Result<Vec<BoardPosition>, WordError> {
    let mut boards = Vec::new();
    while let Some(i) = args.next()? {
        boards.push(board_at(i, args.word(i))?);
    }
    if boards.is_empty() { Err(WordError::missing(message!("command.missing-board"))) } else { Ok(boards) }
}

/// Writes boards, and `--plain`.
pub(crate) fn write_boards(boards: &[BoardPosition], plain: bool) -> Vec<String> {
    let mut words: Vec<String> = boards.iter().map(BoardPosition::to_string).collect();
    words.extend(write_plain(plain));
    words
}

fn write_plain(plain: bool) -> Option<String> {
    plain.then(|| format!("--{}", ServerOption::Plain.name()))
}

/// Reads `[all|active|next]` at the end of a command.
pub(crate) fn optional_filter(args: &mut Args<'_>) -> Result<Option<BoardFilter>, WordError> {
    args.next()?.map(|i| need_filter(i, args.word(i))).transpose()
}

fn show(args: &mut Args<'_>) -> Result<GameCommand, WordError> {
    match args.first() {
        None => {
            args.finish()?;
            Err(WordError::missing(message!("command.missing-board-or-userid")))
        }
        Some(word) if is_board(word) => {
            Ok(GameCommand::Show { boards: boards(args)?, plain: args.options.has(ServerOption::Plain) })
        }
        Some(_) => {
            let userids = vec![args.userid()?];
            let filter = optional_filter(args)?.unwrap_or_default();
            args.finish()?;
            Ok(GameCommand::Games { userids, filter })
        }
    }
}

fn games(args: &mut Args<'_>) -> Result<GameCommand, WordError> {
    let mut userids = Vec::new();
    while let Some(i) = args.next()? {
        if let Some(filter) = filter(args.word(i)) {
            args.finish()?;
            return Ok(GameCommand::Games { userids, filter });
        }
        if words::list(args.word(i)).is_some() {
            need_filter(i, args.word(i))?;
        }
        userids.push(userid(i, args.word(i))?);
    }
    Ok(GameCommand::Games { userids, filter: BoardFilter::default() })
}

fn preview(args: &mut Args<'_>) -> Result<GameCommand, WordError> {
    let new = args.first().is_some_and(|word| word.eq_ignore_ascii_case(NEW));
    if new {
        args.allow_game_options();
    }
    let (i, word) = args.need(message!("command.missing-board-or-new"))?;
    let board = if new { None } else { Some(board_at(i, word)?) };
    let mut moves: Vec<String> = Vec::new();
    while let Some(i) = args.next()? {
        let word = args.word(i);
        if !is_graphic(word) {
            return Err(WordError::at(i, message!("command.not-a-move", word = excerpt(word))));
        }
        // Each word is a separate move, unless a comma joins two words.
        match moves.last_mut() {
            Some(last) if last.ends_with(',') || word.starts_with(',') => last.push_str(word),
            _ => moves.push(word.to_owned()),
        }
    }
    let from = match board {
        Some(board) => PreviewFrom::Board(board),
        None => PreviewFrom::New(args.options.take_game()),
    };
    Ok(GameCommand::Preview { from, moves, plain: args.options.has(ServerOption::Plain) })
}

fn write_preview(command: &GameCommand) -> Option<Vec<String>> {
    let GameCommand::Preview { from, moves, plain } = command else { return None };
    let mut words = match from {
        PreviewFrom::Board(board) => vec![board.to_string()],
        PreviewFrom::New(options) => {
            let options = options.to_string();
            std::iter::once(NEW).chain(options.split_whitespace()).map(str::to_owned).collect()
        }
    };
    words.extend(moves.iter().cloned());
    words.extend(write_plain(*plain));
    Some(words)
}
