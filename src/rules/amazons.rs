//! Amazons (Walter Zamkauskas 1988): chess queens that shoot arrows, until one side cannot move.

use super::catalogue::{GameInfo, Kind};
use super::kit::{Cell, CellSet, Colour, Pieces, Stepped, Stepping};
use crate::message;
use crate::text::Message;

/// A position of Amazons.
pub type Position = Stepped<Amazons>;

/// The game Amazons.
#[derive(Clone, Copy, Debug)]
pub struct Amazons;

impl GameInfo for Amazons {
    type Position = Position;
    const NAME: &'static str = "amazons";
    const TITLE: &'static str = "Amazons";
    const DESIGNER: &'static str = "Walter Zamkauskas, 1988";
    const KIND: Kind = Kind::Movement;
    const HAS_DRAWS: bool = false;
    const ABOUT: Message = Message::new("amazons.about");
    const SAMPLE: (&'static str, &'static str) = ("", "d1-d7/g7 a7-c7/c4 g1-g6/d6 d10-f8/f2 j4-h4/e7 j7-h7/h5");
}

impl Stepping for Amazons {
    const SIZE: u16 = 10;
    const FIRST: Colour = Colour::White;
    const START: [&'static str; 2] = ["d10 g10 a7 j7", "a4 j4 d1 g1"];
    const SHOOTS: bool = true;

    fn aim(_: &Pieces) -> Message {
        message!("amazons.aim")
    }

    fn targets(pieces: &Pieces, from: Cell) -> CellSet {
        pieces.queens_targets(from)
    }

    fn refusal(pieces: &Pieces, from: Cell, to: Cell) -> Message {
        let name = |cell| pieces.grid().name(cell);
        let (start, end) = (name(from), name(to));
        let obstacle = pieces.between(from, to).chain([to]).find(|cell| !pieces.is_empty(*cell));
        match (pieces.direction(from, to), obstacle) {
            (None, _) => message!("rules.not-in-line", start, end),
            (Some(_), obstacle) => {
                let cell = obstacle.unwrap_or(to);
                match pieces.at(cell) {
                    Some(colour) => message!("amazons.piece-in-the-way", cell = name(cell), side = colour.side()),
                    None => message!("amazons.arrow-in-the-way", cell = name(cell)),
                }
            }
        }
    }
}
