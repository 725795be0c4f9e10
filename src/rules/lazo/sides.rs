//! The names and marks of the two sides.

use crate::message;
use crate::rules::seat::Seat;
use crate::text::Message;

/// Returns the letter that represents a seat's pieces.
pub(crate) const fn mark(seat: Seat) -> char {
    match seat {
        Seat::First => 'b',
        Seat::Second => 'w',
    }
}

/// Returns the name of a seat's side for a sentence.
pub(crate) fn side(seat: Seat) -> Message {
    match seat {
        Seat::First => message!("lazo.black"),
        Seat::Second => message!("lazo.white"),
    }
}
