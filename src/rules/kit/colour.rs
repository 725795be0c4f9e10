//! The two colours, which players can exchange.

use crate::rules::seat::Side;

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
        self.side().mark
    }

    /// The side that plays the colour.
    pub const fn side(self) -> Side {
        match self {
            Colour::Black => Side::new('b', "rules.black"),
            Colour::White => Side::new('w', "rules.white"),
        }
    }
}
