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

use chrono::{DateTime, SecondsFormat, Utc};

pub use calendar::{Calendar, Night, Span, TOLERATED, Weekend, vacation_in};
pub use time_control::{Due, Fischer, Running, TimeControl, deadline, next, thinking_time};
pub use zone::Zone;

/// Formats a time as in RFC 3339, in UTC and whole seconds.
pub(crate) fn rfc3339(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}
