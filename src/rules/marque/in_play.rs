//! A board under play: the position and what of its past the rules ask for.

use super::board::{BOARD, Board, Placement, bit, cells};
use super::formation::Formation;
use super::position::Position;
use super::{mark, moves, scene, side};
use crate::rules::scene::Scene;
use crate::rules::{Outcome, Play, Played, Refusal, RefusalKind, Seat};

/// What decides which moves are legal.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub position: Position,
    /// Whose turn, were the game not over.
    pub mover: Seat,
    /// Each seat's last move; empty before the first. A player passed over keeps his.
    pub last: [u128; 2],
    /// No ply yet, on an empty board.
    pub opening: bool,
}

impl State {
    fn allows(&self, board: &Board, placement: Placement) -> bool {
        let Placement { cells: set, .. } = placement;
        if self.opening {
            return set & board.triangles == set && set.count_ones() == 1;
        }
        set & self.position.occupied() == 0
            && set != self.last[self.mover.index()]
            && self.position.has_freedom(board, self.mover, placement)
    }

    fn legal(&self) -> impl Iterator<Item = u128> {
        let board = &*BOARD;
        board
            .placements
            .iter()
            .filter(move |placement| self.allows(board, **placement))
            .map(|placement| placement.cells)
    }
}

/// A Marque board under play.
#[derive(Clone, Debug)]
pub(super) struct InPlay {
    formation: Formation,
    state: State,
    outcome: Option<Outcome>,
    /// What the last ply filled.
    latest: u128,
    /// Every (stones, player really to move) so far, the start included.
    past: Vec<(Position, Seat)>,
}

impl InPlay {
    /// A board from this position, to be moved on by this seat.
    pub(super) fn new(formation: Formation, position: Position, mover: Seat) -> InPlay {
        let opening = position == Position::default();
        let state = State { position, mover, last: [0; 2], opening };
        let mut play = InPlay { formation, state, outcome: None, latest: 0, past: Vec::new() };
        play.settle(mover);
        play
    }

    /// Gives the turn to `next`, or to the other when he has no legal move; true when he was passed over.
    fn settle(&mut self, next: Seat) -> bool {
        self.state.mover = next;
        let stuck = self.state.legal().next().is_none();
        if stuck {
            self.state.mover = next.other();
            if self.state.legal().next().is_none() {
                self.outcome = Some(Outcome { winner: None, reason: "no moves" });
                return false;
            }
        }
        let here = (self.state.position, self.state.mover);
        self.past.push(here);
        if self.past.iter().filter(|before| **before == here).count() == 3 {
            self.outcome = Some(Outcome { winner: None, reason: "repetition" });
        }
        stuck
    }

    fn game_over(&self, outcome: Outcome, text: &str) -> Refusal {
        let how = match outcome.winner {
            Some(seat) => format!("{} has won", side(seat)),
            None => "it is drawn".to_owned(),
        };
        Refusal::new(RefusalKind::GameOver, text, format!("The game is over: {how}."))
    }
}

impl Play for InPlay {
    fn to_move(&self) -> Option<Seat> {
        self.outcome.is_none().then_some(self.state.mover)
    }

    fn legal_moves(&self) -> Vec<String> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        self.state.legal().map(|set| BOARD.text(set)).collect()
    }

    fn legal_count(&self) -> usize {
        if self.outcome.is_some() { 0 } else { self.state.legal().count() }
    }

    fn play(&mut self, text: &str) -> Result<Played, Refusal> {
        if let Some(outcome) = self.outcome {
            return Err(self.game_over(outcome, text));
        }
        let placement = moves::parse(text)?;
        moves::check(&self.state, placement)?;
        let board = &*BOARD;
        let Placement { cells: set, .. } = placement;
        let seat = self.state.mover;
        let captured = self.state.position.place(board, seat, placement);
        self.state.opening = false;
        self.state.last[seat.index()] = set;
        self.latest = set;
        // Only this chain has grown, and a win comes before a draw.
        let won = self.formation.is_made_by(self.state.position.held_through(board, seat, set));
        let passed_over = if won {
            self.outcome = Some(Outcome { winner: Some(seat), reason: "formation" });
            false
        } else {
            self.settle(seat.other())
        };
        let captured = cells(captured).map(|cell| board.sites[cell].name.clone()).collect();
        Ok(Played { seat, text: board.text(set), captured, passed_over })
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
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

    fn pieces(&self) -> Vec<(String, String)> {
        let piece = |cell: usize| {
            let seat = if self.state.position.of(Seat::First) & bit(cell) != 0 { Seat::First } else { Seat::Second };
            (BOARD.sites[cell].name.clone(), mark(seat).to_string())
        };
        cells(self.state.position.occupied()).map(piece).collect()
    }

    fn scene(&self) -> Scene {
        scene::scene(&self.state.position, self.latest)
    }

    fn boxed_clone(&self) -> Box<dyn Play> {
        Box::new(self.clone())
    }
}
