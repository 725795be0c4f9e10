//! Deadlines, vacations and reminders. Pure arithmetic: the current time is always an argument.
//!
//! A player's clock is stopped on their weekends and vacations, and at night. The [`Calendar`] *counts* the remaining
//! time. [`TimeControl`] defines how much counted time a board allows, and [`next`] combines both. All times are whole
//! seconds.

mod calendar;
#[cfg(test)]
mod tests;
mod time_control;
mod zone;

pub use calendar::{Calendar, Night, Span, TOLERATED, Weekend, vacation_in};
pub use time_control::{Due, Fischer, Running, TimeControl, deadline, next, thinking_time};
pub use zone::Zone;
