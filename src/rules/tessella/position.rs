//! Tessella's positions: the pieces and the seat to move.

use super::spaces::{MoveGenerator, SPACES, bit, named, spaces};
use crate::rules::bits;
use crate::rules::outcome::{EndReason, Outcome};
use crate::rules::outcome::{Seat, Side};

/// The number of each side's pieces at the start.
pub(crate) const PIECES: usize = 7;
/// The number of captures that wins.
pub(crate) const WINNING: usize = 4;

/// A move of a piece from one space to another. It captures the enemy piece on the target, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    pub(crate) from: u8,
    pub(crate) to: u8,
    pub(crate) captures: bool,
}

/// The sides of the first and the second seat.
pub(crate) const SIDES: [Side; 2] = [Side::new('c', "tessella.clear"), Side::new('d', "tessella.dark")];

/// A position of Tessella.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(crate) pieces: [u64; 2],
    pub(crate) to_move: Seat,
    pub(crate) outcome: Option<Outcome>,
}

/// The starting position.
impl Default for Position {
    fn default() -> Self {
        let clear = ["b4", "c3", "d2", "e1", "f2", "g3", "h4"];
        let dark = ["b6", "c7", "d8", "e9", "f8", "g7", "h6"];
        Position::from_names(&clear, &dark, Seat::First).expect("these are spaces")
    }
}

impl Position {
    /// Sets up pieces by the names of each seat's spaces; `None` if a name is unknown, a space is named twice, or a
    /// side has more pieces than at the start. For tests of the rules: missing pieces are counted as captured, but do
    /// not end the game.
    pub fn from_names(first: &[&str], second: &[&str], to_move: Seat) -> Option<Position> {
        let mut pieces = [0; 2];
        for (seat, names) in Seat::BOTH.into_iter().zip([first, second]) {
            for name in names {
                let piece = bit(named(name)?);
                if (pieces[0] | pieces[1]) & piece != 0 {
                    return None;
                }
                pieces[seat.index()] |= piece;
            }
        }
        let mut position = Position { pieces, to_move, outcome: None };
        position.give_turn(to_move);
        pieces.iter().all(|set| set.count_ones() as usize <= PIECES).then_some(position)
    }

    pub(crate) const fn of(&self, seat: Seat) -> u64 {
        self.pieces[seat.index()]
    }

    pub(crate) const fn occupied(&self) -> u64 {
        self.pieces[0] | self.pieces[1]
    }

    /// Returns the seat whose piece is on a space.
    pub(crate) fn at(&self, space: usize) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|seat| self.of(*seat) & bit(space) != 0)
    }

    /// Returns the number of pieces that a seat has captured.
    pub(crate) fn captures(&self, seat: Seat) -> usize {
        PIECES - self.of(seat.other()).count_ones() as usize
    }

    pub(crate) const fn generator(&self) -> MoveGenerator {
        MoveGenerator::new(self.of(self.to_move), self.of(self.to_move.other()))
    }

    /// Iterates over the moves of one piece, steps first.
    pub(crate) fn of_piece(&self, from: usize, targets: u64) -> impl Iterator<Item = Move> {
        let occupied = self.occupied();
        let moves = move |set: u64, captures: bool| {
            spaces(set).map(move |to| Move { from: from as u8, to: to as u8, captures })
        };
        moves(targets & !occupied, false).chain(moves(targets & occupied, true))
    }

    /// Picks one of the legal captures at random, as [`pick`](crate::rules::Position::pick) does for all moves;
    /// `None` if there are none.
    pub fn pick_capture(&self, below: impl FnOnce(usize) -> usize) -> Option<Move> {
        let (mut of_pieces, generator) = ([(0, 0); PIECES], self.generator());
        for (piece, from) in of_pieces.iter_mut().zip(spaces(self.of(self.to_move))) {
            *piece = (from, generator.targets(from).set() & self.occupied());
        }
        let count: u32 = of_pieces.iter().map(|(_, captures)| captures.count_ones()).sum();
        let mut number = if count > 0 { below(count as usize) as u32 } else { return None };
        for (from, captures) in of_pieces {
            match number.checked_sub(captures.count_ones()) {
                None => return Some(Move { from: from as u8, to: bits::nth(captures, number) as u8, captures: true }),
                Some(rest) => number = rest,
            }
        }
        None
    }

    /// Passes the turn to `next`. The game is drawn if `next` has no legal move.
    pub(crate) fn give_turn(&mut self, next: Seat) {
        self.to_move = next;
        let empty = !self.occupied();
        // A piece can nearly always step, so look for captures only if none can.
        let can_step = spaces(self.of(next)).any(|from| SPACES[from].beside & empty != 0);
        if !can_step && self.legal_count() == 0 {
            self.outcome = Some(Outcome { winner: None, reason: EndReason::NO_MOVES });
        }
    }

    #[inline]
    pub(crate) fn legal_count(&self) -> usize {
        let generator = self.generator();
        spaces(self.of(self.to_move)).map(|from| generator.targets(from).count() as usize).sum()
    }
}
