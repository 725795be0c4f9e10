//! Marque's positions: the stones, whose turn it is, and the little of the past that decides which moves are legal.

use super::board::{BOARD, Board, Placement, cells};
use super::formation::Formation;
use super::stones::Stones;
use super::{mark, moves, scene, side};
use crate::rules::scene::Scene;
use crate::rules::{Outcome, Refusal, Seat};

/// A move: the number of its placement in board order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(pub(super) u8);

impl Move {
    pub(super) fn placement(self) -> Placement {
        BOARD.placements[usize::from(self.0)]
    }
}

/// A position of Marque.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    formation: Formation,
    pub(super) stones: Stones,
    /// Whose turn, were the game not over.
    pub(super) mover: Seat,
    /// Each seat's last move; none before the first. A player passed over keeps his.
    pub(super) last: [Option<Move>; 2],
    /// No ply yet, on an empty board.
    pub(super) opening: bool,
    outcome: Option<Outcome>,
}

/// The empty board, with the formation of a challenge without options.
impl Default for Position {
    fn default() -> Self {
        Position::new(Formation::default(), Stones::default(), Seat::First)
    }
}

impl Position {
    /// These stones, to be moved on by this seat; with the first move's restriction only when there are none.
    pub fn new(formation: Formation, stones: Stones, mover: Seat) -> Position {
        let opening = stones == Stones::default();
        let mut position = Position { formation, stones, mover, last: [None; 2], opening, outcome: None };
        position.give_turn(mover);
        position
    }

    fn allows(&self, board: &Board, mv: Move, placement: Placement) -> bool {
        let Placement { cells: set, .. } = placement;
        if self.opening {
            return set & board.triangles == set && set.count_ones() == 1;
        }
        set & self.stones.occupied() == 0
            && self.last[self.mover.index()] != Some(mv)
            && self.stones.has_freedom(board, self.mover, placement)
    }

    /// Gives the turn to `next`, or to the other when he has no legal move.
    fn give_turn(&mut self, next: Seat) {
        use crate::rules::Position as _;
        self.mover = next;
        if self.legal().next().is_none() {
            self.mover = next.other();
            if self.legal().next().is_none() {
                self.outcome = Some(Outcome { winner: None, reason: "no moves" });
            }
        }
    }
}

impl crate::rules::Position for Position {
    type Move = Move;
    type Standing = (Stones, Seat);

    fn mover(&self) -> Seat {
        self.mover
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Move> {
        let board = &*BOARD;
        let numbered = board.placements.iter().zip(0..);
        numbered
            .map(|(placement, number)| (Move(number), *placement))
            .filter(|(mv, placement)| self.allows(board, *mv, *placement))
            .map(|(mv, _)| mv)
    }

    fn play_unchecked(&mut self, mv: Move) {
        let board = &*BOARD;
        let placement = mv.placement();
        let seat = self.mover;
        self.stones.place(board, seat, placement);
        self.opening = false;
        self.last[seat.index()] = Some(mv);
        // Only this chain has grown, and a win comes before a draw.
        if self.formation.is_made_by(self.stones.held_through(board, seat, placement.cells)) {
            self.mover = seat.other();
            self.outcome = Some(Outcome { winner: Some(seat), reason: "formation" });
        } else {
            self.give_turn(seat.other());
        }
    }

    fn standing(&self) -> Option<(Stones, Seat)> {
        Some((self.stones, self.mover))
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        moves::parse(text)
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        moves::check(self, mv)
    }

    fn text(&self, mv: Move) -> String {
        BOARD.text(mv.placement().cells)
    }

    fn captured(&self, before: &Self) -> Vec<String> {
        let enemy = before.mover.other();
        let gone = before.stones.of(enemy) & !self.stones.of(enemy);
        cells(gone).map(|cell| BOARD.sites[cell].name.clone()).collect()
    }

    fn mark(&self, seat: Seat) -> char {
        mark(seat)
    }

    fn side(&self, seat: Seat) -> &'static str {
        side(seat)
    }

    fn aim(&self) -> String {
        self.formation.aim()
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        scene::scene(&self.stones, last.map_or(0, |mv| mv.placement().cells))
    }
}
