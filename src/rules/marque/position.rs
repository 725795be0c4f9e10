//! Marque's positions: the stones, whose turn it is, and the little of the past that decides which moves are legal.

use super::formation::Formation;
use super::rings::{self, Rings};
use super::stones::Stones;
use super::tiling::{Placement, TILING, Tiling, bit, cells, in_bases};
use crate::rules::bits;
use crate::rules::outcome::{EndReason, Outcome};
use crate::rules::seat::Seat;

/// A move: the number of its placement in board order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(pub(super) u8);

impl Move {
    pub(super) fn placement(self) -> Placement {
        TILING.placements[usize::from(self.0)]
    }
}

/// A position of Marque.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(super) formation: Formation,
    pub(super) stones: Stones,
    /// The seat to move, or that would move if the game were not over.
    pub(super) mover: Seat,
    /// Each seat's last move; none before the first. A player who is passed over keeps theirs.
    pub(super) last: [Option<Move>; 2],
    /// Whether this is the empty board before the first ply.
    pub(super) opening: bool,
    pub(super) outcome: Option<Outcome>,
}

/// The empty board, with the formation of a challenge without options.
impl Default for Position {
    fn default() -> Self {
        Position::new(Formation::default(), Stones::default(), Seat::First)
    }
}

impl Position {
    /// Makes a position with these stones and this seat to move. The first move's restriction holds only without
    /// stones.
    pub fn new(formation: Formation, stones: Stones, mover: Seat) -> Position {
        let opening = stones == Stones::default();
        let mut position = Position { formation, stones, mover, last: [None; 2], opening, outcome: None };
        position.give_turn(mover);
        position
    }

    /// Whether a move is a single cell that the mover's own stones surround.
    pub fn is_surrounded(&self, mv: Move) -> bool {
        let Placement { cells, around } = mv.placement();
        cells.is_power_of_two() && around & !self.stones.of(self.mover) == 0
    }

    /// Every move that fits on empty cells and does not repeat the player's last one. Nearly all of them are legal.
    #[inline]
    pub(super) fn candidates(&self, tiling: &Tiling) -> Moves {
        if self.opening {
            return Moves { singles: tiling.triangles, pairs: 0 };
        }
        let empty = self.stones.empty(tiling);
        let mut moves = Moves { singles: empty, pairs: rings::pairs(in_bases(empty)) };
        if let Some(last) = self.last[self.mover.index()] {
            moves.remove(last.placement().cells);
        }
        moves
    }

    /// Every legal move.
    pub(super) fn moves(&self) -> Moves {
        let tiling = &*TILING;
        let mut moves = self.candidates(tiling);
        if self.opening {
            return moves;
        }
        let lenders = self.stones.lenders(tiling, self.mover);
        for cell in cells(moves.singles).filter(|cell| tiling.adjacent[*cell] & lenders == 0) {
            moves.singles &= !bit(cell);
        }
        // A pair with an empty triangle beside it in its base has a freedom.
        let empty = in_bases(self.stones.empty(tiling));
        let mut doubtful = moves.pairs & !(rings::on(empty) | rings::back(rings::back(empty)));
        while doubtful != 0 {
            let pair = doubtful & doubtful.wrapping_neg();
            let placement = tiling.placements[usize::from(tiling.pairs[pair.trailing_zeros() as usize])];
            if !self.stones.has_freedom(tiling, self.mover, placement) {
                moves.pairs &= !pair;
            }
            doubtful &= !pair;
        }
        moves
    }

    /// Gives the turn to `next`, or to the other seat when `next` has no legal move.
    pub(super) fn give_turn(&mut self, next: Seat) {
        self.mover = next;
        if !self.has_move() {
            self.mover = next.other();
            if !self.has_move() {
                self.outcome = Some(Outcome { winner: None, reason: EndReason::NO_MOVES });
            }
        }
    }

    fn has_move(&self) -> bool {
        let tiling = &*TILING;
        let moves = self.candidates(tiling);
        let lenders = self.stones.lenders(tiling, self.mover);
        // Nearly always the first cell will do.
        cells(moves.singles).any(|cell| tiling.adjacent[cell] & lenders != 0) || self.moves().count() > 0
    }
}

/// A set of moves: single cells, and pairs by the first triangle in their ring.
#[derive(Clone, Copy)]
pub(super) struct Moves {
    singles: u128,
    pairs: Rings,
}

impl Moves {
    pub(super) fn remove(&mut self, set: u128) {
        if set.count_ones() == 1 {
            self.singles &= !set;
        } else {
            self.pairs &= !rings::pairs(in_bases(set));
        }
    }

    pub(super) const fn has(&self, set: u128) -> bool {
        (set & (set - 1) == 0 && self.singles & set != 0) || (self.pairs & rings::pairs(in_bases(set)) != 0)
    }

    pub(super) const fn count(&self) -> usize {
        (self.singles.count_ones() + self.pairs.count_ones()) as usize
    }

    /// The move of this number: single cells before pairs.
    #[inline]
    pub(super) fn nth(&self, tiling: &Tiling, number: usize) -> Option<Move> {
        let (number, singles) = (number as u32, self.singles.count_ones());
        match number.checked_sub(singles) {
            None => Some(Move(tiling.singles[bits::nth_of_two(self.singles, number) as usize])),
            Some(number) if number < self.pairs.count_ones() => {
                Some(Move(tiling.pairs[bits::nth(self.pairs, number) as usize]))
            }
            Some(_) => None,
        }
    }
}
