//! The two sides of each board, and the clock of the player to move.

use chrono::{DateTime, TimeDelta, Utc};

use super::sql::{Cells, Db, FromCells, all, from_fields, one, params, run, run_later, run_one};
use super::{PlayerId, Result, Seat, Transaction};
use crate::numbers::{BoardNumber, EntryNumber};

/// The state of a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatState {
    /// The thinking time for earlier plies.
    pub used: TimeDelta,
    /// The thinking time that a Fischer clock has added.
    pub credit: TimeDelta,
    /// The conditional replies, in canonical form.
    pub plan: Option<String>,
    /// A move awaiting confirmation.
    pub submitted: Option<SubmittedMove>,
}

impl SeatState {
    /// Returns the used thinking time minus the credit.
    pub fn spent(&self) -> TimeDelta {
        self.used - self.credit
    }
}

/// A submitted move that its player has not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmittedMove {
    /// The canonical move text.
    pub text: String,
    /// The last entry of the record before the submission.
    pub after: EntryNumber,
}

from_fields!(SeatState { used, credit, plan, submitted });
from_fields!(Option<SubmittedMove { text, after }>);

/// Adds the seats of a new board.
pub(crate) fn add(db: Db<'_>, board: BoardNumber, players: [PlayerId; 2]) -> Result<()> {
    for (seat, player) in Seat::BOTH.into_iter().zip(players) {
        let sql = "INSERT INTO seats (board, seat, player) VALUES (?1, ?2, ?3)";
        run(db, sql, params![board, seat, player])?;
    }
    Ok(())
}

/// Clears the plans and submitted moves of a board that has ended or was declined. The used time remains.
pub(crate) fn close(db: Db<'_>, board: BoardNumber) -> Result<()> {
    let sql = "UPDATE seats SET plan = NULL, submitted = NULL, submitted_after = NULL, resigns = false, \
         active = false, ended = (SELECT ended_at IS NOT NULL FROM boards WHERE number = ?1) WHERE board = ?1";
    run(db, sql, params![board]).map(drop)
}

/// Marks the seats of a reopened board as active.
pub(crate) fn reopen(db: Db<'_>, board: BoardNumber) -> Result<()> {
    run(db, "UPDATE seats SET active = true, ended = false WHERE board = ?1", params![board]).map(drop)
}

/// The seats of boards.
impl Transaction<'_> {
    /// Replaces the state of a seat.
    pub fn set_seat(&mut self, number: BoardNumber, seat: Seat, state: &SeatState) -> Result<()> {
        let sql = "UPDATE seats SET used = ?3, plan = ?4, submitted = ?5, submitted_after = ?6, credit = ?7, resigns = false \
             WHERE board = ?1 AND seat = ?2";
        let (submitted, after) = state.submitted.as_ref().map(|submitted| (&submitted.text, submitted.after)).unzip();
        let params = params![number, seat, state.used, state.plan, submitted, after, state.credit];
        let db = self.writable_board()?;
        if self.known().in_progress.borrow().contains(&number) {
            return run_later(db, sql, params);
        }
        run_one(db, sql, params, &format!("there is no board {number}"))
    }

    /// Sets [`Board::began_as`](super::Board::began_as) of an imported board.
    pub fn set_began_as(&mut self, number: BoardNumber, began_as: &[Option<String>; 2]) -> Result<()> {
        let sql = "UPDATE seats SET began_as = ?3 WHERE board = ?1 AND seat = ?2";
        let db = self.writable()?;
        for (seat, userid) in Seat::BOTH.into_iter().zip(began_as) {
            let userid = userid.as_deref().unwrap_or_default();
            run_one(db, sql, params![number, seat, userid], &format!("there is no board {number}"))?;
        }
        Ok(())
    }
}

/// The clock of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardClock {
    /// The time at which the clock last started. `thinking_time` does not include the time since then.
    pub since: DateTime<Utc>,
    /// The thinking time on this ply before `since`, in whole seconds like every stored duration. Extra time that the
    /// administrator granted is subtracted, so the value can be negative.
    pub thinking_time: TimeDelta,
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

impl FromCells for Option<BoardClock> {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        let (since, thinking_time): (Option<_>, _) = cells.take()?;
        let (reminded, due_at) = cells.take()?;
        Ok(since.map(|since| BoardClock { since, thinking_time, reminded, due_at }))
    }
}

/// The clocks of boards.
impl Transaction<'_> {
    /// Replaces the clock of the player to move. Fails if the board has ended.
    pub fn set_clock(&mut self, number: BoardNumber, clock: Option<&BoardClock>) -> Result<()> {
        let sql = "UPDATE boards SET clock_since = ?2, clock_thought = ?3, clock_given = ?4, clock_reminded = ?5, \
             clock_due_at = ?6 WHERE number = ?1";
        let since = clock.map(|clock| clock.since);
        let (thinking_time, reminded) = clock.map(|clock| (clock.thinking_time, clock.reminded)).unwrap_or_default();
        let [thinking_time, given] = [thinking_time, -thinking_time].map(|time| time.max(TimeDelta::zero()));
        let due_at = clock.and_then(|clock| clock.due_at);
        let (db, params) = (self.writable_board()?, params![number, since, thinking_time, given, reminded, due_at]);
        if self.known().in_progress.borrow().contains(&number) {
            return run_later(db, sql, params);
        }
        run_one(db, sql, params, &format!("there is no board {number}"))
    }

    /// Lists at most `most` boards whose clocks are due at `now`, longest overdue first.
    pub fn due_boards(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<BoardNumber>> {
        all(self.db(), DUE, params![now, most])
    }

    /// Adjusts times after the system clock was set back. Webhook calls due after `now`, and notices due after `soon`,
    /// become due at `now`. Other times after `now`, such as the beginning of a session, are replaced by `now`.
    pub fn restamp(&mut self, now: DateTime<Utc>, soon: DateTime<Utc>) -> Result<()> {
        let db = self.writable()?;
        for sql in LATER_STAMPS {
            run(db, sql, params![now])?;
        }
        run(db, LATER_NOTICES, params![now, soon]).map(drop)
    }

    /// Returns the time at which the next clock is due.
    pub fn next_clock(&self) -> Result<Option<DateTime<Utc>>> {
        one(self.db(), NEXT, &[])
    }
}
