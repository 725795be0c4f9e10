//! The clocks of boards. They start and stop with the turns, and all of them stop during a standstill of the server.
//! The arithmetic is in `clock`.
//!
//! A current standstill is part of every player's calendar. At its end, every clock is *counted up*: the thinking time
//! so far is stored, and the clock starts again from the present time. After a long standstill, the player to move has
//! at least `nagtime` left.

use chrono::{DateTime, TimeDelta, Utc};

use super::views::{BankView, ClockView, StandstillView};
use crate::clock::{self, Calendar, Night, Running, Span, TimeControl, Weekend, Zone};
use crate::command::UnsolicitedLetters;
use crate::numbers::BoardNumber;
use crate::rules::Seat;
use crate::service::context::Service;
use crate::service::request;
use crate::store::{self, Board, BoardClock, OutboxNotice, Player, PlayerId, Stop, StopCause, Transaction};

/// The minimum thinking time between the last sent reminder and a forfeit.
pub(crate) const GRACE: TimeDelta = TimeDelta::days(1);

/// The end of a period that has not ended yet. It is later than any time that [`Calendar::after`] considers, and within
/// chrono's range.
pub(crate) const NEVER: DateTime<Utc> = DateTime::from_timestamp(253_370_764_800, 0).expect("the year 9999");

/// Returns the times when a player's clocks are stopped by their own settings.
pub(crate) fn calendar(tx: &Transaction<'_>, player: &Player) -> store::Result<Calendar> {
    Ok(Calendar { vacations: tx.vacations(player.id)?, ..weeks(player) })
}

/// Returns the weekends and nights of a player, without vacations.
pub(crate) fn weeks(player: &Player) -> Calendar {
    // The stored zone was known when it was set. If a newer time zone database lacks it, UTC is used.
    let zone = Zone::named(&player.settings.zone).unwrap_or(Zone::UTC);
    Calendar { zone, weekend: player.settings.weekend, night: player.settings.night, vacations: Vec::new() }
}

/// Returns the times when a player's clocks are stopped for any reason.
fn calendar_of(tx: &Transaction<'_>, userid: &str) -> store::Result<Calendar> {
    let player = tx.player(userid)?;
    let player = player.ok_or_else(|| store::StoreError::Failed(format!("player {userid} no longer exists")))?;
    // Skip ended standstills: when they ended, the thinking time was stored without them.
    let stops =
        tx.stops(player.id)?.into_iter().filter(|stop| stop.cause == StopCause::Vacation || stop.until.is_none());
    let mut vacations: Vec<Span> =
        stops.map(|stop| Span { from: stop.from, until: stop.until.unwrap_or(NEVER) }).collect();
    // A player who cannot be notified of their turn cannot be expected to move.
    if let Some(from) = tx.out_of_reach(player.id)? {
        vacations.push(Span { from, until: NEVER });
    }
    Ok(Calendar { vacations, ..weeks(&player) })
}

/// Returns the seat to move with its calendar and running clock; `None` if no clock is running.
pub(crate) fn running(tx: &Transaction<'_>, board: &Board) -> store::Result<Option<(Seat, Calendar, Running)>> {
    let (Some(clock), Some(seat)) = (board.clock, board.to_move) else { return Ok(None) };
    let calendar = calendar_of(tx, &board.players[seat.index()].userid)?;
    let used = board.seats[seat.index()].spent();
    Ok(Some((
        seat,
        calendar,
        Running { since: clock.since, thinking_time: clock.thinking_time, used, reminded: clock.reminded },
    )))
}

/// Returns the time for a new entry: not before its turn began, even if the system's clock was set back. With an
/// earlier time, the next player would lose thinking time once the system's clock is right again.
pub(crate) fn not_before_turn(board: &Board, now: DateTime<Utc>) -> DateTime<Utc> {
    board.clock.map_or(now, |clock| now.max(clock.since))
}

/// Stops the clock of the player to move and adds the thinking time to their used time. The caller stores the seat.
pub(crate) fn stop(tx: &Transaction<'_>, board: &mut Board, now: DateTime<Utc>) -> store::Result<()> {
    if let Some((seat, calendar, running)) = running(tx, board)? {
        let used = &mut board.seats[seat.index()].used;
        // Unused extra time, which an administrator granted, makes the thinking time negative. It is lost.
        *used += clock::thinking_time(&calendar, &running, now).max(TimeDelta::zero());
    }
    board.clock = None;
    Ok(())
}

/// Adds the time that a Fischer clock grants for a ply to the bank of the player who made it. The caller stores the
/// seat.
pub(crate) fn credit(board: &mut Board, seat: Option<Seat>) {
    if let (Some(fischer), Some(seat), false) = (board.terms.time_control.fischer, seat, board.is_alone()) {
        let state = &mut board.seats[seat.index()];
        state.credit = fischer.credited(state.credit, state.used);
    }
}

/// Starts the clock of the player to move, if the board has one.
pub(crate) fn start(tx: &mut Transaction<'_>, board: &mut Board, now: DateTime<Utc>) -> store::Result<()> {
    let counts = board.to_move.is_some() && board.terms.time_control != TimeControl::default() && !board.is_alone();
    board.clock =
        counts.then_some(BoardClock { since: now, thinking_time: TimeDelta::zero(), reminded: 0, due_at: None });
    set_due(tx, board)
}

/// Computes the next event of the clock and stores its time.
pub(crate) fn set_due(tx: &mut Transaction<'_>, board: &mut Board) -> store::Result<()> {
    let due = running(tx, board)?
        .and_then(|(_, calendar, running)| clock::next(&board.terms.time_control, &calendar, &running));
    if let Some(clock) = &mut board.clock {
        clock.due_at = due.map(|(at, _)| at);
    }
    tx.set_clock(board.number, board.clock.as_ref())
}

/// Computes the current thinking time of a player's running clocks, before the player's calendar changes. Returns the
/// boards, which [`rewind`] stores with the new calendar.
pub(crate) fn count_up(tx: &mut Transaction<'_>, player: &Player, now: DateTime<Utc>) -> store::Result<Vec<Board>> {
    let mut boards = Vec::new();
    for number in tx.waiting_for(player.id)? {
        let Some(mut board) = tx.board(number)? else { continue };
        if let Some((_, calendar, running)) = running(tx, &board)?
            && let Some(clock) = &mut board.clock
        {
            clock.thinking_time = clock::thinking_time(&calendar, &running, now);
            clock.since = clock.since.max(now);
            boards.push(board);
        }
    }
    Ok(boards)
}

/// Stores the clocks of the boards that [`count_up`] returned, after the player's calendar has changed.
pub(crate) fn rewind(tx: &mut Transaction<'_>, boards: Vec<Board>) -> store::Result<()> {
    for mut board in boards {
        set_due(tx, &mut board)?;
    }
    Ok(())
}

/// Returns a board's clock as its readers see it.
pub(crate) fn view(tx: &Transaction<'_>, board: &Board, now: DateTime<Utc>) -> store::Result<Option<ClockView>> {
    let Some((seat, calendar, running)) = running(tx, board)? else { return Ok(None) };
    let mut used = [board.seats[0].used, board.seats[1].used];
    let thinking_time = clock::thinking_time(&calendar, &running, now);
    used[seat.index()] += thinking_time.max(TimeDelta::zero());
    let bank = board.terms.time_control.fischer.map(|fischer| {
        let of = |seat: Seat| days(fischer.bank(board.seats[seat.index()].credit, used[seat.index()]));
        BankView { days: Seat::BOTH.map(of), plus_days: fischer.plus, cap_days: fischer.cap }
    });
    let deadline = end(tx, board, &calendar, &running, now)?;
    let left = match board.terms.time_control.limit(running.used) {
        Some(limit) if limit - thinking_time < GRACE => deadline.map(|end| calendar.counted(now, end)),
        limit => limit.map(|limit| limit - thinking_time),
    };
    let next = clock::next(&board.terms.time_control, &calendar, &running);
    let out_of_reach = tx.out_of_reach(board.players[seat.index()].id)?.is_some();
    let letters_stopped = letters_stopped(tx, board.players[seat.index()].id, board.number)?;
    Ok(Some(ClockView {
        userid: board.players[seat.index()].userid.clone(),
        reminder_at: next.filter(|(_, due)| *due == clock::Due::Reminder).map(|(at, _)| at),
        deadline,
        left_days: left.map(|left| days(left.max(TimeDelta::zero()))),
        stands_until: calendar.stands_until(now).filter(|until| *until < NEVER),
        out_of_reach,
        letters_stopped,
        stood: stood(tx, board, seat)?,
        bank,
        total_days: board.terms.time_control.total,
        used_days: used.map(days),
    }))
}

/// Returns when the game is forfeited: when the thinking time is used up, but at least [`GRACE`] after the last
/// reminder. An unsent reminder is treated as sent when it is due, or now if it is overdue.
fn end(
    tx: &Transaction<'_>,
    board: &Board,
    calendar: &Calendar,
    running: &Running,
    now: DateTime<Utc>,
) -> store::Result<Option<DateTime<Utc>>> {
    let Some(limit) = clock::deadline(&board.terms.time_control, calendar, running) else { return Ok(None) };
    let ladder = board.terms.time_control.ladder(running.used);
    let Some(last) = ladder.last() else { return Ok(Some(limit)) };
    let wait = *last - running.thinking_time;
    let Some(due_at) = calendar.after(running.since, wait) else { return Ok(Some(limit)) };
    let reminder = match ladder.len() > running.reminded as usize {
        true => None,
        false => tx.reminder(board.number, board.entries)?,
    };
    let is_last = |reminder: &OutboxNotice| wait <= TimeDelta::zero() || reminder.created_at >= due_at;
    let sent = reminder.filter(is_last).and_then(|reminder| reminder.sent_at).filter(|sent| *sent <= now);
    let end = match sent {
        Some(sent) => end_of_grace(tx, calendar, sent)?,
        None => calendar.after(due_at.max(now), GRACE),
    };
    Ok(end.map(|end| end.max(limit)))
}

/// Returns the end of the [`GRACE`] period that begins at `since`. Standstills extend the period. A player's calendar
/// lacks ended standstills, so this function adds them.
pub(crate) fn end_of_grace(
    tx: &Transaction<'_>,
    calendar: &Calendar,
    since: DateTime<Utc>,
) -> store::Result<Option<DateTime<Utc>>> {
    let mut calendar = calendar.clone();
    calendar.vacations.extend(standstills(tx)?.vacations);
    Ok(calendar.after(since, GRACE))
}

/// Returns all standstills as a calendar.
pub(crate) fn standstills(tx: &Transaction<'_>) -> store::Result<Calendar> {
    let span = |stop: Stop| Span { from: stop.from, until: stop.until.unwrap_or(NEVER) };
    let vacations = tx.standstills()?.into_iter().map(span).collect();
    Ok(Calendar { zone: Zone::UTC, weekend: Weekend::default(), night: Night::default(), vacations })
}

/// Returns the current standstill of all clocks, or the last one of this turn.
fn stood(tx: &Transaction<'_>, board: &Board, seat: Seat) -> store::Result<Option<StandstillView>> {
    let stops = tx.stops(board.players[seat.index()].id)?.into_iter();
    let in_turn = |stop: &Stop| stop.until.is_none_or(|until| until > board.moved_at);
    let standstills = stops.filter(|stop| stop.cause != StopCause::Vacation && in_turn(stop));
    let last = standstills.max_by_key(|stop| stop.until.unwrap_or(NEVER));
    Ok(last.map(|Stop { from, until, cause, reason }| StandstillView { from, until, cause, reason }))
}

/// Returns whether a player has stopped the letters about this board, or all letters.
fn letters_stopped(tx: &Transaction<'_>, player: PlayerId, board: BoardNumber) -> store::Result<bool> {
    let none = |player: Player| player.settings.letters == UnsolicitedLetters::None;
    Ok(tx.is_muted(player, board)? || tx.player_by_id(player)?.is_some_and(none))
}

/// A running clock, for the administrator.
pub struct ClockRow {
    /// The board's number.
    pub number: BoardNumber,
    /// The clock as the players of the board see it.
    pub clock: ClockView,
    /// The number of reminders that have become due on this ply.
    pub reminded: u32,
    /// The newest reminder of this turn.
    pub reminder: Option<OutboxNotice>,
    /// The time of the clock's next event.
    pub due_at: Option<DateTime<Utc>>,
    /// Whether the player has used up the thinking time. Even then, the game ends at the earliest a day after the last
    /// reminder was sent.
    pub used_up: bool,
}

/// Returns every running clock, by board.
///
/// # Errors
/// If the store fails.
pub fn running_clocks(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<Vec<ClockRow>> {
    let mut rows = Vec::new();
    for board in tx.boards(None, None, true)? {
        if let (Some(clock), Some(seen)) = (board.clock, view(tx, &board, now)?) {
            let reminder = tx.reminder(board.number, board.entries)?;
            let (reminded, due_at) = (clock.reminded, clock.due_at);
            let limit = running(tx, &board)?
                .and_then(|(_, calendar, running)| clock::deadline(&board.terms.time_control, &calendar, &running));
            let used_up = limit.is_some_and(|limit| limit <= now);
            rows.push(ClockRow { number: board.number, clock: seen, reminded, reminder, due_at, used_up });
        }
    }
    Ok(rows)
}

/// Converts a duration to days, rounded to a tenth.
pub(crate) fn days(time: TimeDelta) -> f64 {
    (time.num_seconds() as f64 / 8_640.0).round() / 10.0
}

/// The interval at which a process records that it watches the clocks.
pub const SEEN: TimeDelta = TimeDelta::hours(1);
/// If two recorded times are further apart than this, the server was off between them. The limit is more than a day,
/// because a process that runs once a day may be late.
const OUTAGE: TimeDelta = TimeDelta::hours(25);
/// After a standstill of at least this length, the player to move has at least `nagtime` left. If letters are held for
/// a shorter time, the clocks continue as if they had not been held.
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
        // Checks within an hour of the last recorded one are not recorded, so the outage begins only after that hour.
        let Some(from) = last.filter(|last| now - *last > OUTAGE).map(|last| last + SEEN) else { return Ok(None) };
        let outage = Span { from, until: now };
        tx.add_standstill(&Stop { from, until: Some(now), cause: StopCause::Off, reason: String::new() })?;
        restart_clocks(tx, Some(outage), now)?;
        Ok(Some(outage))
    }

    /// Stops all clocks until [`Service::end_standstill`]. Returns when the standstill with this cause began.
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
        let reason = request::clean(reason).replace('\n', " ");
        tx.add_standstill(&Stop { from: now, until: None, cause, reason })?;
        Ok(now)
    }

    /// Ends a standstill. Returns when it began, or `None` if there is no current standstill with this cause.
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

    /// Starts maintenance, or changes the reason for the current maintenance. Returns when the maintenance began.
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
        count_up_to(tx, &mut board, None, |so_far| so_far - time, now)?;
        Ok(true)
    }
}

/// Stores the current thinking time of every clock, without the standstill that has ended.
fn restart_clocks(tx: &mut Transaction<'_>, ended: Option<Span>, now: DateTime<Utc>) -> store::Result<()> {
    let is_long = ended.is_some_and(|span| span.until - span.from >= LONG);
    for mut board in tx.boards(None, None, true)? {
        let most = is_long.then(|| most_thinking_time(&board)).flatten();
        count_up_to(tx, &mut board, ended, |so_far| most.map_or(so_far, |most| so_far.min(most)), now)?;
    }
    Ok(())
}

/// Returns the thinking time on this ply after which the player has `nagtime` left, but at least a day; `None` if the
/// thinking time is unlimited.
fn most_thinking_time(board: &Board) -> Option<TimeDelta> {
    most_leaving(board, TimeDelta::days(i64::from(board.terms.time_control.nag.max(1))))
}

/// Returns the thinking time on this ply after which the player has `time` left; `None` if the thinking time is
/// unlimited.
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
    count_up_to(tx, board, None, |so_far| most.map_or(so_far, |most| so_far.min(most)), now)
}

/// Passes the current thinking time of a clock, without the ended standstill, to `change`, and stores the result. If
/// the result is shorter, reminders may become due again.
fn count_up_to(
    tx: &mut Transaction<'_>,
    board: &mut Board,
    ended: Option<Span>,
    change: impl FnOnce(TimeDelta) -> TimeDelta,
    now: DateTime<Utc>,
) -> store::Result<()> {
    let Some((_, mut calendar, running)) = running(tx, board)? else { return Ok(()) };
    calendar.vacations.extend(ended);
    let so_far = clock::thinking_time(&calendar, &running, now);
    let thinking_time = change(so_far);
    if board.event.is_some() && thinking_time < so_far {
        tx.postpone_event_board(board.number, so_far - thinking_time)?;
    }
    let reached = board.terms.time_control.ladder(running.used).iter().filter(|step| **step <= thinking_time).count();
    if let Some(clock) = &mut board.clock {
        clock.thinking_time = thinking_time;
        clock.since = clock.since.max(now);
        clock.reminded = clock.reminded.min(reached as u32);
    }
    set_due(tx, board)
}
