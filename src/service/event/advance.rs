//! Examines due events: begins and ends editions and rounds, and reports results.

use chrono::{DateTime, TimeDelta, Utc};

use super::boards::Organizer;
use super::ties::count_rounds;
use crate::clock::Calendar;
use crate::command::EventKind;
use crate::service::board::clocks;
use crate::service::context::Service;
use crate::store::{self, Absence, Edition, EventBoard, EventId, Transaction};

/// The maximum number of events to examine in one transaction.
const MOST: u32 = 10;
/// The time after which an event is examined again during a standstill.
pub(crate) const EXAMINE_AGAIN: TimeDelta = TimeDelta::days(1);
/// The time between an edition and the next one, and between two reports.
pub(crate) const WEEK: TimeDelta = TimeDelta::days(7);

/// The rule for the deadlines of an edition's games.
pub(crate) struct Latest {
    longest: TimeDelta,
    standstills: Calendar,
}

impl Latest {
    /// `longest` is the maximum duration of a tie, without standstills.
    pub(crate) fn new(tx: &Transaction<'_>, longest: TimeDelta) -> store::Result<Latest> {
        Ok(Latest { longest, standstills: clocks::standstills(tx)? })
    }

    /// Returns the time by which the games of a tie must have ended; `None` during a standstill. A replay in a cup must
    /// end by the same time as the first game.
    pub(crate) fn end(&self, tie: &[EventBoard]) -> Option<DateTime<Utc>> {
        if self.standstills.vacations.iter().any(|span| span.until == clocks::NEVER) {
            return None;
        }
        let postponed: TimeDelta = tie.iter().map(|board| board.postponed).sum();
        self.standstills.after(tie[0].created_at, self.longest + postponed)
    }

    /// Returns each board with the time by which it must have ended. In `boards`, a replay must directly follow its
    /// first game.
    fn ends<'a>(&self, boards: &'a [EventBoard]) -> impl Iterator<Item = (&'a EventBoard, Option<DateTime<Utc>>)> {
        let ties = boards.chunk_by(|first, replay| first.place == replay.place);
        ties.flat_map(|tie| tie.iter().map(|board| (board, self.end(tie))))
    }
}

impl Service<'_> {
    /// Returns whether any event is due for examination.
    ///
    /// # Errors
    /// If the store fails.
    pub fn has_due_events(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<bool> {
        Ok(!tx.due_events(now, 1)?.is_empty())
    }

    /// Examines at most [`MOST`] due events.
    pub(crate) fn advance_events(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<()> {
        for id in tx.due_events(now, MOST)? {
            self.advance_event(tx, id, now)?;
        }
        Ok(())
    }

    /// Examines an event: begins an edition or round, ends overdue boards, or reports results.
    pub(crate) fn advance_event(&self, tx: &mut Transaction<'_>, id: EventId, now: DateTime<Utc>) -> store::Result<()> {
        let Some(event) = tx.event_by_id(id)? else { return Ok(()) };
        let last = tx.editions(id)?.pop();
        let mut organizer = Organizer { service: *self, tx, event: &event, now };
        match last {
            Some(edition) if event.what.kind == EventKind::Ladder => organizer.advance_ladder(edition),
            Some(edition) if edition.ended_at.is_none() => organizer.examine(edition),
            last => {
                let edition = last.map_or(1, |last| last.number + 1);
                let began = match event.what.kind {
                    EventKind::League => organizer.begin_league(edition)?,
                    EventKind::Cup => organizer.begin_cup(edition)?,
                    // A ladder's only edition begins when the ladder is created.
                    EventKind::Ladder => false,
                };
                if !began {
                    tx.set_event_due(id, Some(now + WEEK))?;
                }
                Ok(())
            }
        }
    }
}

impl Organizer<'_, '_> {
    fn examine(&mut self, mut edition: Edition) -> store::Result<()> {
        let rounds = match self.event.what.kind {
            EventKind::Cup => count_rounds(self.tx.participants(self.event.id, edition.number)?.len()),
            EventKind::League | EventKind::Ladder => 1,
        };
        let longest = edition
            .latest_at
            .map_or_else(|| self.longest_tie_of_any(), |latest_at| (latest_at - edition.started_at) / rounds);
        let latest = Latest::new(self.tx, longest)?;
        for (board, end) in latest.ends(&self.tx.event_boards(self.event.id, edition.number)?) {
            if let Some(seat) = board.to_move.filter(|_| end.is_some_and(|end| end <= self.now)) {
                self.lose_event_board(board, seat, Absence::Time)?;
            }
        }
        self.withdraw_absentees(&edition)?;
        let is_over = match self.event.what.kind {
            EventKind::League => self.rank_league(edition.number)?,
            EventKind::Cup => self.advance_cup(edition.number)?,
            EventKind::Ladder => false,
        };
        if is_over {
            edition.ended_at = Some(self.now);
            edition.reported_at = self.now;
            self.tx.set_edition(self.event.id, &edition)?;
            let next = (!self.event.what.once).then_some(self.now + WEEK);
            self.tx.set_event_due(self.event.id, next)?;
            if next.is_some() {
                self.omit_absentees(&edition)?;
            }
            return self.write_end(&edition, next);
        }
        if edition.reported_at + WEEK <= self.now {
            self.write_report(&edition)?;
            edition.reported_at = self.now;
            self.tx.set_edition(self.event.id, &edition)?;
        }
        let boards = self.tx.event_boards(self.event.id, edition.number)?;
        let playing = latest.ends(&boards).filter(|(board, _)| board.ended_at.is_none());
        let overdue = playing.map(|(_, end)| end.unwrap_or(self.now + EXAMINE_AGAIN)).min();
        let next = overdue.map_or(edition.reported_at + WEEK, |at| at.min(edition.reported_at + WEEK));
        self.tx.set_event_due(self.event.id, Some(next))
    }

    /// Records that an edition begins now, and schedules the next examination of the event.
    pub(crate) fn open_edition(&mut self, number: u32, latest_at: Option<DateTime<Utc>>) -> store::Result<Edition> {
        let edition = Edition { number, started_at: self.now, reported_at: self.now, latest_at, ended_at: None };
        self.tx.set_edition(self.event.id, &edition)?;
        self.tx.set_event_due(self.event.id, Some(self.now + WEEK))?;
        Ok(edition)
    }
}
