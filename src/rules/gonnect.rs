//! Gonnect (João Pedro Neto 2000): Go's captures, and a chain between two opposite sides of the board.

use super::catalogue::{GameInfo, Kind};
use super::kit::{self, Cell, CellSet, Colour, End, Grid, Placed, Placement, Shape, Stone, Stones};
use super::options::OptionSpec;
use super::outcome::EndReason;
use crate::message;
use crate::text::Message;

/// A position of Gonnect.
pub type Position = Placed<Gonnect>;

/// A chain joins two opposite sides.
const CHAIN: EndReason = EndReason::new("chain");
/// The pairs of opposite sides.
const PAIRS: [u16; 2] = [Grid::TOP | Grid::BOTTOM, Grid::LEFT | Grid::RIGHT];

/// The game Gonnect.
#[derive(Clone, Copy, Debug)]
pub struct Gonnect;

/// Returns whether the chain of `stone` has an adjacent empty cell other than `other_than`.
fn has_freedom(stones: &Stones, stone: Cell, other_than: Cell) -> bool {
    let is_free = |cell: Cell| cell != other_than && stones.at(cell).is_none();
    let touches = |cell: Cell| stones.grid().neighbours(cell).any(is_free);
    // Most stones have an adjacent empty cell themselves.
    touches(stone) || stones.chain_of(stone).any(touches)
}

/// Returns the enemy stones that the player to move captures by placing a stone on this cell.
fn captured(stones: &Stones, cell: Cell) -> CellSet {
    let enemy = stones.of(stones.turn().other());
    let beside = stones.grid().neighbours(cell).filter(|next| enemy.has(*next));
    let taken = beside.filter(|stone| !has_freedom(stones, *stone, cell));
    taken.flat_map(|stone| stones.chain_of(stone)).collect()
}

/// Returns whether a stone on this cell would have a freedom (an empty cell next to its chain), or capture something.
fn can_live(stones: &Stones, cell: Cell) -> bool {
    let own = stones.turn();
    stones.grid().neighbours(cell).any(|next| match stones.at(next) {
        None => true,
        Some(colour) => (colour == own) == has_freedom(stones, next, cell),
    })
}

/// Returns whether a stone on this cell would break the ko rule: it captures only the last stone, which has just
/// captured only a stone on this cell.
fn repeats(stones: &Stones, cell: Cell) -> bool {
    let Some(last) = stones.last() else { return false };
    let just_taken = stones.captured();
    just_taken.has(cell) && just_taken.count() == 1 && captured(stones, cell) == [last].into_iter().collect()
}

impl GameInfo for Gonnect {
    type Position = Position;
    const NAME: &'static str = "gonnect";
    const TITLE: &'static str = "Gonnect";
    const DESIGNER: &'static str = "João Pedro Neto, 2000";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] =
        &[kit::size_option(&[7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19], Message::new("gonnect.sizes"))];
    const BUILT_IN: &'static str = "-size=13";
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("gonnect.about");
    const SAMPLE: (&'static str, &'static str) = ("-size=9", "e5 e6 f6 d5 f5 e4 d4 c4 d3 f7 g7 f4 g4 c3 d2");
}

impl Placement for Gonnect {
    const SIZE: u16 = 13;
    const SHAPE: Shape = Shape::Square;
    const FIRST: Colour = Colour::Black;
    const FORBIDS: bool = true;
    const REPEATS: bool = true;
    const REMOVES: bool = true;

    fn aim(stones: &Stones) -> Message {
        message!("gonnect.aim", may_swap = stones.may_swap())
    }

    fn allows(stones: &Stones, cell: Cell) -> bool {
        can_live(stones, cell) && !repeats(stones, cell)
    }

    fn refusal(stones: &Stones, cell: Cell) -> Message {
        let name = stones.grid().name(cell);
        match can_live(stones, cell) {
            true => message!("gonnect.ko", cell = name),
            false => message!("gonnect.no-freedom", cell = name),
        }
    }

    fn captures(stones: &Stones, cell: Cell) -> CellSet {
        captured(stones, cell)
    }

    #[inline]
    fn end(_: &Stones, stone: &Stone) -> Option<End> {
        PAIRS.iter().any(|pair| stone.rim & pair == *pair).then_some(End::Won(CHAIN))
    }

    fn winning_cells(stones: &Stones, last: Cell) -> Vec<Cell> {
        let touched = stones.rim(last);
        let of_pair = |pair: &u16| {
            let sides: Vec<u16> = (0..4).map(|bit| 1 << bit).filter(|side| pair & side != 0).collect();
            stones.junction(last, &sides, 2)
        };
        let chains = PAIRS.iter().filter(|pair| touched & **pair == **pair).map(of_pair);
        chains.min_by_key(Vec::len).unwrap_or_default()
    }

    fn achievement(stones: &Stones, last: Cell) -> Option<Message> {
        let (touched, [upright, across]) = (stones.rim(last), PAIRS);
        match touched {
            _ if touched & upright == upright => Some(message!("rules.joined-top-and-bottom")),
            _ if touched & across == across => Some(message!("rules.joined-left-and-right")),
            _ => None,
        }
    }
}
