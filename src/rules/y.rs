//! Y (Claude Shannon; Craige Schensted and Charles Titus 1953): a chain that touches all three sides of a triangle.

use super::catalogue::{GameInfo, Kind};
use super::kit::{self, Cell, Colour, End, Placed, Placement, Shape, Stone, Stones};
use super::options::OptionSpec;
use super::outcome::EndReason;
use crate::message;
use crate::text::Message;

/// A position of Y.
pub type Position = Placed<Y>;

/// A chain touches all three sides.
const CHAIN: EndReason = EndReason::new("chain");
/// The sides of the triangle, as bits of a rim.
const SIDES: [u16; 3] = [1, 2, 4];

/// The game Y.
#[derive(Clone, Copy, Debug)]
pub struct Y;

impl GameInfo for Y {
    type Position = Position;
    const NAME: &'static str = "y";
    const TITLE: &'static str = "Y";
    const DESIGNER: &'static str = "Claude Shannon; Craige Schensted and Charles Titus, 1953";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] =
        &[kit::size_option(&[5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19], Message::new("y.sizes"))];
    const BUILT_IN: &'static str = "-size=12";
    const HAS_DRAWS: bool = false;
    const ABOUT: Message = Message::new("y.about");
    const SAMPLE: (&'static str, &'static str) = ("-size=9", "e3 f3 f4 g4 e2 e4 d3 d4 c3 c2 h5");
}

impl Placement for Y {
    const SIZE: u16 = 12;
    const SHAPE: Shape = Shape::Triangle;
    const FIRST: Colour = Colour::Black;

    fn aim(stones: &Stones) -> Message {
        message!("y.aim", may_swap = stones.may_swap())
    }

    #[inline]
    fn end(_: &Stones, stone: &Stone) -> Option<End> {
        SIDES.iter().all(|side| stone.rim & side != 0).then_some(End::Won(CHAIN))
    }

    fn winning_cells(stones: &Stones, last: Cell) -> Vec<Cell> {
        stones.junction(last, &SIDES, 3)
    }

    fn achievement(_: &Stones, _: Cell) -> Option<Message> {
        Some(message!("y.joined"))
    }
}
