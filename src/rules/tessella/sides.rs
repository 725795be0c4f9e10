//! What the two sides are called, and how they are drawn.

use crate::rules::seat::Seat;

/// The letter that a seat's pieces are drawn with.
pub(super) const fn mark(seat: Seat) -> char {
    match seat {
        Seat::First => 'c',
        Seat::Second => 'd',
    }
}

/// What a seat's pieces are called in a sentence.
pub(super) const fn side(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "Clear (c)",
        Seat::Second => "Dark (d)",
    }
}
