//! Move texts: what was typed → a set of cells, and why it may not be placed.

use super::position::{Move, Position};
use super::sides::side;
use super::tiling::{Kind, Site, TILING, Tiling, bit};
use crate::rules::names;
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text::Message;

fn not_a_move(word: &str, message: impl Into<Message>) -> Refusal {
    Refusal::new(RefusalKind::NotAMove, word, message)
}

fn illegal(word: &str, message: impl Into<Message>) -> Refusal {
    Refusal::new(RefusalKind::Illegal, word, message)
}

/// Reads a move text, in any case and order: one cell, or two adjacent triangles.
pub(super) fn parse(text: &str) -> Result<Move, Refusal> {
    let tiling = &*TILING;
    let text = text.trim();
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let set = match words[..] {
        [one] => bit(site(tiling, one)?.cell),
        [one, two] => {
            let (first, second) = (site(tiling, one)?, site(tiling, two)?);
            pair(tiling, text, first, second)?
        }
        _ => return Err(not_a_move(text, "A move is one cell, such as f3, or two adjacent triangles, such as f3,f4.")),
    };
    let number = tiling.placements.iter().position(|placement| placement.cells == set);
    Ok(Move(number.expect("a cell or a pair has a placement") as u8))
}

fn pair(tiling: &Tiling, text: &str, one: &Site, two: &Site) -> Result<u128, Refusal> {
    let set = bit(one.cell) | bit(two.cell);
    if one.cell == two.cell {
        return Err(illegal(text, format!("The two cells of a pair must differ, and {} is named twice.", one.name)));
    }
    if let Some(square) = [one, two].into_iter().find(|site| matches!(site.kind, Kind::Square(_))) {
        let name = &square.name;
        return Err(illegal(text, format!("Two pieces must go on two triangles, and {name} is a square.")));
    }
    if tiling.adjacent[one.cell] & bit(two.cell) == 0 {
        let message =
            format!("Two pieces must go on adjacent triangles, and {} and {} share no edge.", one.name, two.name);
        return Err(illegal(text, message));
    }
    Ok(set)
}

fn site<'a>(tiling: &'a Tiling, word: &str) -> Result<&'a Site, Refusal> {
    let name = word.to_ascii_lowercase();
    if let Some(site) = tiling.sites.iter().find(|site| site.name == name) {
        return Ok(site);
    }
    let row = |letter: char| tiling.sites.iter().filter(move |site| site.name.starts_with(letter));
    // Only a word that looks like a cell is told about its row: anything else is no near miss.
    let number: Option<usize> = name.get(1..).and_then(|digits| digits.parse().ok());
    let message = match (name.chars().next(), number) {
        (Some(letter @ 'a'..='u'), Some(_)) => {
            let last = row(letter).count();
            format!("There is no such cell: row {letter} has {letter}1 to {letter}{last}.")
        }
        _ => {
            "There is no such cell: the cells are a1 to u2, a letter for the row and a number from the left.".to_owned()
        }
    };
    let nearest = names::nearest(&name, tiling.sites.iter().map(|site| site.name.as_str())).map(str::to_owned);
    Err(Refusal { nearest, ..not_a_move(word, message) })
}

/// Why this placement may not be made here.
pub(super) fn check(position: &Position, mv: Move) -> Result<(), Refusal> {
    let tiling = &*TILING;
    let placement = mv.placement();
    let set = placement.cells;
    let text = tiling.text(set);
    let stones = &position.stones;
    if position.opening && (set & !tiling.triangles != 0 || set.count_ones() > 1) {
        let what = if set.count_ones() > 1 { "these are two cells" } else { "this is a square" };
        return Err(illegal(&text, format!("The first move of the game is one piece on a triangle, and {what}.")));
    }
    for site in tiling.sites(set) {
        if let Some(seat) = stones.at(site.cell) {
            let name = &site.name;
            return Err(illegal(&text, format!("Cell {name} is already taken by {}.", side(seat))));
        }
    }
    if position.last[position.mover.index()] == Some(mv) {
        return Err(illegal(&text, format!("You made the very move {text} on your last turn, and may not repeat it.")));
    }
    if !stones.has_freedom(tiling, position.mover, placement) {
        let message = format!(
            "After {text} your group would have no freedom (no empty cell next to it), and it captures nothing."
        );
        return Err(illegal(&text, message));
    }
    Ok(())
}
