//! Checks standstills, during which all clocks are stopped: each outage must cause a standstill, and the player to move
//! must have enough time after it.

use anyhow::{Context, ensure};
use chrono::TimeDelta;

use super::days::limit;
use super::model::Oracle;
use super::seen::Seen;
use turnpost::clock::Span;
use turnpost::store::StopCause;

impl Oracle {
    /// If the server recorded a standstill in this step, checks it and applies it to the model. This must be done
    /// before other effects of the step are checked. `done` is true if nothing failed in the step.
    pub(crate) fn follow_standstill(&mut self, seen: Seen<'_>, done: bool) -> anyhow::Result<()> {
        let player = seen.players.first().context("no players exist")?.id;
        let newest = seen.tx.stops(player)?.into_iter().rfind(|stop| stop.cause != StopCause::Vacation);
        let found = newest.and_then(|stop| Some(Span { from: stop.from, until: stop.until? }));
        let new = found.filter(|span| self.standstills.spans.last() != Some(span));
        let exact = self.inexact_until.is_none();
        let absent = self.standstills.done_at.map_or(TimeDelta::zero(), |at| seen.now - at);
        if exact && done && absent > TimeDelta::hours(26) {
            let since_then = |span: Span| self.standstills.done_at.is_some_and(|at| span.until > at);
            ensure!(
                found.is_some_and(since_then),
                "no clocks were checked for {absent}, but no standstill is recorded"
            );
        }
        if done {
            self.standstills.done_at = Some(seen.now);
        }
        let Some(span) = new else { return Ok(()) };
        self.calendars_changed = true;
        // If a wrong clock caused the last standstill, the server has corrected its end, so the new span replaces it.
        let wrong = self.standstills.spans.pop_if(|last| last.from == span.from || last.until > seen.now);
        self.standstills.spans.push(span);
        for days in &mut self.days {
            days.off.retain(|off| Some(*off) != wrong);
            days.off.push(span);
        }
        if !exact {
            return Ok(());
        }
        let (from, until) = (span.from, span.until);
        ensure!(until == seen.now, "a standstill recorded at {} ends at {until}", seen.now);
        ensure!(until - from > TimeDelta::days(1), "the standstill from {from} until {until} is too short");
        ensure!(
            absent > TimeDelta::days(1) || !done,
            "a standstill is recorded, but the clocks were checked {absent} ago"
        );
        for model in self.boards.values_mut() {
            let (board, clock) = (&model.board, &mut model.clock);
            let Some(seat) = board.to_move else { continue };
            let days = &self.days[seen.index(board.players[seat.index()].id)?];
            clock.count_up(days, seen.now);
            if let Some(limit) = limit(&board.terms.time_control, clock.used[seat.index()]) {
                clock.leave(limit, TimeDelta::days(board.terms.time_control.nag.max(1).into()));
            }
        }
        Ok(())
    }
}
