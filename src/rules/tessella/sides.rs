//! The names and marks of the two sides.

use crate::message;
use crate::rules::seat::Seat;
use crate::text::Message;

/// Returns the letter that represents a seat's pieces.
pub(crate) const fn mark(seat: Seat) -> char {
    match seat {
        Seat::First => 'c',
        Seat::Second => 'd',
    }
}

/// Returns the name of a seat's side for a sentence.
pub(crate) fn side(seat: Seat) -> Message {
    match seat {
        Seat::First => message!("tessella.clear"),
        Seat::Second => message!("tessella.dark"),
    }
}
