//! The two colours, which players can exchange.

use crate::message;
use crate::text::Message;

/// The colour of a stone. It belongs to a seat until the players exchange colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Owns the top and bottom edges, and moves first.
    Black,
    /// Owns the left and right edges.
    White,
}

impl Colour {
    pub(crate) const BOTH: [Colour; 2] = [Colour::Black, Colour::White];

    pub(crate) const fn other(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }

    /// Returns the letter that represents its stones.
    pub(crate) const fn mark(self) -> char {
        match self {
            Colour::Black => 'b',
            Colour::White => 'w',
        }
    }

    /// Returns the colour's name for a sentence.
    pub(crate) fn side(self) -> Message {
        match self {
            Colour::Black => message!("brique.black"),
            Colour::White => message!("brique.white"),
        }
    }
}
