//! The model of a board's clock.

use anyhow::{Context, ensure};
use chrono::{DateTime, TimeDelta, Utc};

use super::days::{self, Days};
use super::seen::Seen;
use turnpost::clock::TimeControl;
use turnpost::command::UnsolicitedLetters;
use turnpost::rules::Seat;
use turnpost::store::{Board, PlayerId, Transaction};

/// The maximum delay of a due forfeit.
const LATE: TimeDelta = TimeDelta::days(2);

pub(crate) struct ClockModel {
    /// Whether the model is exact, so that it can be compared with the stored clock.
    pub(crate) exact: bool,
    /// Whether the board has a clock.
    counts: bool,
    /// The time up to which thinking time is already included in `thinking_time`.
    since: DateTime<Utc>,
    /// The thinking time that the player to move had used on this ply at `since`.
    thinking_time: TimeDelta,
    pub(crate) used: [TimeDelta; 2],
    /// The total extra time that players got after standstills.
    pub(crate) given: TimeDelta,
}

impl ClockModel {
    pub(crate) fn new(board: &Board, now: DateTime<Utc>, exact: bool) -> ClockModel {
        let counts = board.terms.time_control != TimeControl::default() && board.players[0].id != board.players[1].id;
        let (thinking_time, used) = (TimeDelta::zero(), [TimeDelta::zero(); 2]);
        ClockModel { exact, counts, since: now, thinking_time, used, given: TimeDelta::zero() }
    }

    /// Returns the thinking time that the player to move has used on this ply until now.
    pub(crate) fn thinking_time(&self, days: &Days, now: DateTime<Utc>) -> TimeDelta {
        self.thinking_time + days.counted(self.since, now)
    }

    /// Ends the ply because of a new entry. Its thinking time is added to the used time of the player to move.
    pub(crate) fn entry(
        &mut self,
        days: &[Days],
        seen: Seen<'_>,
        board: &Board,
        to_move: Option<Seat>,
    ) -> anyhow::Result<()> {
        if let (true, Some(seat)) = (self.counts, to_move) {
            let player = seen.index(board.players[seat.index()].id)?;
            let thinking_time = self.thinking_time(&days[player], seen.now);
            self.used[seat.index()] += thinking_time.max(TimeDelta::zero());
        }
        (self.since, self.thinking_time) = (seen.now, TimeDelta::zero());
        Ok(())
    }

    /// Adds the thinking time up to now by the current calendar of the player to move, before the calendar changes.
    pub(crate) fn count_up(&mut self, days: &Days, now: DateTime<Utc>) {
        self.thinking_time = self.thinking_time(days, now);
        self.since = now;
    }

    /// Gives the player to move extra time if they have less than `least` left until `limit`.
    pub(crate) fn leave(&mut self, limit: TimeDelta, least: TimeDelta) {
        let before = self.thinking_time;
        self.thinking_time = before.min(limit - least);
        self.given += before - self.thinking_time;
    }

    /// Compares the model with the stored clock.
    pub(crate) fn compare(&self, days: &[Days], seen: Seen<'_>, board: &Board) -> anyhow::Result<()> {
        let number = board.number;
        for seat in Seat::BOTH {
            let used = board.seats[seat.index()].used;
            ensure!(used >= TimeDelta::zero(), "a clock of board {number} is negative: {used}");
            let same = !self.exact || used == self.used[seat.index()];
            ensure!(same, "board {number}: {seat:?} has used {used}, not {}", self.used[seat.index()]);
        }
        let running = board.to_move.filter(|_| self.counts);
        ensure!(
            board.clock.is_some() == running.is_some(),
            "the clock of board {number} runs or is stopped by mistake"
        );
        let (Some(clock), Some(seat), true) = (board.clock, running, self.exact) else { return Ok(()) };
        let days = &days[seen.index(board.players[seat.index()].id)?];
        let stored = clock.thinking_time + days.counted(clock.since, seen.now);
        let expected = self.thinking_time(days, seen.now);
        ensure!(stored == expected, "board {number}: the player to move has used {stored} on this ply, not {expected}");
        Ok(())
    }

    /// Checks that a board was forfeited or removed only after its time had run out, and a day after the last reminder.
    pub(crate) fn check_forfeit(
        &self,
        days: &[Days],
        seen: Seen<'_>,
        board: &Board,
        seat: Seat,
        reminder: Option<DateTime<Utc>>,
    ) -> anyhow::Result<()> {
        let number = board.number;
        let player = board.players[seat.index()].id;
        let days = &days[seen.index(player)?];
        let no_letters = wants_no_letters(seen.tx, player)?;
        let reminder = reminder.or(no_letters.then_some(self.since));
        let reminder = reminder.with_context(|| format!("board {number} was forfeited without a reminder"))?;
        if !self.exact {
            return Ok(());
        }
        // A player who was unreachable cannot have read the reminder before they became reachable again.
        let back_in_reach = days.back_in_reach.filter(|at| *at <= seen.now);
        let read = back_in_reach.map_or(reminder, |back| back.max(reminder));
        let since = days.counted(read, seen.now);
        ensure!(since >= TimeDelta::days(1), "board {number} was forfeited {since} after its reminder was read");
        let limit = days::limit(&board.terms.time_control, self.used[seat.index()]);
        let limit = limit.with_context(|| format!("board {number} was forfeited but has no time limit"))?;
        let thinking_time = self.thinking_time(days, seen.now);
        ensure!(thinking_time >= limit, "board {number} was forfeited after {thinking_time} of {limit}");
        Ok(())
    }

    /// Checks that no due reminder and no due forfeit of a running clock is missing.
    pub(crate) fn check_due(&self, days: &[Days], seen: Seen<'_>, board: &Board) -> anyhow::Result<()> {
        let (Some(clock), Some(seat), true) = (board.clock, board.to_move, self.exact && self.counts) else {
            return Ok(());
        };
        let number = board.number;
        let player = board.players[seat.index()].id;
        let days = &days[seen.index(player)?];
        let (thinking_time, used) = (self.thinking_time(days, seen.now), self.used[seat.index()]);
        let reminders = days::reminders(&board.terms.time_control, used);
        let reached = reminders.iter().filter(|time| **time <= thinking_time).count();
        ensure!(
            clock.reminded as usize == reached,
            "board {number}: {} reminders are recorded after {thinking_time}, but {reached} are due of {reminders:?}",
            clock.reminded
        );
        let limit = days::limit(&board.terms.time_control, used);
        let Some(limit) = limit.filter(|limit| thinking_time > *limit + LATE) else { return Ok(()) };
        let reminded = seen.tx.reminder(number, board.entries)?.and_then(|reminder| reminder.sent_at);
        let late = reminded.is_some_and(|at| days.counted(at, seen.now) > TimeDelta::days(1) + LATE);
        ensure!(!late, "board {number} has not been forfeited after {thinking_time} of {limit}");
        Ok(())
    }
}

fn wants_no_letters(tx: &Transaction<'_>, player: PlayerId) -> anyhow::Result<bool> {
    Ok(tx.player_by_id(player)?.is_some_and(|player| player.settings.letters == UnsolicitedLetters::None))
}
