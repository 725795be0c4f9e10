//! The tree of a search.

use crate::rules::Seat;

/// What is proved of a node, for the player who moved into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Nothing yet.
    Open,
    Won,
    Lost,
    Drawn,
}

impl Proof {
    /// The proof that a game's end is, for this seat.
    pub(super) fn of(winner: Option<Seat>, seat: Seat) -> Proof {
        match winner {
            None => Proof::Drawn,
            Some(winner) if winner == seat => Proof::Won,
            Some(_) => Proof::Lost,
        }
    }
}

/// A position that was reached by a move.
#[derive(Clone, Debug)]
pub(super) struct Node<M> {
    pub(super) mv: M,
    /// The move's number, by which playouts remember it.
    pub(super) number: usize,
    /// Who made it.
    pub(super) by: Seat,
    pub(super) visits: f32,
    /// The sum of the results for whoever made it: 1 a win, 0.5 a draw.
    pub(super) won: f32,
    /// The same of games in which the move was made later.
    pub(super) later_visits: f32,
    pub(super) later_won: f32,
    pub(super) proof: Proof,
    /// Its children in the tree, once it has been expanded.
    pub(super) children: Option<(usize, usize)>,
}

/// How many visits the later results of a move count as much as.
const LATER: f32 = 400.0;
/// How strongly what was tried little is preferred.
const EXPLORATION: f32 = 0.25;

impl<M> Node<M> {
    pub(super) fn new(mv: M, number: usize, by: Seat, proof: Proof) -> Node<M> {
        Node { mv, number, by, visits: 0.0, won: 0.0, later_visits: 0.0, later_won: 0.0, proof, children: None }
    }

    /// How much a visit is worth: the mean result, mixed with that of later moves as long as there are few visits, and
    /// more for what was tried little (`log_parent`: the logarithm of the visits of the node above).
    pub(super) fn worth(&self, log_parent: f32) -> f32 {
        let mean = if self.visits > 0.0 { self.won / self.visits } else { 0.5 };
        let later = if self.later_visits > 0.0 { self.later_won / self.later_visits } else { 0.5 };
        let trust = (LATER / (3.0 * self.visits + LATER)).sqrt();
        (1.0 - trust) * mean + trust * later + EXPLORATION * (log_parent / (self.visits + 1.0)).sqrt()
    }

    /// The chance of whoever made the move, as far as it is known.
    pub(super) fn chance(&self) -> f32 {
        match self.proof {
            Proof::Won => 1.0,
            Proof::Lost => 0.0,
            Proof::Drawn => 0.5,
            Proof::Open if self.visits > 0.0 => self.won / self.visits,
            Proof::Open => 0.5,
        }
    }
}
