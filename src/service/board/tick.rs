//! Processes due clocks: sends reminders and forfeits games. Also resets clocks after the system clock was ahead.
//!
//! A board is found by the time of its clock's next event, which the store indexes. A game is forfeited only if a
//! reminder of the current turn was passed to the transport, and a day of the player's thinking time has passed since.
//! A player therefore does not lose a game because of a server outage or a failing mailbox. For a player who has
//! stopped all letters (`letters=none`), the day begins when the reminder is created. Computer players, and players who
//! are blocked or have only blocked addresses, get no reminder before a forfeit.

use chrono::{DateTime, TimeDelta, Utc};

use super::clocks;
use super::open::{Ending, OpenBoard};
use super::robots::is_computer_player;
use crate::clock::{self, Calendar, Due, Running};
use crate::command::{Reminders, UnsolicitedLetters};
use crate::numbers::BoardNumber;
use crate::rules::Seat;
use crate::service::account::blocked::gets_no_letters;
use crate::service::context::Service;
use crate::service::notice::facts::{BoardEvent, BoardFacts};
use crate::service::notice::notices::Announcement;
use crate::store::{self, Board, BoardClock, Channel, NoResult, Player, PlayerId, StoreError, Transaction};

/// A forfeit that has to wait for its reminder, and a broken record, are checked again after this time.
const LOOK_AGAIN: TimeDelta = TimeDelta::days(1);
/// If the last reminder could not be sent, the server creates another one this long after it.
const REMIND_AGAIN: TimeDelta = TimeDelta::days(7);

/// The result of processing a due clock, for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockResult {
    /// The player was reminded.
    Reminded,
    /// Nothing was due yet, the player does not want the reminder, or a forfeit has to wait.
    Waits,
    /// The board was forfeited.
    Forfeited,
    /// The player never moved, so the board was removed from play.
    Removed,
    /// The record cannot be replayed, so no notice is possible. The clock will be checked again a day later.
    Broken,
}

struct RunningClock {
    seat: Seat,
    player: PlayerId,
    calendar: Calendar,
    running: Running,
    now: DateTime<Utc>,
}

impl Service<'_> {
    /// Processes the clocks due at `now`, for at most `most` boards, and returns the results. If no clock is due,
    /// processes due events. Events have a separate transaction, so that an event that fails does not stop clocks.
    ///
    /// # Errors
    /// If the store fails.
    pub fn tick(
        &self,
        tx: &mut Transaction<'_>,
        now: DateTime<Utc>,
        most: u32,
    ) -> store::Result<Vec<(BoardNumber, ClockResult)>> {
        let mut done = Vec::new();
        for number in tx.due_boards(now, most)? {
            let Some(board) = tx.board(number)? else { continue };
            let clock = board.clock;
            let result = match OpenBoard::open(tx, board, now) {
                Ok(open) => self.tick_board(tx, open, now)?,
                Err(StoreError::WrongRecord(_)) => {
                    // A broken record must not block the clocks of other boards.
                    let clock = clock.map(|clock| BoardClock { due_at: Some(now + LOOK_AGAIN), ..clock });
                    tx.set_clock(number, clock.as_ref())?;
                    ClockResult::Broken
                }
                Err(error) => return Err(error),
            };
            done.push((number, result));
        }
        if done.is_empty() {
            self.advance_events(tx, now)?;
        }
        Ok(done)
    }

    fn tick_board(
        &self,
        tx: &mut Transaction<'_>,
        mut open: OpenBoard,
        now: DateTime<Utc>,
    ) -> store::Result<ClockResult> {
        let Some((seat, calendar, running)) = clocks::running(tx, &open.board)? else {
            tx.set_clock(open.board.number, None)?;
            return Ok(ClockResult::Waits);
        };
        let player = open.board.players[seat.index()].id;
        let clock = RunningClock { seat, player, calendar, running, now };
        let time_control = open.board.terms.time_control;
        let thinking_time = clock::thinking_time(&clock.calendar, &clock.running, now);
        let ladder = time_control.ladder(clock.running.used);
        // After a standstill of the server, several reminders may be due. Only one is sent.
        let reached = ladder.iter().filter(|step| **step <= thinking_time).count();
        if reached as u32 > clock.running.reminded {
            return self.reach_step(tx, open, &clock, reached as u32, reached == ladder.len());
        }
        match clock::next(&time_control, &clock.calendar, &clock.running) {
            Some((at, Due::Forfeit)) if at <= now => self.forfeit_if_reminded(tx, open, &clock),
            // The next event is not due yet: the clock was checked slightly early, or the player's settings have
            // changed. Store the time of the next event again.
            _ => {
                clocks::set_due(tx, &mut open.board)?;
                Ok(ClockResult::Waits)
            }
        }
    }

    /// Reminds a player whose thinking time has reached the time of a reminder. Players can turn off all reminders but
    /// the last.
    fn reach_step(
        &self,
        tx: &mut Transaction<'_>,
        mut open: OpenBoard,
        clock: &RunningClock,
        reached: u32,
        last: bool,
    ) -> store::Result<ClockResult> {
        let player = tx.player_by_id(clock.player)?;
        let wants = player.is_some_and(|player| player.settings.reminders == Reminders::All);
        if let Some(clock) = &mut open.board.clock {
            clock.reminded = reached;
        }
        clocks::set_due(tx, &mut open.board)?;
        if !wants && !last {
            return Ok(ClockResult::Waits);
        }
        self.remind(tx, &open, clock)?;
        Ok(ClockResult::Reminded)
    }

    /// Forfeits a board if the player to move was reminded in time. If not, sends a reminder if necessary, and waits.
    fn forfeit_if_reminded(
        &self,
        tx: &mut Transaction<'_>,
        mut open: OpenBoard,
        clock: &RunningClock,
    ) -> store::Result<ClockResult> {
        let now = clock.now;
        let player = tx.player_by_id(clock.player)?;
        // Computer players, and players who are blocked or have only blocked addresses, receive no reminder, so their
        // opponents do not wait for one.
        let gets_no_reminder =
            |player: &Player| Ok::<_, StoreError>(is_computer_player(player) || gets_no_letters(tx, player)?);
        if player.as_ref().map_or(Ok(false), gets_no_reminder)? {
            return self.time_is_up(tx, open, clock.seat, now);
        }
        let back_in_reach = player.as_ref().and_then(|player| player.back_in_reach_at).filter(|at| *at <= now);
        let no_letters = player.is_some_and(|player| player.settings.letters == UnsolicitedLetters::None);
        // Ignore a reminder whose time is in the future. The system's clock was ahead when the time was stored.
        let reminder = tx.reminder(open.board.number, open.board.entries)?;
        let reminder = reminder.filter(|reminder| reminder.sent_at.unwrap_or(reminder.created_at) <= now);
        let waits_until = match &reminder {
            None => {
                self.remind(tx, &open, clock)?;
                Some(now + LOOK_AGAIN)
            }
            // For a player who has stopped all letters, the reminder is treated as sent when it was created.
            Some(reminder) => match reminder.sent_at.or(no_letters.then_some(reminder.created_at)) {
                None => {
                    // The reminder was not sent. If the server gave up sending it, the player's mailbox or our own
                    // transport may work again after a while, so send another one.
                    if reminder.due_at.is_none() && reminder.created_at + REMIND_AGAIN <= now {
                        self.remind(tx, &open, clock)?;
                    }
                    Some(now + LOOK_AGAIN)
                }
                // The day of grace begins when the player can read the reminder, not while letters to the player
                // bounce.
                Some(sent) => {
                    let read = sent.max(back_in_reach.unwrap_or(sent));
                    let end = clocks::end_of_grace(tx, &clock.calendar, read)?;
                    Some(end.unwrap_or(now + LOOK_AGAIN)).filter(|at| *at > now)
                }
            },
        };
        let Some(until) = waits_until else { return self.time_is_up(tx, open, clock.seat, now) };
        if let Some(clock) = &mut open.board.clock {
            clock.due_at = Some(until);
        }
        tx.set_clock(open.board.number, open.board.clock.as_ref())?;
        Ok(if reminder.is_none() { ClockResult::Reminded } else { ClockResult::Waits })
    }

    fn remind(&self, tx: &mut Transaction<'_>, open: &OpenBoard, clock: &RunningClock) -> store::Result<()> {
        let board = &open.board;
        let facts = BoardFacts {
            // Show the last move to the reader again.
            since: board.entries.previous(),
            ..self.board_facts(tx, open, clock.now)?
        };
        let event = BoardEvent::Reminder { count: board.clock.map_or(0, |clock| clock.reminded) };
        self.announce(tx, None, &Announcement::of(board, event, facts).only_for(clock.player), clock.now)?;
        Ok(())
    }

    /// Ends a board on which this seat has run out of time.
    pub(crate) fn time_is_up(
        &self,
        tx: &mut Transaction<'_>,
        mut open: OpenBoard,
        seat: Seat,
        now: DateTime<Utc>,
    ) -> store::Result<ClockResult> {
        let player = open.board.players[seat.index()].clone();
        let (event, done) = if open.has_moved(&[seat]) {
            open.end(tx, Ending::Time(seat), Channel::Clock)?;
            (BoardEvent::End, ClockResult::Forfeited)
        } else {
            open.end_without_result(tx, NoResult::Expired, Some(player.id))?;
            (BoardEvent::Lapse { by: player.userid }, ClockResult::Removed)
        };
        let facts = self.board_facts(tx, &open, now)?;
        self.announce(tx, None, &Announcement::of(&open.board, event, facts), now)?;
        Ok(done)
    }
}

/// [`Service::reset_times`] changes only letters that are due later than this. An earlier due time may be correct,
/// because digests and retries are delayed by at most this time.
const SOON: TimeDelta = TimeDelta::days(1);

impl Service<'_> {
    /// Resets the stored times of clocks, letters, webhook calls and sessions after the system's clock went back.
    ///
    /// # Errors
    /// If the store fails.
    pub fn reset_times(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<()> {
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

/// Subtracts the thinking time and the reminders that a board's clock counted while the system's clock was ahead.
fn restart(tx: &Transaction<'_>, board: &mut Board, now: DateTime<Utc>) -> store::Result<()> {
    let moved_at = board.moved_at;
    if let Some(clock) = &mut board.clock {
        clock.since = clock.since.min(now);
        // The thinking time cannot exceed the time since the last entry.
        if moved_at <= clock.since {
            clock.thinking_time = clock.thinking_time.min(clock.since - moved_at);
        }
    }
    let Some((_, calendar, running)) = clocks::running(tx, board)? else { return Ok(()) };
    let thinking_time = clock::thinking_time(&calendar, &running, now);
    let reached = board.terms.time_control.ladder(running.used).iter().filter(|step| **step <= thinking_time).count();
    if let Some(clock) = &mut board.clock {
        clock.reminded = clock.reminded.min(reached as u32);
    }
    Ok(())
}
