//! Standstills: times in which all clocks are stopped, because the administrator holds all letters, has paused the clocks or
//! maintains the server, or because no program watched them.
//!
//! A lasting standstill is part of every player's calendar. At its end, every clock is settled and starts again. After a long
//! one, the player to move has at least the time before a first reminder.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::{self, Span};
use crate::service::board::clocks;
use crate::service::comment;
use crate::service::context::Service;
use crate::store::{self, Board, Stop, StopCause, Transaction};

/// How often a program records that it watches the clocks.
pub const SEEN: TimeDelta = TimeDelta::hours(1);
/// The longest time between two looks that is not an outage. A program that is started once a day may be late.
const OUTAGE: TimeDelta = TimeDelta::hours(25);
/// The least length of a standstill that gives time. A shorter hold has no effect on the clocks.
const LONG: TimeDelta = TimeDelta::days(1);

impl Service<'_> {
    /// Records that a program watches the clocks now. Returns the outage that this ends.
    ///
    /// # Errors
    /// The store's.
    pub fn see_clocks(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<Option<Span>> {
        let last = tx.clocks_seen_at()?;
        if last.is_some_and(|last| now <= last) {
            return Ok(None);
        }
        tx.set_clocks_seen_at(now)?;
        // Looks within an hour of the last recorded one are not recorded.
        let Some(from) = last.filter(|last| now - *last > OUTAGE).map(|last| last + SEEN) else { return Ok(None) };
        let outage = Span { from, until: now };
        tx.add_standstill(&Stop { from, until: Some(now), cause: StopCause::Off, reason: String::new() })?;
        restart_clocks(tx, Some(outage), now)?;
        Ok(Some(outage))
    }

    /// Stops all clocks until [`Service::end_standstill`]. Returns when the standstill of this cause began.
    ///
    /// # Errors
    /// The store's.
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

    /// Ends a standstill; returns when it began, or `None` when there is none of this cause.
    ///
    /// # Errors
    /// The store's.
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

    /// Begins maintenance, or changes its text. Returns when it began.
    ///
    /// # Errors
    /// The store's.
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

    /// Gives the player to move at a board more thinking time; `false` when no clock runs there.
    ///
    /// # Errors
    /// The store's.
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

/// Settles every clock, without the standstill that has ended.
fn restart_clocks(tx: &mut Transaction<'_>, ended: Option<Span>, now: DateTime<Utc>) -> store::Result<()> {
    let is_long = ended.is_some_and(|span| span.until - span.from >= LONG);
    for mut board in tx.boards(None, None, true)? {
        let most = is_long.then(|| most_thought(&board)).flatten();
        count_up(tx, &mut board, ended, |thought| most.map_or(thought, |most| thought.min(most)), now)?;
    }
    Ok(())
}

/// The thinking time on this ply that leaves the time before a first reminder, or a day without reminders; `None` without a
/// limit.
fn most_thought(board: &Board) -> Option<TimeDelta> {
    most_leaving(board, TimeDelta::days(i64::from(board.time_control.nag.max(1))))
}

/// The thinking time on this ply that leaves this much time; `None` without a limit.
fn most_leaving(board: &Board, time: TimeDelta) -> Option<TimeDelta> {
    let seat = board.to_move?;
    Some(board.time_control.limit(board.seats[seat.index()].used)? - time)
}

/// Gives the player to move at least this much time until the end of it.
pub(in crate::service) fn leave_time(
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
    let reached = board.time_control.ladder(running.used).iter().filter(|step| **step <= thought).count();
    if let Some(clock) = &mut board.clock {
        clock.thought = thought;
        clock.since = clock.since.max(now);
        clock.reminded = clock.reminded.min(reached as u32);
    }
    clocks::set_due(tx, board)
}
