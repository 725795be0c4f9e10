//! The clocks of boards.

use chrono::{DateTime, TimeDelta, Utc};

use super::Result;
use crate::numbers::BoardNumber;

/// The clock of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardClock {
    /// Since when time has been counting that is not in `thought`.
    pub since: DateTime<Utc>,
    /// Time counted before that, on this ply. In whole seconds, as every duration of the store. Negative when time was given.
    pub thought: TimeDelta,
    /// How many reminders were sent on this ply.
    pub reminded: u32,
    /// When something is to be done about it next; `None`: never.
    pub due_at: Option<DateTime<Utc>>,
}

/// The clocks of boards.
pub trait Clocks {
    /// Replaces the clock of the player to move. Fails when the board is over or declined.
    fn set_clock(&mut self, number: BoardNumber, clock: Option<&BoardClock>) -> Result<()>;
    /// Lists boards whose clocks are due at `now`, the longest overdue first, at most `most`.
    fn due_boards(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<BoardNumber>>;
    /// Makes calls due that are due after `now`, and notices that are due after `soon`. What has a lifetime and began after
    /// `now`, sessions and attempts at letters, begins at `now`.
    fn restamp(&mut self, now: DateTime<Utc>, soon: DateTime<Utc>) -> Result<()>;
    /// When the next clock is due.
    fn next_clock(&self) -> Result<Option<DateTime<Utc>>>;
}
