//! The names and marks of the two sides.

use crate::rules::seat::Seat;

/// The letter that a seat's pieces are drawn with.
pub(super) const fn mark(seat: Seat) -> char {
    match seat {
        Seat::First => 'c',
        Seat::Second => 'd',
    }
}

/// The name of a seat's side in a sentence.
pub(super) const fn side(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "Clear (c)",
        Seat::Second => "Dark (d)",
    }
}
