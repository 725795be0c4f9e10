//! Yavalath (Cameron Browne's program Ludi, 2007): four in a row win, three in a row lose.

use super::catalogue::{GameInfo, Kind};
use super::kit::{Cell, Colour, End, Placed, Placement, Shape, Stone, Stones};
use super::outcome::EndReason;
use crate::message;
use crate::text::Message;

/// A position of Yavalath.
pub type Position = Placed<Yavalath>;

/// Four stones or more in a row.
const FOUR: EndReason = EndReason::new("four in a row");
/// The loser has three stones in a row and not four.
const THREE: EndReason = EndReason::new("three in a row loses");

/// The game Yavalath.
#[derive(Clone, Copy, Debug)]
pub struct Yavalath;

impl GameInfo for Yavalath {
    type Position = Position;
    const NAME: &'static str = "yavalath";
    const TITLE: &'static str = "Yavalath";
    const DESIGNER: &'static str = "Cameron Browne and Ludi, 2007";
    const KIND: Kind = Kind::Groups;
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("yavalath.about");
    const SAMPLE: (&'static str, &'static str) = ("", "e5 f5 c3 d4 e2 c5 e4 e3 g3 b2");
}

impl Placement for Yavalath {
    const SIZE: u16 = 5;
    const SHAPE: Shape = Shape::Hexagon;
    const FIRST: Colour = Colour::White;

    fn aim(stones: &Stones) -> Message {
        message!("yavalath.aim", may_swap = stones.may_swap())
    }

    #[inline]
    fn end(stones: &Stones, stone: &Stone) -> Option<End> {
        match stones.rows(stone.cell, stone.colour).map(Iterator::count).max() {
            Some(4..) => Some(End::Won(FOUR)),
            Some(3) => Some(End::Lost(THREE)),
            _ => None,
        }
    }

    fn winning_cells(stones: &Stones, last: Cell) -> Vec<Cell> {
        let row = stones.longest_row(last);
        if row.len() > 3 { row } else { Vec::new() }
    }

    fn achievement(stones: &Stones, last: Cell) -> Option<Message> {
        let length = stones.longest_row(last).len();
        (length > 3).then(|| message!("rules.in-a-row", length))
    }

    fn mistake(stones: &Stones, last: Cell) -> Option<Message> {
        let row = stones.longest_row(last);
        let cells: Vec<String> = row.iter().map(|cell| stones.grid().name(*cell).to_owned()).collect();
        (cells.len() == 3).then(|| message!("yavalath.three-in-a-row", cells))
    }
}
