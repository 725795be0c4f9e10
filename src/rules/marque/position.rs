//! Marque's positions: the stones, the seat to move, and the part of the history that affects which moves are legal.

use super::formation::Formation;
use super::rings::{self, Rings};
use super::stones::Stones;
use super::tiling::{PAIRS, PLACES, Placement, TILING, Tiling, cells, in_bases};
use crate::rules::bits;
use crate::rules::outcome::{EndReason, Outcome};
use crate::rules::seat::{Seat, Side};

/// A move: the number of its placement in board order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(pub(crate) u8);

impl Move {
    #[inline]
    pub(crate) fn placement(self) -> &'static Placement {
        &TILING.placements[usize::from(self.0)]
    }
}

/// The sides of the first and the second seat.
pub(crate) const SIDES: [Side; 2] = [Side::new('o', "marque.white"), Side::new('x', "marque.black")];

/// A position of Marque.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(crate) formation: Formation,
    pub(crate) stones: Stones,
    /// The seat to move, or that would move if the game had not ended.
    pub(crate) mover: Seat,
    /// Each seat's last move, `None` before the first. It is unchanged when the player is passed over.
    pub(crate) last: [Option<Move>; 2],
    /// Whether this is the empty board before the first ply.
    pub(crate) opening: bool,
    pub(crate) outcome: Option<Outcome>,
}

/// The empty board, with the formation of a challenge without options.
impl Default for Position {
    fn default() -> Self {
        Position::new(Formation::default(), Stones::default(), Seat::First)
    }
}

impl Position {
    /// Creates a position with these stones and this seat to move. The restriction of the first move applies only
    /// without stones.
    pub fn new(formation: Formation, stones: Stones, mover: Seat) -> Position {
        let opening = stones == Stones::default();
        let mut position = Position { formation, stones, mover, last: [None; 2], opening, outcome: None };
        position.give_turn(mover);
        position
    }

    /// Returns whether a move fills a single cell that the mover's own stones surround.
    pub fn is_surrounded(&self, mv: Move) -> bool {
        let Placement { around, place, .. } = mv.placement();
        usize::from(*place) < PAIRS && around & !self.stones.of(self.mover) == 0
    }

    /// Returns every move that fits on empty cells and does not repeat the player's last one. Nearly all of them are
    /// legal.
    #[inline]
    pub(crate) fn candidates(&self, tiling: &Tiling) -> Moves {
        if self.opening {
            return Moves::new(tiling.triangles, 0);
        }
        let empty = self.stones.empty(tiling);
        let mut moves = Moves::new(empty, rings::pairs(in_bases(empty)));
        if let Some(last) = self.last[self.mover.index()] {
            moves.remove(tiling.placements[usize::from(last.0)].place.into());
        }
        moves
    }

    /// Returns every legal move.
    pub(crate) fn moves(&self) -> Moves {
        let tiling = &*TILING;
        let mut moves = self.candidates(tiling);
        if self.opening {
            return moves;
        }
        let lenders = self.stones.lenders(tiling, self.mover);
        for cell in cells(moves.singles()).filter(|cell| tiling.adjacent[*cell] & lenders == 0) {
            moves.remove(cell);
        }
        // A pair with an empty triangle next to it in its base has a freedom.
        let empty = in_bases(self.stones.empty(tiling));
        let doubtful = moves.pairs() & !(rings::on(empty) | rings::back(rings::back(empty)));
        for place in cells(doubtful.into()).map(|pair| PAIRS + pair) {
            let placement = &tiling.placements[usize::from(tiling.numbers[place])];
            if !self.stones.has_freedom(tiling, self.mover, placement) {
                moves.remove(place);
            }
        }
        moves
    }

    /// Passes the turn to `next`, or to the other seat if `next` has no legal move.
    pub(crate) fn give_turn(&mut self, next: Seat) {
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
        let lenders = self.stones.lenders(tiling, self.mover);
        let last = self.last[self.mover.index()];
        let can_place = |cell: usize| tiling.adjacent[cell] & lenders != 0 && last != Some(Move(tiling.numbers[cell]));
        // The first cell nearly always suffices. (If a move may fill only triangles, it can fill these.)
        cells(self.stones.empty(tiling)).any(can_place) || self.moves().count() > 0
    }
}

/// A set of moves, indexed by the places of their placements: single cells first, then pairs.
#[derive(Clone, Copy)]
pub(crate) struct Moves([u64; PLACES / 64]);

impl Moves {
    const fn new(singles: u128, pairs: Rings) -> Moves {
        Moves([singles as u64, (singles >> 64) as u64, pairs])
    }

    const fn singles(&self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    const fn pairs(&self) -> Rings {
        self.0[2]
    }

    #[inline]
    pub(crate) fn remove(&mut self, place: usize) {
        // Indexing would pass the words through memory, and the code that counts them next would wait for the write.
        for (at, word) in self.0.iter_mut().enumerate() {
            *word &= !(u64::from(at == place / 64) << (place % 64));
        }
    }

    pub(crate) const fn has(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones()).sum::<u32>() as usize
    }

    /// Returns the place of the nth move.
    ///
    /// The set must have more than `number` moves.
    #[inline]
    pub(crate) fn nth(&self, number: usize) -> usize {
        bits::nth_of_words(&self.0, number as u32) as usize
    }
}
