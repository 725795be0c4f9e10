//! Havannah (Christian Freeling 1981): a bridge, a fork or a ring on a hexagon of hexagons.

use super::catalogue::{GameInfo, Kind};
use super::kit::{self, Cell, Colour, End, Grid, Placed, Placement, Shape, Stone, Stones};
use super::options::OptionSpec;
use super::outcome::EndReason;
use crate::message;
use crate::text::Message;

/// A position of Havannah.
pub type Position = Placed<Havannah>;

/// A chain touches two corners.
const BRIDGE: EndReason = EndReason::new("bridge");
/// A chain touches three sides.
const FORK: EndReason = EndReason::new("fork");
/// A chain encloses a cell.
const RING: EndReason = EndReason::new("ring");

/// The game Havannah.
#[derive(Clone, Copy, Debug)]
pub struct Havannah;

/// Finds a stone of this colour next to `by` whose six neighbours all have this colour too, and therefore form a ring
/// around it. `Stone::closes_loop` finds rings around any other cell.
fn surrounded(stones: &Stones, by: Cell, colour: Colour) -> Option<Cell> {
    let beside = stones.beside(by, colour);
    let middles = beside & Grid::flanked(beside);
    let mut in_middle = (0..6).filter(|direction| middles >> direction & 1 == 1);
    // The stone on `by` may not be on the board yet.
    let is_surrounded = |direction: &usize| {
        let middle = stones.grid().around(by)[*direction];
        stones.beside(middle, colour) | 1 << ((direction + 3) % 6) == Grid::AROUND
    };
    in_middle.find(is_surrounded).map(|direction| stones.grid().around(by)[direction])
}

/// Returns the reason why a chain that touches these sides and corners wins; `None` if it does not win.
fn joins(rim: u16) -> Option<EndReason> {
    match ((rim & !Grid::SIDES).count_ones(), (rim & Grid::SIDES).count_ones()) {
        (2.., _) => Some(BRIDGE),
        (_, 3..) => Some(FORK),
        _ => None,
    }
}

impl GameInfo for Havannah {
    type Position = Position;
    const NAME: &'static str = "havannah";
    const TITLE: &'static str = "Havannah";
    const DESIGNER: &'static str = "Christian Freeling, 1981";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] = &[kit::size_option(&[4, 5, 6, 7, 8, 9, 10], Message::new("havannah.sizes"))];
    const BUILT_IN: &'static str = "-size=8";
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("havannah.about");
    const SAMPLE: (&'static str, &'static str) = ("-size=5", "d4 e4 c3 e6 b3 f6 a3 g6 d5 d6 e3 e5");
}

impl Placement for Havannah {
    const SIZE: u16 = 8;
    const SHAPE: Shape = Shape::Hexagon;
    const FIRST: Colour = Colour::White;

    fn aim(stones: &Stones) -> Message {
        message!("havannah.aim", may_swap = stones.may_swap())
    }

    #[inline]
    fn end(stones: &Stones, stone: &Stone) -> Option<End> {
        let is_ring = || stone.closes_loop() || surrounded(stones, stone.cell, stone.colour).is_some();
        joins(stone.rim).or_else(|| is_ring().then_some(RING)).map(End::Won)
    }

    fn winning_cells(stones: &Stones, last: Cell) -> Vec<Cell> {
        let touched = stones.rim(last);
        let bits = |of: u16| (0..16).map(|bit| 1 << bit).filter(move |bit| touched & of & bit != 0);
        let (corners, sides): (Vec<u16>, Vec<u16>) = (bits(!Grid::SIDES).collect(), bits(Grid::SIDES).collect());
        if corners.len() >= 2 {
            return stones.junction(last, &corners, 2);
        }
        if sides.len() >= 3 {
            return stones.junction(last, &sides, 3);
        }
        match stones.at(last).and_then(|colour| surrounded(stones, last, colour)) {
            Some(middle) => {
                let mut ring: Vec<Cell> = stones.grid().neighbours(middle).collect();
                ring.sort();
                ring
            }
            None => stones.ring(last),
        }
    }

    fn achievement(stones: &Stones, last: Cell) -> Option<Message> {
        Some(match joins(stones.rim(last)) {
            Some(BRIDGE) => message!("havannah.bridge"),
            Some(FORK) => message!("havannah.fork"),
            _ => message!("havannah.ring"),
        })
    }
}
