//! Standstills: periods in which all clocks are stopped, because the administrator holds all letters, has paused the
//! clocks or maintains the server, or because no process was running.
//!
//! A current standstill is part of every player's calendar. At its end, every clock is settled and restarted. After a
//! long one, the player to move has at least the time before a first reminder.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::{self, Span};
use crate::service::board::clocks;
use crate::service::comment;
use crate::service::context::Service;
use crate::store::{self, Board, Stop, StopCause, Transaction};

/// The interval at which a process records that it watches the clocks.
pub const SEEN: TimeDelta = TimeDelta::hours(1);
/// The maximum time between two checks that is not an outage. A process that runs once a day may be late.
const OUTAGE: TimeDelta = TimeDelta::hours(25);
/// The minimum length of a standstill that extends deadlines. A shorter hold does not affect the clocks.
const LONG: TimeDelta = TimeDelta::days(1);

impl Service<'_> {
    /// Records that a process watches the clocks now. Returns the outage that this ends, if any.
    ///
    /// # Errors
    /// If the store fails.
    pub fn see_clocks(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<Option<Span>> {
        let last = tx.clocks_seen_at()?;
        if last.is_some_and(|last| now <= last) {
            return Ok(None);
        }
        tx.set_clocks_seen_at(now)?;
        // Checks within an hour of the last recorded one are not recorded.
        let Some(from) = last.filter(|last| now - *last > OUTAGE).map(|last| last + SEEN) else { return Ok(None) };
        let outage = Span { from, until: now };
        tx.add_standstill(&Stop { from, until: Some(now), cause: StopCause::Off, reason: String::new() })?;
        restart_clocks(tx, Some(outage), now)?;
        Ok(Some(outage))
    }

    /// Stops all clocks until [`Service::end_standstill`]. Returns the start of the standstill with this cause.
    ///
    /// # Errors
    /// If the store fails.
    pub fn begin_standstill(
        &self,
        tx: &mut Transaction<'_>,
        cause: StopCause,
        reason: &str,
        now: DateTime<Utc>,
    ) -> store::Result<DateTime<Utc>> {
        if let Some(lasts) = tx.lasting(cause)? {
            return Ok(lasts.from);
        }
        let reason = comment::clean(reason).replace('\n', " ");
        tx.add_standstill(&Stop { from: now, until: None, cause, reason })?;
        Ok(now)
    }

    /// Ends a standstill. Returns its start, or `None` if there is none with this cause.
    ///
    /// # Errors
    /// If the store fails.
    pub fn end_standstill(
        &self,
        tx: &mut Transaction<'_>,
        cause: StopCause,
        now: DateTime<Utc>,
    ) -> store::Result<Option<DateTime<Utc>>> {
        let Some(Stop { from, .. }) = tx.lasting(cause)? else { return Ok(None) };
        let counts = matches!(cause, StopCause::Paused | StopCause::Maintenance) || now - from >= LONG;
        tx.end_standstill(cause, counts.then_some(now))?;
        restart_clocks(tx, counts.then_some(Span { from, until: now }), now)?;
        Ok(Some(from))
    }

    /// Starts maintenance, or changes its text. Returns its start.
    ///
    /// # Errors
    /// If the store fails.
    pub fn begin_maintenance(
        &self,
        tx: &mut Transaction<'_>,
        text: &str,
        now: DateTime<Utc>,
    ) -> store::Result<DateTime<Utc>> {
        let from = tx.lasting(StopCause::Maintenance)?.map_or(now, |lasts| lasts.from);
        tx.end_standstill(StopCause::Maintenance, None)?;
        self.begin_standstill(tx, StopCause::Maintenance, text, from)
    }

    /// Gives the player to move at a board more thinking time. Returns `false` if no clock is running there.
    ///
    /// # Errors
    /// If the store fails.
    pub fn extend(
        &self,
        tx: &mut Transaction<'_>,
        mut board: Board,
        time: TimeDelta,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        if board.clock.is_none() {
            return Ok(false);
        }
        count_up(tx, &mut board, None, |thought| thought - time, now)?;
        Ok(true)
    }
}

/// Settles every clock, excluding the standstill that has ended.
fn restart_clocks(tx: &mut Transaction<'_>, ended: Option<Span>, now: DateTime<Utc>) -> store::Result<()> {
    let is_long = ended.is_some_and(|span| span.until - span.from >= LONG);
    for mut board in tx.boards(None, None, true)? {
        let most = is_long.then(|| most_thought(&board)).flatten();
        count_up(tx, &mut board, ended, |thought| most.map_or(thought, |most| thought.min(most)), now)?;
    }
    Ok(())
}

/// Returns the thinking time on this ply that leaves the time before a first reminder, or a day without reminders;
/// `None` without a limit.
fn most_thought(board: &Board) -> Option<TimeDelta> {
    most_leaving(board, TimeDelta::days(i64::from(board.terms.time_control.nag.max(1))))
}

/// Returns the thinking time on this ply that leaves this much time; `None` without a limit.
fn most_leaving(board: &Board, time: TimeDelta) -> Option<TimeDelta> {
    let seat = board.to_move?;
    Some(board.terms.time_control.limit(board.seats[seat.index()].spent())? - time)
}

/// Ensures that the player to move has at least this much time left.
pub(crate) fn leave_time(
    tx: &mut Transaction<'_>,
    board: &mut Board,
    time: TimeDelta,
    now: DateTime<Utc>,
) -> store::Result<()> {
    let most = most_leaving(board, time);
    count_up(tx, board, None, |thought| most.map_or(thought, |most| thought.min(most)), now)
}

/// Settles a clock without the ended standstill, changes the thinking time, and resets reminders that are due again.
fn count_up(
    tx: &mut Transaction<'_>,
    board: &mut Board,
    ended: Option<Span>,
    change: impl FnOnce(TimeDelta) -> TimeDelta,
    now: DateTime<Utc>,
) -> store::Result<()> {
    let Some((_, mut calendar, running)) = clocks::running(tx, board)? else { return Ok(()) };
    calendar.vacations.extend(ended);
    let thought = change(clock::thought(&calendar, &running, now));
    let reached = board.terms.time_control.ladder(running.used).iter().filter(|step| **step <= thought).count();
    if let Some(clock) = &mut board.clock {
        clock.thought = thought;
        clock.since = clock.since.max(now);
        clock.reminded = clock.reminded.min(reached as u32);
    }
    clocks::set_due(tx, board)
}
