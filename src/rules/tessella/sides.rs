//! The names and marks of the two sides.

use crate::message;
use crate::rules::seat::Seat;
use crate::text::Message;

/// The letter that a seat's pieces are drawn with.
pub(super) const fn mark(seat: Seat) -> char {
    match seat {
        Seat::First => 'c',
        Seat::Second => 'd',
    }
}

/// The name of a seat's side in a sentence.
pub(super) fn side(seat: Seat) -> Message {
    match seat {
        Seat::First => message!("tessella.clear"),
        Seat::Second => message!("tessella.dark"),
    }
}
