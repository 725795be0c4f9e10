//! Lazo's positions: the tiles, the seat to move, and the outcome.

use super::pyramid::{PYRAMIDS, Pyramid, Stack, Stacks};
use super::tiles::LegalStacks;
use super::tiles::{Loop, Tiles};
use crate::rules::outcome::{EndReason, Outcome};
use crate::rules::outcome::{Seat, Side};

/// A loop of tiles around a space of level 1.
pub const SURFACE_LOOP: EndReason = EndReason::new("surface loop");
/// A loop of tiles over two or more of the opponent's tiles.
pub const ARCH: EndReason = EndReason::new("arch");
const PYRAMID_FULL: EndReason = EndReason::new("pyramid full");
/// Both players have played all their tiles.
const TILES_PLAYED: EndReason = EndReason::new("tiles played");

/// The sides of the first and the second seat.
pub(crate) const SIDES: [Side; 2] = [Side::new('b', "rules.black"), Side::new('w', "rules.white")];

/// A position of Lazo. It has about two kilobytes, and a copy allocates no memory.
#[derive(Clone, Debug)]
pub struct Position {
    pub(crate) tiles: Tiles,
    pub(crate) plies: u16,
    pub(crate) outcome: Option<Outcome>,
}

/// The largest board, without tiles.
impl Default for Position {
    fn default() -> Self {
        Position::new(&PYRAMIDS[0])
    }
}

impl Position {
    pub(crate) fn new(pyramid: &'static Pyramid) -> Position {
        Position { tiles: Tiles::none(pyramid), plies: 0, outcome: None }
    }

    pub(crate) fn pyramid(&self) -> &'static Pyramid {
        self.tiles.pyramid()
    }

    pub(crate) fn tiles(&self) -> &Tiles {
        &self.tiles
    }

    /// Returns the stacks on which the player to move may place a tile.
    pub(crate) fn open(&self) -> &LegalStacks {
        self.tiles.legal(self.seat())
    }

    pub(crate) fn seat(&self) -> Seat {
        if self.plies.is_multiple_of(2) { Seat::First } else { Seat::Second }
    }

    /// Returns the outcome, if any, after a ply of this seat. `completed` is the loop that the ply completed.
    pub(crate) fn end(&self, seat: Seat, completed: Option<Loop>) -> Option<Outcome> {
        let (winner, reason) = match completed {
            Some(Loop::Surface) => (Some(seat), SURFACE_LOOP),
            Some(Loop::Arch) => (Some(seat), ARCH),
            None if self.plies == self.pyramid().spaces => (None, PYRAMID_FULL),
            None if self.plies == self.pyramid().tiles => (None, TILES_PLAYED),
            None if self.open().count() == 0 => (Some(seat), EndReason::NO_MOVES),
            None => return None,
        };
        Some(Outcome { winner, reason })
    }
}

/// Iterates over the stacks of a set in board order.
pub(crate) fn stacks(set: Stacks) -> impl Iterator<Item = Stack> {
    (0..).zip(set).flat_map(|(word, mut bits)| {
        std::iter::from_fn(move || {
            let bit = (bits != 0).then(|| bits.trailing_zeros() as u8)?;
            bits &= bits - 1;
            Some(Stack(64 * word + bit))
        })
    })
}
