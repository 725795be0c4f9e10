//! Hex (Piet Hein 1942, John Nash 1948): a chain across a rhombus of hexagons.

use super::catalogue::{GameInfo, Kind};
use super::kit::{self, Cell, Colour, End, Grid, Placed, Placement, Shape, Stone, Stones};
use super::options::OptionSpec;
use super::outcome::EndReason;
use super::scene::Border;
use crate::message;
use crate::text::Message;

/// A position of Hex.
pub type Position = Placed<Hex>;

/// A chain joins two opposite sides.
const CHAIN: EndReason = EndReason::new("chain");

/// The game Hex.
#[derive(Clone, Copy, Debug)]
pub struct Hex;

impl GameInfo for Hex {
    type Position = Position;
    const NAME: &'static str = "hex";
    const TITLE: &'static str = "Hex";
    const DESIGNER: &'static str = "Piet Hein, 1942; John Nash, 1948";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] =
        &[kit::size_option(&[5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19], Message::new("hex.sizes"))];
    const BUILT_IN: &'static str = "-size=11";
    const HAS_DRAWS: bool = false;
    const ABOUT: Message = Message::new("hex.about");
    const SAMPLE: (&'static str, &'static str) = ("-size=9", "c2 e5 f4 e4 f3 d6 c7 d7 c8 b9");
}

impl Placement for Hex {
    const SIZE: u16 = 11;
    const SHAPE: Shape = Shape::Rhombus;
    const FIRST: Colour = Colour::Black;

    fn aim(stones: &Stones) -> Message {
        message!("hex.aim", may_swap = stones.may_swap())
    }

    #[inline]
    fn end(_: &Stones, stone: &Stone) -> Option<End> {
        kit::sides(stone.colour).iter().all(|side| stone.rim & side != 0).then_some(End::Won(CHAIN))
    }

    fn winning_cells(stones: &Stones, last: Cell) -> Vec<Cell> {
        stones.at(last).map(|colour| stones.junction(last, &kit::sides(colour), 2)).unwrap_or_default()
    }

    fn achievement(stones: &Stones, last: Cell) -> Option<Message> {
        Some(match stones.at(last)? {
            Colour::Black => message!("rules.joined-top-and-bottom"),
            Colour::White => message!("rules.joined-left-and-right"),
        })
    }

    fn borders(grid: &Grid) -> Vec<Border> {
        kit::borders(grid)
    }
}
