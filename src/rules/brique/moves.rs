//! Parses move texts, a square's name or `swap`, and explains why a move is not allowed.

use super::cells::{Cell, CellSet, letter};
use super::position::{Move, Position};
use crate::message;
use crate::rules::cell_name;
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text;

/// The move that exchanges colours.
pub(crate) const SWAP: &str = "swap";

/// Returns a move's canonical text.
pub(crate) fn text(mv: Move, size: u16) -> String {
    match mv {
        Move::Place(cell) => cell.name(size),
        Move::Swap => SWAP.to_owned(),
    }
}

/// Reads a move text, ignoring case.
pub(crate) fn parse(text: &str, size: u16) -> Result<Move, Refusal> {
    let word = text.trim().to_ascii_lowercase();
    if word == SWAP {
        return Ok(Move::Swap);
    }
    if let Some(cell) = Cell::named(&word, size) {
        return Ok(Move::Place(cell));
    }
    let last = letter(size - 1);
    let message = if cell_name::split(&word).is_some() {
        message!("brique.no-such-square", last, size)
    } else {
        message!("brique.not-a-move", last, size)
    };
    let squares: Vec<String> = CellSet::board(size).cells().map(|cell| cell.name(size)).collect();
    let nearest = cell_name::nearest(&word, squares.iter().map(String::as_str));
    let nearest = nearest.or_else(|| text::is_one_slip(&word, SWAP).then_some(SWAP));
    Err(Refusal { nearest: nearest.map(str::to_owned), ..Refusal::new(RefusalKind::NotAMove, text.trim(), message) })
}

/// Checks whether a move is legal in this position.
pub(crate) fn check(position: &Position, mv: Move) -> Result<(), Refusal> {
    let name = text(mv, position.size());
    let message = match mv {
        Move::Swap if position.may_swap() => return Ok(()),
        Move::Swap => message!("brique.no-swap"),
        Move::Place(cell) => match position.at(cell) {
            None => return Ok(()),
            Some(colour) => message!("brique.taken", square = &name, side = colour.side()),
        },
    };
    Err(Refusal::new(RefusalKind::Illegal, name, message))
}
