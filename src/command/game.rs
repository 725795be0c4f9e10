//! Commands of a game: the words after `marque move`.

use super::args::{Args, Fault, board_at, is_graphic, need_which, number, userid, which};
use super::words::{is_option, said};
use super::{Act, PreviewFrom, Terms, Verb, Which};
use crate::rules::Game;

/// Reads what follows the verb, which is one of the table's names.
pub(super) fn read(game: &'static dyn Game, verb: &str, args: &mut Args<'_>) -> Result<Verb, Fault> {
    match verb {
        "challenge" => challenge(game, args),
        "move" => make_move(args),
        "resign" | "decline" => {
            let (board, userid, password) = (args.board()?, args.userid("userid")?, args.password("password")?);
            args.finish()?;
            let act = if verb == "resign" { Act::Resign } else { Act::Decline };
            Ok(Verb::At { board, userid, password, act })
        }
        "show" => show(args),
        "games" => games(args),
        "history" => {
            let board = args.board()?;
            args.finish()?;
            Ok(Verb::History { board, json: args.json() })
        }
        _ => preview(game, args),
    }
}

fn challenge(game: &'static dyn Game, args: &mut Args<'_>) -> Result<Verb, Fault> {
    args.allow(game);
    let (first, second) = (args.userid("first userid")?, args.userid("second userid")?);
    args.finish()?;
    let terms = Terms::default();
    Ok(Verb::Challenge { options: args.options(), players: [Some(first), Some(second)], terms })
}

fn make_move(args: &mut Args<'_>) -> Result<Verb, Fault> {
    let (board, userid, password) = (args.board()?, args.userid("userid")?, args.password("password")?);
    let mut text = String::new();
    let mut last = None;
    while let Some(i) = args.next()? {
        let word = args.word(i);
        if last.is_some() && !continues(&text, word) {
            return Err(Fault::at(i, format!("{} is one word too many: the move stands before it.", said(word))));
        }
        // A quoted "f3 f4" is split like the bare one, so that both are stored alike.
        for piece in word.split_whitespace() {
            join(&mut text, piece);
        }
        last = Some(i);
        // What a shown line would not give back: an option, or the stars that are dropped.
        if !is_graphic(&text) || is_option(&text) || text == "**" {
            return Err(Fault::at(i, format!("{} is not a move.", said(word))));
        }
    }
    let Some(last) = last else { return Err(Fault::missing("move")) };
    let (text, ply) = match text.rsplit_once('#') {
        Some((text, ply)) => match number(ply).filter(|ply| *ply > 0) {
            Some(ply) => (text.to_owned(), Some(ply)),
            None => return Err(Fault::at(last, "After \"#\" stands the number of the move.").near(Some(text))),
        },
        None => (text, None),
    };
    if text.is_empty() {
        return Err(Fault::at(last, "The move is missing before \"#\"."));
    }
    match (text.to_ascii_lowercase().as_str(), ply) {
        ("resign", None) => Ok(Verb::At { board, userid, password, act: Act::Resign }),
        ("decline", None) => Ok(Verb::At { board, userid, password, act: Act::Decline }),
        (word @ ("resign" | "decline"), _) => {
            Err(Fault::at(last, format!("\"{word}\" takes no move number.")).near(Some(word)))
        }
        _ => Ok(Verb::At { board, userid, password, act: Act::Move { text, ply } }),
    }
}

/// Whether a further word can belong to the move: `f3, f4`, `f3 f4`, `f3 #14`. Anything else is a word too many,
/// and should be named as that rather than as a strange move.
fn continues(text: &str, word: &str) -> bool {
    let cell = |cell: &str| {
        let digits = cell.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        (1..=2).contains(&(cell.len() - digits.len()))
            && (1..=3).contains(&digits.len())
            && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let (cells, ply) = word.split_once('#').map_or((word, None), |(cells, ply)| (cells, Some(ply)));
    !text.contains('#')
        && ply.is_none_or(|ply| number(ply).is_some())
        && cells.split(',').all(|part| part.is_empty() || cell(part))
        && text.split(',').all(|part| part.is_empty() || cell(part))
}

/// Joins a move's words with one comma between cells.
fn join(text: &mut String, word: &str) {
    let apart = !text.is_empty() && !text.ends_with(',') && !word.starts_with([',', '#']);
    if apart {
        text.push(',');
    }
    text.push_str(word);
}

/// Whether a word is meant as a board's number rather than a userid.
pub(super) fn is_board(word: &str) -> bool {
    word.trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit())
}

/// Boards, each perhaps after so many plies; at least one.
pub(super) fn boards(args: &mut Args<'_>) -> Result<Vec<(u32, Option<u32>)>, Fault> {
    let mut boards = Vec::new();
    while let Some(i) = args.next()? {
        boards.push(board_at(i, args.word(i))?);
    }
    if boards.is_empty() { Err(Fault::missing("board number")) } else { Ok(boards) }
}

fn show(args: &mut Args<'_>) -> Result<Verb, Fault> {
    match args.first() {
        None => {
            args.finish()?;
            Err(Fault::missing("board number or userid"))
        }
        Some(word) if is_board(word) => Ok(Verb::Show { boards: boards(args)?, plain: args.plain }),
        Some(_) => {
            let userids = vec![args.userid("userid")?];
            let which = optional_which(args)?.unwrap_or_default();
            args.finish()?;
            Ok(Verb::Games { userids, which })
        }
    }
}

/// `[all|active|next]` at a command's end.
pub(super) fn optional_which(args: &mut Args<'_>) -> Result<Option<Which>, Fault> {
    args.next()?.map(|i| need_which(i, args.word(i))).transpose()
}

fn games(args: &mut Args<'_>) -> Result<Verb, Fault> {
    let mut userids = Vec::new();
    while let Some(i) = args.next()? {
        if let Some(which) = which(args.word(i)) {
            args.finish()?;
            return Ok(Verb::Games { userids, which });
        }
        userids.push(userid(i, args.word(i))?);
    }
    Ok(Verb::Games { userids, which: Which::default() })
}

fn preview(game: &'static dyn Game, args: &mut Args<'_>) -> Result<Verb, Fault> {
    let new = args.first().is_some_and(|word| word.eq_ignore_ascii_case("new"));
    if new {
        args.allow(game);
    }
    let Some(i) = args.next()? else { return Err(Fault::missing("board number (or new)")) };
    let from = if new { None } else { Some(board_at(i, args.word(i))?) };
    let mut moves: Vec<String> = Vec::new();
    while let Some(i) = args.next()? {
        let word = args.word(i);
        if !is_graphic(word) {
            return Err(Fault::at(i, format!("{} is not a move.", said(word))));
        }
        // Words are moves in turn, so only a comma at the seam says that two belong together.
        match moves.last_mut() {
            Some(last) if last.ends_with(',') || word.starts_with(',') => last.push_str(word),
            _ => moves.push(word.to_owned()),
        }
    }
    let from = match from {
        Some((board, ply)) => PreviewFrom::Board(board, ply),
        None => PreviewFrom::New(args.options()),
    };
    Ok(Verb::Preview { from, moves, plain: args.plain })
}
