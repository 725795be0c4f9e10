//! Handles a system clock that was ahead and was set back: resets everything that was stamped or scheduled in the
//! future, as if it had been done now.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock;
use crate::store::{self, Board, Transaction};

use crate::service::board::clocks;
use crate::service::context::Service;

/// A letter due within this time is unchanged: it may be a digest, and no retry has a longer delay.
const SOON: TimeDelta = TimeDelta::days(1);

impl Service<'_> {
    /// Resets clocks, letters and limits after the system's clock went back.
    ///
    /// # Errors
    /// If the store fails.
    pub fn set_times_anew(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<()> {
        tx.restamp(now, now + SOON)?;
        for mut board in tx.boards(None, None, true)? {
            if board.clock.is_some() {
                restart(tx, &mut board, now)?;
                clocks::set_due(tx, &mut board)?;
            }
        }
        Ok(())
    }
}

/// Reverts the time that a clock has counted, and the reminders it has sent, in the future.
fn restart(tx: &Transaction<'_>, board: &mut Board, now: DateTime<Utc>) -> store::Result<()> {
    let moved_at = board.moved_at;
    if let Some(clock) = &mut board.clock {
        clock.since = clock.since.min(now);
        // Not more than has passed since the last entry.
        if moved_at <= clock.since {
            clock.thought = clock.thought.min(clock.since - moved_at);
        }
    }
    let Some((_, calendar, running)) = clocks::running(tx, board)? else { return Ok(()) };
    let thought = clock::thought(&calendar, &running, now);
    let reached = board.terms.time_control.ladder(running.used).iter().filter(|step| **step <= thought).count();
    if let Some(clock) = &mut board.clock {
        clock.reminded = clock.reminded.min(reached as u32);
    }
    Ok(())
}
