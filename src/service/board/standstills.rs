//! Standstills of all clocks: while the administrator holds all letters or has paused the clocks, and after a time in which
//! no program looked at them.
//!
//! While a standstill lasts, it is a part of every player's calendar. When it ends, every clock is counted up and goes on
//! from there; after a long one, whoever is to move has at least as much time as before a first reminder.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::{self, Span};
use crate::numbers::BoardNumber;
use crate::service::board::clocks;
use crate::service::comment;
use crate::service::context::Service;
use crate::store::{self, Board, Stop, StopCause, Transaction};

/// How often it is written down that a program looks at the clocks.
pub const SEEN: TimeDelta = TimeDelta::hours(1);
/// A longer time without a look is an outage. A program that looks once a day may be late.
const OUTAGE: TimeDelta = TimeDelta::hours(25);
/// After a standstill that was longer, everybody has the time before a first reminder; a shorter one that nobody asked for
/// has not been.
const LONG: TimeDelta = TimeDelta::days(1);

impl Service<'_> {
    /// Notes that a program looks at the clocks now. Returns the outage that has ended by this.
    ///
    /// # Errors
    /// The store's.
    pub fn see_clocks(&self, tx: &mut dyn Transaction, now: DateTime<Utc>) -> store::Result<Option<Span>> {
        let last = tx.clocks_seen_at()?;
        if last.is_some_and(|last| now <= last) {
            return Ok(None);
        }
        tx.set_clocks_seen_at(now)?;
        // A look in the hour after it would not have been written down.
        let Some(from) = last.filter(|last| now - *last > OUTAGE).map(|last| last + SEEN) else { return Ok(None) };
        let outage = Span { from, until: now };
        tx.add_standstill(&Stop { from, until: Some(now), cause: StopCause::Off, reason: String::new() })?;
        go_on(tx, Some(outage), now)?;
        Ok(Some(outage))
    }

    /// Lets all clocks stand still until [`Service::end_standstill`]. Returns since when they do for this cause.
    ///
    /// # Errors
    /// The store's.
    pub fn begin_standstill(
        &self,
        tx: &mut dyn Transaction,
        cause: StopCause,
        reason: &str,
        now: DateTime<Utc>,
    ) -> store::Result<DateTime<Utc>> {
        if let Some(lasts) = tx.lasting(cause)? {
            return Ok(lasts.from);
        }
        let reason = comment::clean(reason).replace('\n', " ");
        tx.add_standstill(&Stop { from: now, until: None, cause, reason })?;
        go_on(tx, None, now)?;
        Ok(now)
    }

    /// Ends a standstill; returns when it began, or `None` when there is none of this cause.
    ///
    /// # Errors
    /// The store's.
    pub fn end_standstill(
        &self,
        tx: &mut dyn Transaction,
        cause: StopCause,
        now: DateTime<Utc>,
    ) -> store::Result<Option<DateTime<Utc>>> {
        let Some(Stop { from, .. }) = tx.lasting(cause)? else { return Ok(None) };
        let counts = cause == StopCause::Paused || now - from >= LONG;
        tx.end_standstill(cause, counts.then_some(now))?;
        go_on(tx, counts.then_some(Span { from, until: now }), now)?;
        Ok(Some(from))
    }

    /// Gives whoever is to move at a board more thinking time; `false` when no clock runs there.
    ///
    /// # Errors
    /// The store's.
    pub fn extend(
        &self,
        tx: &mut dyn Transaction,
        number: BoardNumber,
        time: TimeDelta,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        match tx.board(number)? {
            Some(mut board) if board.clock.is_some() => {
                count_up(tx, &mut board, None, |thought| thought - time, now)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// Sets every clock anew, after a standstill that has ended or while another begins.
fn go_on(tx: &mut dyn Transaction, ended: Option<Span>, now: DateTime<Utc>) -> store::Result<()> {
    let is_long = ended.is_some_and(|span| span.until - span.from >= LONG);
    for mut board in tx.boards(None, None, true)? {
        match ended {
            None if board.clock.is_some() => clocks::set_due(tx, &mut board)?,
            None => {}
            Some(_) => {
                let most = is_long.then(|| most_thought(&board)).flatten();
                count_up(tx, &mut board, ended, |thought| most.map_or(thought, |most| thought.min(most)), now)?;
            }
        }
    }
    Ok(())
}

/// The most that may have been thought on this ply, so that the time before a first reminder is left, or a day; `None` without
/// a limit.
fn most_thought(board: &Board) -> Option<TimeDelta> {
    let seat = board.to_move?;
    let limit = board.time_control.limit(board.seats[seat.index()].used)?;
    Some(limit - TimeDelta::days(i64::from(board.time_control.nag.max(1))))
}

/// Counts up a clock, without the standstill that has ended, changes what was thought, and takes back reminders that come
/// again.
fn count_up(
    tx: &mut dyn Transaction,
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
