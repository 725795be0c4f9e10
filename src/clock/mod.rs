//! Deadlines, vacations and reminders: arithmetic on times, all of which are given to it. Pure.
//!
//! A player's clock stands still on their weekend and on vacation; the rest of the time is *counted*. The [`Calendar`]
//! counts it, [`TimeControl`] says how much of it a board allows, and [`next`] says what follows from both. All times are
//! whole seconds.

mod calendar;
#[cfg(test)]
mod tests;
mod time_control;
mod weekend;
mod zone;

pub use calendar::{Calendar, Span, TOLERATED, vacation_in};
pub use time_control::{Due, Running, TimeControl, deadline, next, thought};
pub use weekend::Weekend;
pub use zone::Zone;
