//! Pente (Gary Gabrel 1977): five stones in a row win, and so do five captured pairs.

use super::catalogue::{GameInfo, Kind};
use super::kit::{self, Cell, CellSet, Colour, End, Pieces, Placed, Placement, Shape, Stone, Stones};
use super::options::OptionSpec;
use super::outcome::EndReason;
use crate::message;
use crate::text::Message;

/// A position of Pente.
pub type Position = Placed<Pente>;

/// Five stones or more in a row.
const FIVE: EndReason = EndReason::new("five in a row");
/// Five captured pairs or more.
const CAPTURES: EndReason = EndReason::new("captures");
/// The length of a winning row, and the number of captured pairs that wins.
const WINNING: usize = 5;

/// The game Pente.
#[derive(Clone, Copy, Debug)]
pub struct Pente;

/// Returns the two enemy stones that a stone of a colour on this cell captures in a direction.
fn pair(stones: &Stones, cell: Cell, own: Colour, direction: usize) -> Option<[Cell; 2]> {
    let next =
        |from: Cell, colour: Colour| stones.grid().step(from, direction).filter(|cell| stones.of(colour).has(*cell));
    let near = next(cell, own.other())?;
    let far = next(near, own.other())?;
    next(far, own).map(|_| [near, far])
}

/// Returns the pairs that a stone of a colour on this cell captures.
fn taken(stones: &Stones, cell: Cell, own: Colour) -> impl Iterator<Item = [Cell; 2]> {
    Pieces::DIRECTIONS.filter_map(move |direction| pair(stones, cell, own, direction))
}

/// Returns the number of pairs that a colour has captured.
fn pairs(stones: &Stones, colour: Colour) -> usize {
    stones.captures(colour) / 2
}

impl GameInfo for Pente {
    type Position = Position;
    const NAME: &'static str = "pente";
    const TITLE: &'static str = "Pente";
    const DESIGNER: &'static str = "Gary Gabrel, 1977";
    const KIND: Kind = Kind::Groups;
    const OPTIONS: &'static [OptionSpec] = &[kit::size_option(&[13, 15, 19], Message::new("pente.sizes"))];
    const BUILT_IN: &'static str = "-size=19";
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("pente.about");
    const SAMPLE: (&'static str, &'static str) = ("-size=13", "g7 h7 g6 g8 d4 g5 e5 f4 f6 c3 g7 f5 h8");
}

impl Placement for Pente {
    const SIZE: u16 = 19;
    const SHAPE: Shape = Shape::Square;
    const FIRST: Colour = Colour::White;
    const REMOVES: bool = true;

    fn aim(stones: &Stones) -> Message {
        let [black, white] = Colour::BOTH.map(|colour| pairs(stones, colour));
        message!("pente.aim", white, black, may_swap = stones.may_swap())
    }

    fn captures(stones: &Stones, cell: Cell) -> CellSet {
        taken(stones, cell, stones.turn()).flatten().collect()
    }

    fn end(stones: &Stones, stone: &Stone) -> Option<End> {
        if stones.rows(stone.cell, stone.colour).any(|row| row.count() >= WINNING) {
            return Some(End::Won(FIVE));
        }
        let more = taken(stones, stone.cell, stone.colour).count();
        (pairs(stones, stone.colour) + more >= WINNING).then_some(End::Won(CAPTURES))
    }

    fn winning_cells(stones: &Stones, last: Cell) -> Vec<Cell> {
        let row = stones.longest_row(last);
        if row.len() >= WINNING { row } else { Vec::new() }
    }

    fn achievement(stones: &Stones, last: Cell) -> Option<Message> {
        let length = stones.longest_row(last).len();
        Some(match length >= WINNING {
            true => message!("rules.in-a-row", length),
            false => message!("pente.captured", pairs = pairs(stones, stones.at(last)?)),
        })
    }
}
