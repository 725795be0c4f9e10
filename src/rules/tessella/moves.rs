//! Reads move texts, `e1-e2` for a step and `f2xc5` for a capture, and explains why a move is not allowed.

use super::position::SIDES;
use super::position::{Move, Position};
use super::spaces::{SPACES, bit, named};
use crate::message;
use crate::rules::cell_name;
use crate::rules::notation::Notation;
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text::Message;

const STEP: char = '-';
const CAPTURE: char = 'x';
/// The separators between the two spaces of a move.
pub(crate) const SEPARATORS: [char; 2] = [STEP, CAPTURE];

/// Returns a move's canonical text.
pub(crate) fn text(mv: Move) -> String {
    let (from, to) = (&SPACES[usize::from(mv.from)], &SPACES[usize::from(mv.to)]);
    format!("{}{}{}", from.name(), if mv.captures { CAPTURE } else { STEP }, to.name())
}

/// Reads a move text, ignoring case: two spaces with a dash or an x between them. If the separator is missing, the
/// content of the second space decides between a step and a capture. This applies to `e1,e2`, the form that `e1 e2`
/// has here.
pub(crate) fn parse(position: &Position, text: &str) -> Result<Move, Refusal> {
    let word = text.trim().to_ascii_lowercase();
    let on_enemy = |word: &str| named(word).is_some_and(|to| position.at(to) == Some(position.mover.other()));
    let read = match (word.split_once(CAPTURE), word.split_once(STEP), word.split_once(Notation::UNORDERED)) {
        (Some(spaces), ..) => Some((true, spaces)),
        (_, Some(spaces), _) => Some((false, spaces)),
        (.., Some((from, to))) => Some((on_enemy(to.trim()), (from, to))),
        _ => None,
    };
    let Some((captures, (from, to))) = read else {
        let message = match named(&word) {
            Some(_) => message!("tessella.one-space", space = &word),
            None => message!("tessella.not-a-move"),
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
    let message = match cell_name::split(word) {
        Some((letter @ 'a'..='i', _)) => {
            let mut column = SPACES.iter().map(|space| space.name()).filter(|name| name.starts_with(letter));
            let top = column.next().unwrap_or_default();
            let bottom = column.next_back().unwrap_or_else(|| top.clone());
            if top == bottom {
                message!("tessella.column-of-one", column = letter, space = top)
            } else {
                message!("tessella.no-such-space-in-column", column = letter, bottom, top)
            }
        }
        _ => message!("tessella.no-such-space"),
    };
    let all: Vec<String> = SPACES.iter().map(|space| space.name()).collect();
    let nearest = cell_name::nearest(word, all.iter().map(String::as_str)).map(str::to_owned);
    Err(Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, word, message) })
}

/// Checks whether a move is legal in this position.
pub(crate) fn check(position: &Position, mv: Move) -> Result<(), Refusal> {
    let (from, to) = (usize::from(mv.from), usize::from(mv.to));
    let [start, end] = [from, to].map(|space| SPACES[space].name());
    let mover = position.mover;
    let message = match (position.at(from), position.at(to)) {
        (None, _) => message!("tessella.no-piece", start),
        (Some(seat), _) if seat != mover => message!("tessella.not-yours", start, side = SIDES[seat.index()]),
        (_, Some(seat)) if seat == mover => message!("tessella.own-piece", end),
        (_, Some(seat)) if !mv.captures => {
            message!("tessella.step-on-piece", start, end, side = SIDES[seat.index()])
        }
        (_, None) if mv.captures => {
            message!("tessella.nothing-to-capture", start, end)
        }
        _ if position.generator().targets(from).set() & bit(to) != 0 => return Ok(()),
        _ if mv.captures => why_not_captured(position, from, to, [start, end]),
        _ if SPACES[from].is_octagon() || SPACES[to].is_octagon() => message!("tessella.apart", start, end),
        _ => message!("tessella.squares-apart", start, end),
    };
    Err(Refusal::new(RefusalKind::Illegal, text(mv), message))
}

/// Explains why a piece on one space cannot capture a piece on another.
fn why_not_captured(position: &Position, from: usize, to: usize, [start, end]: [String; 2]) -> Message {
    let Some(between) = SPACES[from].between(to) else {
        return message!("tessella.no-line", start, end);
    };
    if between & position.occupied() != 0 {
        return message!("tessella.way-blocked", start, end);
    }
    message!("tessella.not-backed", start, end)
}
