//! The two colours, which players can exchange.

use crate::message;
use crate::text::Message;

/// The colour of a stone. It belongs to a seat until the players exchange colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    /// The colour of the top and the bottom edge, which moves first.
    Black,
    /// The colour of the left and the right edge.
    White,
}

impl Colour {
    pub(super) const BOTH: [Colour; 2] = [Colour::Black, Colour::White];

    pub(super) const fn other(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }

    /// The letter that its stones are drawn with.
    pub(super) const fn mark(self) -> char {
        match self {
            Colour::Black => 'b',
            Colour::White => 'w',
        }
    }

    /// The name of the colour in a sentence.
    pub(super) fn side(self) -> Message {
        match self {
            Colour::Black => message!("brique.black"),
            Colour::White => message!("brique.white"),
        }
    }
}
