//! The text of a move among the arguments: `f3`, `f3, f4`, `f3 #14`.

use crate::command::args::Args;
use crate::command::error::WordError;
use crate::command::typography::bare_move;
use crate::command::values::is_off;
use crate::command::words::{excerpt, is_graphic, is_option, number};
use crate::message;
use crate::numbers::Ply;
use crate::rules::{Notation, catalogue};

/// A typed move.
pub(crate) struct MoveText {
    /// The move's text, with commas between the cells.
    pub text: String,
    /// The move's number: `f3#14`.
    pub ply: Option<Ply>,
    /// The index of the move's last word.
    pub last: usize,
}

/// Reads the remaining arguments as a move.
pub(crate) fn move_text(args: &mut Args<'_>) -> Result<MoveText, WordError> {
    let mut text = String::new();
    let mut last = None;
    while let Some(i) = args.next()? {
        let word = bare_move(args.word(i));
        if last.is_some() && !continues(&text, word) {
            let message = message!("command.surplus-after-move", word = excerpt(word));
            let listed = Notation::listed(&format!("{text} {word} {}", args.rest().join(" ")));
            return Err(WordError::at(i, message).near(listed));
        }
        // A quoted "f3 f4" is split like the unquoted one, so that both are stored identically.
        for piece in word.split_whitespace().map(bare_move) {
            if piece.starts_with('#') {
                text.push_str(piece);
            } else {
                Notation::join(&mut text, piece);
            }
        }
        last = Some(i);
        // The canonical line could not represent these: an option, or the stars that are dropped.
        if !is_graphic(&text) || is_option(&text) || text == "**" {
            return Err(WordError::at(i, message!("command.not-a-move", word = excerpt(args.word(i)))));
        }
    }
    let Some(last) = last else { return Err(args.missing(message!("command.missing-move"), is_move)) };
    let (text, ply) = match text.rsplit_once('#') {
        Some((text, ply)) => match number(ply).filter(|ply| *ply > 0) {
            Some(ply) => (text.to_owned(), Some(Ply(ply))),
            None => return Err(WordError::at(last, message!("command.no-move-number")).near(Some(text))),
        },
        None => (text, None),
    };
    // No cell follows the comma.
    let text = match text.strip_suffix(Notation::UNORDERED) {
        Some(cells) if Notation::is_list(cells) && !cells.is_empty() => cells.to_owned(),
        _ => text,
    };
    if text.is_empty() {
        return Err(WordError::at(last, message!("command.number-without-move")));
    }
    Ok(MoveText { text, ply, last })
}

/// Returns whether a word is a move of some game, or cancels one: `f3`, `f3,f4#14`, `e1-e2`, `swap`, `off`.
fn is_move(word: &str) -> bool {
    let word = word.split_once('#').map_or(word, |(text, _)| text);
    is_off(word)
        || catalogue::is_move_word(word)
        || catalogue::GAMES.iter().any(|game| {
            let cells = game.notation().cells(word);
            !cells.is_empty() && cells.into_iter().all(Notation::is_cell)
        })
}

/// Returns whether another word can belong to the move: `f3, f4`, `f3 f4`, `f3 #14`. Any other word is superfluous,
/// and the error should say so instead of treating it as a strange move.
fn continues(text: &str, word: &str) -> bool {
    let (cells, ply) = word.split_once('#').map_or((word, None), |(cells, ply)| (cells, Some(ply)));
    !text.contains('#')
        && ply.is_none_or(|ply| number(ply).is_some())
        && Notation::is_list(cells)
        && Notation::is_list(text)
}
