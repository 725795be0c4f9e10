//! What is due by the clock: reminders and forfeits. Also what the administrator ends.
//!
//! A board is found by the time at which its clock asks for something, an index of the store. Nothing is forfeited
//! unless a reminder of this very turn was handed to the transport, and a day of the player's thinking time has passed
//! since: a server that stood still, or a mailbox that takes nothing, costs nobody a game. Only who has stopped his
//! letters himself (`letters=none`) is not waited for.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::{self, Due};
use crate::command::{Reminders, UnsolicitedLetters};
use crate::rules::Seat;
use crate::store::{self, BoardClock, StoreError, Transaction};

use crate::service::Service;
use crate::service::board::live::{End, Live};
use crate::service::board::{clocks, play};
use crate::service::notice::facts::{BoardEvent, BoardFacts};
use crate::service::notice::notices::Announcement;

/// Thinking time between the last reminder that was sent and a forfeit.
const GRACE: TimeDelta = TimeDelta::days(1);
/// How soon a forfeit that has to wait for its reminder is looked at again.
const LOOK_AGAIN: TimeDelta = TimeDelta::days(1);
/// How long after a reminder that was given up another one is written.
const REMIND_AGAIN: TimeDelta = TimeDelta::days(7);

/// What became of a board whose clock asked for something, for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticked {
    /// Its player was reminded.
    Reminded,
    /// Nothing yet: it is looked at again later.
    Waits,
    /// It was forfeited.
    Forfeited,
    /// Nobody ever moved at the seat: it was taken out of play.
    Removed,
    /// Its record does not replay, so that nobody can be told of it: it is looked at again a day later.
    Broken,
}

impl Service<'_> {
    /// Does what the clocks ask for at `now`, for at most so many boards, and gives what became of each; fewer than
    /// `most` means that nothing is due any more.
    ///
    /// # Errors
    /// The store's.
    pub fn tick(&self, tx: &mut dyn Transaction, now: DateTime<Utc>, most: u32) -> store::Result<Vec<(u32, Ticked)>> {
        let mut done = Vec::new();
        for number in tx.due_boards(now, most)? {
            let Some(board) = tx.board(number)? else { continue };
            let clock = board.clock;
            let ticked = match Live::open(tx, board, now) {
                Ok(live) => self.tick_board(tx, live, now)?,
                Err(StoreError::Failed(_)) => {
                    // It must not keep the clocks of all others waiting behind it.
                    let clock = clock.map(|clock| BoardClock { due_at: Some(now + LOOK_AGAIN), ..clock });
                    tx.set_clock(number, clock.as_ref())?;
                    Ticked::Broken
                }
                Err(error) => return Err(error),
            };
            done.push((number, ticked));
        }
        Ok(done)
    }

    fn tick_board(&self, tx: &mut dyn Transaction, mut live: Live, now: DateTime<Utc>) -> store::Result<Ticked> {
        let Some((seat, calendar, running)) = clocks::running(tx, &live.board)? else {
            tx.set_clock(live.board.number, None)?;
            return Ok(Ticked::Waits);
        };
        let limits = live.board.limits;
        let thought = clock::thought(&calendar, &running, now);
        let ladder = limits.ladder(running.used);
        // After a standstill of the server several steps may be due at once: they are one reminder.
        let reached = ladder.iter().filter(|step| **step <= thought).count() as u32;
        if reached > running.reminded {
            let last = reached as usize == ladder.len();
            let (userid, player) =
                (live.board.players[seat.index()].userid.clone(), live.board.players[seat.index()].id);
            let wants = tx.player(&userid)?.is_some_and(|player| player.settings.reminders == Reminders::All);
            if let Some(clock) = &mut live.board.clock {
                clock.reminded = reached;
            }
            clocks::wind(tx, &mut live.board)?;
            if !wants && !last {
                return Ok(Ticked::Waits);
            }
            self.remind(tx, &live, player, now)?;
            return Ok(Ticked::Reminded);
        }
        match clock::next(&limits, &calendar, &running) {
            Some((at, Due::Forfeit)) if at <= now => {}
            // Early by a moment, or the settings have changed: wound anew.
            _ => {
                clocks::wind(tx, &mut live.board)?;
                return Ok(Ticked::Waits);
            }
        }
        let no_letters = tx
            .player_by_id(live.board.players[seat.index()].id)?
            .is_some_and(|player| player.settings.letters == UnsolicitedLetters::None);
        let reminder = tx.reminder(live.board.number, live.board.entries)?;
        let waits_until = match &reminder {
            None => {
                self.remind(tx, &live, live.board.players[seat.index()].id, now)?;
                Some(now + LOOK_AGAIN)
            }
            // Who wishes no letters has had all that he wishes to have.
            Some(reminder) => match reminder.sent_at.or(no_letters.then_some(reminder.created_at)) {
                None => {
                    // Given up: the mailbox, or our own way out, may be mended since.
                    if reminder.due_at.is_none() && reminder.created_at + REMIND_AGAIN <= now {
                        self.remind(tx, &live, live.board.players[seat.index()].id, now)?;
                    }
                    Some(now + LOOK_AGAIN)
                }
                Some(sent) => calendar.after(sent, GRACE).filter(|at| *at > now),
            },
        };
        if let Some(until) = waits_until {
            if let Some(clock) = &mut live.board.clock {
                clock.due_at = Some(until);
            }
            tx.set_clock(live.board.number, live.board.clock.as_ref())?;
            return Ok(if reminder.is_none() { Ticked::Reminded } else { Ticked::Waits });
        }
        self.time_is_up(tx, live, seat, now)
    }

    fn remind(
        &self,
        tx: &mut dyn Transaction,
        live: &Live,
        player: store::PlayerId,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let board = &live.board;
        let facts = BoardFacts {
            // The reader is shown the last move again.
            since: board.entries.saturating_sub(1),
            ..self.board_facts(tx, live, now)?
        };
        let event = BoardEvent::Reminder { count: board.clock.map_or(0, |clock| clock.reminded) };
        self.announce(tx, None, &Announcement::of(board, event, facts).only_for(player), now)?;
        Ok(())
    }

    fn time_is_up(
        &self,
        tx: &mut dyn Transaction,
        mut live: Live,
        seat: Seat,
        now: DateTime<Utc>,
    ) -> store::Result<Ticked> {
        let loser = live.board.players[seat.index()].clone();
        let (event, done) = if play::has_moved(tx, live.board.number, &[seat])? {
            live.end(tx, End::Forfeit(seat), "")?;
            (BoardEvent::End, Ticked::Forfeited)
        } else {
            tx.decline_board(live.board.number, loser.id, now)?;
            (BoardEvent::Lapse { by: loser.userid }, Ticked::Removed)
        };
        let facts = self.board_facts(tx, &live, now)?;
        self.announce(tx, None, &Announcement::of(&live.board, event, facts), now)?;
        Ok(done)
    }

    /// Ends a board by the administrator's decision: for a seat, or as a draw, with a reason that both players read.
    /// Gives false when there is no such board in progress.
    ///
    /// # Errors
    /// The store's.
    pub fn adjudicate(
        &self,
        tx: &mut dyn Transaction,
        number: u32,
        winner: Option<Seat>,
        reason: &str,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let Some(board) = tx.board(number)?.filter(|board| board.to_move.is_some()) else { return Ok(false) };
        let mut live = Live::open(tx, board, now)?;
        live.end(tx, End::Adjudge(winner, crate::service::board::look::clean(reason).replace('\n', " ")), "")?;
        let facts = self.board_facts(tx, &live, now)?;
        self.announce(tx, None, &Announcement::of(&live.board, BoardEvent::End, facts), now)?;
        Ok(true)
    }
}
