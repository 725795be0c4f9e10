//! Deadlines, vacations and reminders: arithmetic on times, all of which are given to it. Pure.
//!
//! A player's clock stands still on their weekend and on vacation; the rest of the time is *counted*. The [`Calendar`]
//! counts it, [`Limits`] say how much of it a board allows, and [`next`] says what follows from both. All times are
//! whole seconds.

mod calendar;
mod limits;
#[cfg(test)]
mod tests;
mod weekend;

pub use calendar::{Calendar, Span, vacation_in};
pub use limits::{Due, Limits, Running, deadline, next, thought};
pub use weekend::Weekend;
