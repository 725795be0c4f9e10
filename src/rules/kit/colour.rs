//! The two colours, which players can exchange.

use crate::message;
use crate::text::Message;

/// The colour of a piece. It belongs to a seat until the players exchange colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Dark pieces, drawn as `b`.
    Black,
    /// Light pieces, drawn as `w`.
    White,
}

impl Colour {
    /// Both colours.
    pub const BOTH: [Colour; 2] = [Colour::Black, Colour::White];

    /// The opponent's colour.
    pub const fn other(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }

    /// 0 for Black, 1 for White.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of its pieces.
    pub const fn mark(self) -> char {
        match self {
            Colour::Black => 'b',
            Colour::White => 'w',
        }
    }

    /// The name of the colour in a sentence.
    pub fn side(self) -> Message {
        match self {
            Colour::Black => message!("rules.black"),
            Colour::White => message!("rules.white"),
        }
    }
}
