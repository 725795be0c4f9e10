//! The clocks of boards.

use chrono::{DateTime, TimeDelta, Utc};

use super::sql::{Cells, Seconds, Time, all, one, params, run, run_later, run_one};
use super::{Result, Transaction};
use crate::numbers::BoardNumber;

/// The clock of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardClock {
    /// The time since which thinking time is not yet included in `thought`.
    pub since: DateTime<Utc>,
    /// The thinking time before `since` on this ply, in whole seconds like every duration in the store. Negative if the
    /// administrator granted extra time.
    pub thought: TimeDelta,
    /// The number of reminders for this ply.
    pub reminded: u32,
    /// The time of the next reminder or forfeit; `None` if there is none.
    pub due_at: Option<DateTime<Utc>>,
}

pub(crate) const DUE: &str =
    "SELECT number FROM boards WHERE clock_due_at <= ?1 ORDER BY clock_due_at, number LIMIT ?2";
pub(crate) const NEXT: &str = "SELECT clock_due_at FROM boards WHERE clock_due_at IS NOT NULL \
     ORDER BY clock_due_at LIMIT 1";
const LATER_STAMPS: [&str; 7] = [
    "UPDATE sessions SET begun_at = ?1 WHERE begun_at > ?1",
    "UPDATE browsers SET used_at = ?1 WHERE used_at > ?1",
    "UPDATE outbox SET bound_at = ?1 WHERE bound_at > ?1 AND sent_at IS NULL",
    "UPDATE webhook_calls SET due_at = ?1 WHERE due_at > ?1",
    "UPDATE standstills SET began_at = ?1 WHERE began_at > ?1",
    "UPDATE standstills SET ended_at = ?1 WHERE ended_at > ?1",
    "UPDATE server SET clocks_seen_at = ?1 WHERE clocks_seen_at > ?1",
];
const LATER_NOTICES: &str = "UPDATE outbox SET due_at = ?1 WHERE due_at > ?2";

/// Reads the four columns of a clock.
pub(crate) fn clock(cells: &mut Cells<'_>) -> Result<Option<BoardClock>> {
    let since = cells.time_if_any()?;
    let (Seconds(thought), reminded, due_at) = (cells.take()?, cells.take()?, cells.time_if_any()?);
    Ok(since.map(|since| BoardClock { since, thought, reminded, due_at }))
}

/// The clocks of boards.
impl Transaction<'_> {
    /// Replaces the clock of the player to move. Fails if the board has ended.
    pub fn set_clock(&mut self, number: BoardNumber, clock: Option<&BoardClock>) -> Result<()> {
        let sql = "UPDATE boards SET clock_since = ?2, clock_thought = ?3, clock_given = ?4, clock_reminded = ?5, \
             clock_due_at = ?6 WHERE number = ?1";
        let since = clock.map(|clock| Time(clock.since));
        let (thought, reminded) = clock.map(|clock| (clock.thought, clock.reminded)).unwrap_or_default();
        let [thought, given] = [thought, -thought].map(|time| Seconds(time.max(TimeDelta::zero())));
        let due_at = clock.and_then(|clock| clock.due_at).map(Time);
        let (db, params) = (self.writable_board()?, params![number, since, thought, given, reminded, due_at]);
        if self.known().in_progress.borrow().contains(&number) {
            return run_later(db, sql, params);
        }
        run_one(db, sql, params, &format!("there is no board {number}"))
    }

    /// Lists at most `most` boards whose clocks are due at `now`, longest overdue first.
    pub fn due_boards(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<BoardNumber>> {
        all(self.db(), DUE, params![Time(now), most], |row| row.get(0))
    }

    /// Adjusts times after the system clock was set back: webhook calls that are due after `now` become due, as do
    /// notices that are due after `soon`. Sessions and delivery attempts that began after `now` begin at `now`.
    pub fn restamp(&mut self, now: DateTime<Utc>, soon: DateTime<Utc>) -> Result<()> {
        let db = self.writable()?;
        for sql in LATER_STAMPS {
            run(db, sql, params![Time(now)])?;
        }
        run(db, LATER_NOTICES, params![Time(now), Time(soon)]).map(drop)
    }

    /// Returns the time at which the next clock is due.
    pub fn next_clock(&self) -> Result<Option<DateTime<Utc>>> {
        one(self.db(), NEXT, &[], |row| Ok(row.get::<Time>(0)?.0))
    }
}
