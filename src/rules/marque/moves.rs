//! Reads move texts as sets of cells, and explains why a placement is not allowed.

use super::position::SIDES;
use super::position::{Move, Position};
use super::tiling::{Kind, Site, TILING, Tiling, bit};
use crate::message;
use crate::rules::cell_name;
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text::Message;

fn not_a_move(word: &str, message: Message) -> Refusal {
    Refusal::new(RefusalKind::NotAMove, word, message)
}

fn illegal(word: &str, message: Message) -> Refusal {
    Refusal::new(RefusalKind::Illegal, word, message)
}

/// Reads a move text, ignoring case and order: one cell, or two adjacent triangles.
pub(crate) fn parse(text: &str) -> Result<Move, Refusal> {
    let tiling = &*TILING;
    let text = text.trim();
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let set = match words[..] {
        [one] => bit(site(tiling, one)?.cell),
        [one, two] => {
            let (first, second) = (site(tiling, one)?, site(tiling, two)?);
            pair(tiling, text, first, second)?
        }
        _ => return Err(not_a_move(text, message!("marque.not-a-move"))),
    };
    let number = tiling.placements.iter().position(|placement| placement.cells == set);
    Ok(Move(number.expect("a cell or a pair has a placement") as u8))
}

fn pair(tiling: &Tiling, text: &str, one: &Site, two: &Site) -> Result<u128, Refusal> {
    let set = bit(one.cell) | bit(two.cell);
    if one.cell == two.cell {
        return Err(illegal(text, message!("marque.pair-of-one", cell = &one.name)));
    }
    if let Some(square) = [one, two].into_iter().find(|site| matches!(site.kind, Kind::Square(_))) {
        return Err(illegal(text, message!("marque.pair-on-square", cell = &square.name)));
    }
    if tiling.adjacent[one.cell] & bit(two.cell) == 0 {
        return Err(illegal(text, message!("marque.pair-apart", first = &one.name, second = &two.name)));
    }
    Ok(set)
}

fn site<'a>(tiling: &'a Tiling, word: &str) -> Result<&'a Site, Refusal> {
    let name = word.to_ascii_lowercase();
    if let Some(site) = tiling.sites.iter().find(|site| site.name == name) {
        return Ok(site);
    }
    let row = |letter: char| tiling.sites.iter().filter(move |site| site.name.starts_with(letter));
    // Mention the row only for a word that looks like a cell. Other words are not near misses.
    let number: Option<usize> = name.get(1..).and_then(|digits| digits.parse().ok());
    let message = match (name.chars().next(), number) {
        (Some(letter @ 'a'..='u'), Some(_)) => {
            message!("marque.no-such-cell-in-row", row = letter, last = row(letter).count())
        }
        _ => message!("marque.no-such-cell"),
    };
    let nearest = cell_name::nearest(&name, tiling.sites.iter().map(|site| site.name.as_str())).map(str::to_owned);
    Err(Refusal { nearest, ..not_a_move(word, message) })
}

/// Checks whether a placement is legal in this position.
pub(crate) fn check(position: &Position, mv: Move) -> Result<(), Refusal> {
    let tiling = &*TILING;
    let placement = mv.placement();
    let set = placement.cells;
    let text = tiling.text(set);
    let stones = &position.stones;
    if position.opening && set.count_ones() > 1 {
        return Err(illegal(&text, message!("marque.first-move-of-two")));
    }
    if position.opening && set & !tiling.triangles != 0 {
        return Err(illegal(&text, message!("marque.first-move-on-square")));
    }
    for site in tiling.sites(set) {
        if let Some(seat) = stones.at(site.cell) {
            return Err(illegal(&text, message!("marque.taken", cell = &site.name, side = SIDES[seat.index()])));
        }
    }
    if position.last[position.mover.index()] == Some(mv) {
        return Err(illegal(&text, message!("marque.repeated", move = &text)));
    }
    if !stones.has_freedom(tiling, position.mover, placement) {
        return Err(illegal(&text, message!("marque.no-freedom", move = &text)));
    }
    Ok(())
}
