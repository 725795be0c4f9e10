//! The two seats of a board, and the sides that they play.

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
    /// The letter that represents its pieces.
    pub mark: char,
    name: &'static str,
}

impl Side {
    /// Creates a side from its mark and the code of its name.
    pub const fn new(mark: char, name: &'static str) -> Side {
        Side { mark, name }
    }

    /// Returns its name for a sentence: `White`.
    pub fn name(self) -> Message {
        Message::new(self.name)
    }
}

impl From<Side> for Fact {
    fn from(side: Side) -> Fact {
        side.name().into()
    }
}
