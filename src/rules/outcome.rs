//! The two seats of a board, and the outcomes of games.

use crate::text::{Fact, Message};

/// A player's side of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Seat {
    /// The seat that moves first.
    First,
    /// The seat that moves second.
    Second,
}

impl Seat {
    /// Both seats, in order.
    pub const BOTH: [Seat; 2] = [Seat::First, Seat::Second];

    /// Returns the other seat.
    pub const fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }

    /// Returns 0 for the first seat, 1 for the second.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The side that a seat plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The letter that represents the side's pieces.
    pub mark: char,
    name: &'static str,
}

impl Side {
    /// Creates a side from its mark and the code of its name.
    pub const fn new(mark: char, name: &'static str) -> Side {
        Side { mark, name }
    }

    /// Returns the name of the side for a sentence: `White`.
    pub fn name(self) -> Message {
        Message::new(self.name)
    }
}

impl From<Side> for Fact {
    fn from(side: Side) -> Fact {
        side.name().into()
    }
}

/// The outcome of a game that its rules ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winning seat, or `None` for a draw.
    pub winner: Option<Seat>,
    /// The rule that ended the game.
    pub reason: EndReason,
}

/// The rule that ended a game, as a code of lower-case words such as `no moves`. The record, the API and the
/// templates use this code. Each game defines its own codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndReason(&'static str);

impl EndReason {
    /// A position occurred for the third time.
    pub const REPETITION: EndReason = EndReason::new("repetition");
    /// One or both players cannot move. The rules of the game decide the outcome.
    pub const NO_MOVES: EndReason = EndReason::new("no moves");
    /// No cell is empty.
    pub const BOARD_FULL: EndReason = EndReason::new("board full");

    /// Creates a reason from its code.
    pub const fn new(code: &'static str) -> EndReason {
        EndReason(code)
    }

    /// Returns the code.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}
