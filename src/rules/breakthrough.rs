//! Breakthrough (Dan Troyka 2000): pieces that only move forward, and a race to the last row.

use super::catalogue::{GameInfo, Kind};
use super::kit::{Cell, CellSet, Colour, End, Grid, Pieces, Stepped, Stepping};
use super::outcome::EndReason;
use crate::message;
use crate::text::Message;

/// A position of Breakthrough.
pub type Position = Stepped<Breakthrough>;

/// A piece is on the last row.
const LAST_ROW: EndReason = EndReason::new("last row");
/// All pieces of the opponent are captured.
const ALL_CAPTURED: EndReason = EndReason::new("all captured");

/// The game Breakthrough.
#[derive(Clone, Copy, Debug)]
pub struct Breakthrough;

/// Returns the directions straight ahead and diagonally forward, and the last row.
const fn ahead(colour: Colour) -> (usize, [usize; 2], u16) {
    match colour {
        Colour::Black => (1, [4, 5], Grid::BOTTOM),
        Colour::White => (3, [6, 7], Grid::TOP),
    }
}

impl GameInfo for Breakthrough {
    type Position = Position;
    const NAME: &'static str = "breakthrough";
    const TITLE: &'static str = "Breakthrough";
    const DESIGNER: &'static str = "Dan Troyka, 2000";
    const KIND: Kind = Kind::Movement;
    const HAS_DRAWS: bool = false;
    const ABOUT: Message = Message::new("breakthrough.about");
    const SAMPLE: (&'static str, &'static str) = ("", "d2-d3 e7-e6 d3-e4 d7-d6 e4-e5 d6xe5");
}

impl Stepping for Breakthrough {
    const SIZE: u16 = 8;
    const FIRST: Colour = Colour::White;
    const START: [&'static str; 2] =
        ["a8 b8 c8 d8 e8 f8 g8 h8 a7 b7 c7 d7 e7 f7 g7 h7", "a2 b2 c2 d2 e2 f2 g2 h2 a1 b1 c1 d1 e1 f1 g1 h1"];

    fn aim(_: &Pieces) -> Message {
        message!("breakthrough.aim")
    }

    fn targets(pieces: &Pieces, from: Cell) -> CellSet {
        let Some(colour) = pieces.at(from) else { return CellSet::default() };
        let (straight, diagonals, _) = ahead(colour);
        let step = |direction| pieces.grid().step(from, direction);
        let straight = step(straight).filter(|cell| pieces.is_empty(*cell));
        let diagonals = diagonals.into_iter().filter_map(step).filter(|cell| pieces.at(*cell) != Some(colour));
        straight.into_iter().chain(diagonals).collect()
    }

    fn refusal(pieces: &Pieces, from: Cell, to: Cell) -> Message {
        let [start, end] = [from, to].map(|cell| pieces.grid().name(cell));
        let (straight, ..) = ahead(pieces.turn());
        match pieces.at(to) {
            Some(colour) if pieces.grid().step(from, straight) == Some(to) => {
                message!("breakthrough.blocked", end, side = colour.side())
            }
            _ => message!("breakthrough.not-forward", start, end),
        }
    }

    fn end(pieces: &Pieces, last: Cell) -> Option<End> {
        let (.., goal) = ahead(pieces.turn());
        match () {
            () if pieces.grid().rim(last) & goal != 0 => Some(End::Won(LAST_ROW)),
            () if pieces.of(pieces.turn().other()).is_empty() => Some(End::Won(ALL_CAPTURED)),
            () => None,
        }
    }

    fn winning_cells(pieces: &Pieces, last: Cell) -> Vec<Cell> {
        let is_goal = |colour| pieces.grid().rim(last) & ahead(colour).2 != 0;
        pieces.at(last).filter(|colour| is_goal(*colour)).map(|_| vec![last]).unwrap_or_default()
    }

    fn achievement(pieces: &Pieces, last: Cell) -> Option<Message> {
        Some(match Self::winning_cells(pieces, last).is_empty() {
            true => message!("breakthrough.all-captured"),
            false => message!("breakthrough.last-row"),
        })
    }
}
