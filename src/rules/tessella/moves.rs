//! Move texts: `e1-e2` for a step, `f2xc5` for a capture, and why one may not be made.

use super::position::{Move, Position};
use super::sides::side;
use super::spaces::{SPACES, bit, named};
use crate::rules::names;
use crate::rules::refusal::{Refusal, RefusalKind};

const STEP: char = '-';
const CAPTURE: char = 'x';
/// What stands between the two spaces of a move.
pub(super) const SEPARATORS: [char; 2] = [STEP, CAPTURE];

/// A move's canonical text.
pub(super) fn text(mv: Move) -> String {
    let (from, to) = (&SPACES[usize::from(mv.from)], &SPACES[usize::from(mv.to)]);
    format!("{}{}{}", from.name(), if mv.captures { CAPTURE } else { STEP }, to.name())
}

/// Reads a move text, in any case: two spaces with a dash or an x between them.
pub(super) fn parse(text: &str) -> Result<Move, Refusal> {
    let word = text.trim().to_ascii_lowercase();
    let (captures, spaces) = match word.split_once(CAPTURE) {
        Some(spaces) => (true, Some(spaces)),
        None => (false, word.split_once(STEP)),
    };
    let Some((from, to)) = spaces else {
        let message = match named(&word) {
            Some(_) => format!("A move names two spaces, from and to: {word}-e2 for a step, {word}xc5 for a capture."),
            None => "A move is a step such as e1-e2 or a capture such as f2xc5.".to_owned(),
        };
        return Err(Refusal::new(RefusalKind::NotAMove, text.trim(), message));
    };
    let (from, to) = (space(from.trim())?, space(to.trim())?);
    Ok(Move { from: from as u8, to: to as u8, captures })
}

fn space(word: &str) -> Result<usize, Refusal> {
    if let Some(space) = named(word) {
        return Ok(space);
    }
    let message = match names::split(word) {
        Some((letter @ 'a'..='i', _)) => {
            let mut column = SPACES.iter().map(|space| space.name()).filter(|name| name.starts_with(letter));
            let top = column.next().unwrap_or_default();
            let bottom = column.next_back().unwrap_or_else(|| top.clone());
            if top == bottom {
                format!("There is no such space: column {letter} has {top} only.")
            } else {
                format!("There is no such space: column {letter} has {bottom} to {top}.")
            }
        }
        _ => {
            "There is no such space: a letter a to i for the column from the left, and a number from below.".to_owned()
        }
    };
    let all: Vec<String> = SPACES.iter().map(|space| space.name()).collect();
    let nearest = names::nearest(word, all.iter().map(String::as_str)).map(str::to_owned);
    Err(Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, word, message) })
}

/// Why this move may not be made here.
pub(super) fn check(position: &Position, mv: Move) -> Result<(), Refusal> {
    let (from, to) = (usize::from(mv.from), usize::from(mv.to));
    let [start, end] = [from, to].map(|space| SPACES[space].name());
    let mover = position.mover;
    let message = match (position.at(from), position.at(to)) {
        (None, _) => format!("There is no piece on {start}."),
        (Some(seat), _) if seat != mover => format!("The piece on {start} is {}'s, not yours.", side(seat)),
        (_, Some(seat)) if seat == mover => format!("On {end} stands a piece of your own."),
        (_, Some(seat)) if !mv.captures => {
            format!(
                "On {end} stands {}, and a step goes to an empty space: a capture is written {start}x{end}.",
                side(seat)
            )
        }
        (_, None) if mv.captures => {
            format!("There is nothing to capture on {end}: a step is written {start}-{end}.")
        }
        _ if position.generator().targets(from) & bit(to) != 0 => return Ok(()),
        _ if mv.captures => why_not_captured(position, from, to, &start, &end),
        _ if SPACES[from].is_octagon() || SPACES[to].is_octagon() => format!("{start} and {end} share no edge."),
        _ => format!("{start} and {end} share no edge: a square's neighbours are straight beside, above and below."),
    };
    Err(Refusal::new(RefusalKind::Illegal, text(mv), message))
}

/// What is missing to a capture from one occupied space to another.
fn why_not_captured(position: &Position, from: usize, to: usize, start: &str, end: &str) -> String {
    let Some(between) = SPACES[from].between(to) else {
        return format!("{start} and {end} are not in one line: a capture goes along a row, a column or a diagonal.");
    };
    if between & position.occupied() != 0 {
        return format!("The way from {start} to {end} is not empty.");
    }
    format!("No piece of your own backs {start}: the next piece behind it, seen from {end}, must be yours.")
}
