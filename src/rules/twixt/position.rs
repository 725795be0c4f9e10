//! TwixT's positions: the pegs and the colour to move.

use super::pegs::Pegs;
use crate::message;
use crate::rules::cell_name;
use crate::rules::kit::Colour;
use crate::rules::notation::Notation;
use crate::rules::outcome::Outcome;
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::rules::seat::Seat;

/// A move: a peg in a hole, or the exchange of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A peg in a hole, by its number.
    Peg(u16),
    /// The players exchange colours; the peg stays.
    Swap,
}

/// A position of TwixT.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(crate) pegs: Pegs,
    /// The number of empty holes that Black and White may use.
    pub(crate) open: [u16; 2],
    pub(crate) turn: Colour,
    pub(crate) black: Seat,
    pub(crate) plies: u16,
    pub(crate) outcome: Option<Outcome>,
}

impl Position {
    /// Returns the empty board with this number of holes a side.
    pub fn new(size: u16) -> Position {
        let open = [size * (size - 2); 2];
        Position { pegs: Pegs::new(size), open, turn: Colour::White, black: Seat::Second, plies: 0, outcome: None }
    }

    pub(crate) fn may_swap(&self) -> bool {
        self.plies == 1
    }

    pub(crate) fn is_open(&self, hole: usize) -> bool {
        self.pegs.at(hole).is_none() && self.pegs.may_use(hole, self.turn)
    }

    pub(crate) fn colour(&self, seat: Seat) -> Colour {
        if seat == self.black { Colour::Black } else { Colour::White }
    }

    pub(crate) fn name(&self, hole: usize) -> String {
        let (column, row) = self.pegs.place(hole);
        format!("{}{}", column_name(column), row + 1)
    }

    /// The hole of a name in lower case.
    pub(crate) fn named(&self, word: &str) -> Option<usize> {
        let size = self.pegs.size;
        let digits = word.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
        let row = digits.parse::<usize>().ok()?.checked_sub(1).filter(|row| *row < size)?;
        let hole = (row * size..(row + 1) * size).find(|hole| self.name(*hole) == word)?;
        self.pegs.holes().any(|other| other == hole).then_some(hole)
    }

    pub(crate) fn not_a_move(&self, word: &str) -> Refusal {
        let (size, last) = (self.pegs.size, column_name(self.pegs.size - 1));
        let is_corner =
            ["a", last.as_str()].iter().any(|column| [1, size].iter().any(|row| word == format!("{column}{row}")));
        let message = match () {
            () if is_corner => message!("twixt.corner"),
            () if Notation::is_cell(word) => message!("rules.no-such-square", last, size),
            () => message!("twixt.not-a-hole"),
        };
        let names: Vec<String> = self.pegs.holes().map(|hole| self.name(hole)).collect();
        let nearest = cell_name::nearest(word, names.iter().map(String::as_str)).map(str::to_owned);
        Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, word, message) }
    }
}

/// The name of a column: `a` to `z`, then `aa` and so on.
pub(crate) fn column_name(column: usize) -> String {
    let letter = char::from(b'a' + (column % 26) as u8);
    if column < 26 { letter.to_string() } else { format!("a{letter}") }
}
