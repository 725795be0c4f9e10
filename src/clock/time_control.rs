//! How long a player may think: reminders and the forfeit.

use chrono::{DateTime, TimeDelta, Utc};

use super::calendar::Calendar;

/// The least time between two reminders of a ply.
const APART: TimeDelta = TimeDelta::hours(12);
/// How much thinking time before the limit the last reminder comes.
const NOTICE: TimeDelta = TimeDelta::days(1);

/// A board's time control, in days of 24 hours; 0 means none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TimeControl {
    /// Thinking time on a ply at which the first reminder comes.
    pub nag: u32,
    /// Thinking time on one ply that forfeits the game.
    pub forfeit: u32,
    /// Thinking time of one player on all their plies together that forfeits the game.
    pub total: u32,
}

/// The clock of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// The moment from which thinking on this ply is counted.
    pub since: DateTime<Utc>,
    /// The thinking time counted on this ply before that moment.
    pub thought: TimeDelta,
    /// The thinking time counted on the player's earlier plies of this board.
    pub used: TimeDelta,
    /// How many steps of the ladder have been told on this ply.
    pub reminded: u32,
}

/// The next thing that a clock asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// A reminder to the player to move.
    Reminder,
    /// The end of the game: the player to move has forfeited it.
    Forfeit,
}

impl TimeControl {
    /// The thinking time on this ply that forfeits the game, when so much was used on earlier plies: the smaller of
    /// `forfeit` and what is left of `total`, never negative. `None` when no thinking time does.
    pub fn limit(&self, used: TimeDelta) -> Option<TimeDelta> {
        let forfeit = (self.forfeit > 0).then(|| days(self.forfeit));
        let left = (self.total > 0).then(|| (days(self.total) - used).max(TimeDelta::zero()));
        forfeit.into_iter().chain(left).min()
    }

    /// The ladder: the thinking times on this ply at which a reminder is due, ascending.
    ///
    /// With a limit these are `nag`, the middle between that and the limit, and one day before the limit (half of a
    /// limit under two days). The last always comes; of the others, those less than 12 hours before it are left out.
    /// Only a limit of zero has no ladder, as there is no time before it. Without a limit the steps are once, twice
    /// and four times `nag`. `nag` 0 leaves the last step only, or without a limit none.
    pub fn ladder(&self, used: TimeDelta) -> Vec<TimeDelta> {
        let nag = days(self.nag);
        let Some(limit) = self.limit(used) else {
            return if self.nag == 0 { Vec::new() } else { vec![nag, nag * 2, nag * 4] };
        };
        if limit.is_zero() {
            return Vec::new();
        }
        let last = if limit < NOTICE * 2 { seconds(limit / 2) } else { limit - NOTICE };
        // Where `nag` comes in time, the middle is at least 18 hours after it, since a day and a half is left. Where
        // it does not (it may be beyond the limit), the middle comes too late as well.
        let earlier = [nag, seconds((nag + limit) / 2)].into_iter();
        earlier.filter(|step| self.nag > 0 && *step <= last - APART).chain([last]).collect()
    }
}

/// What happens next and when, if the player does not move: the first reminder of the ladder not told yet, or the
/// forfeit. It may lie in the past, if nobody has looked since. Thinking that was over the limit when the clock
/// started forfeits without a reminder. `None` when nothing ever happens.
pub fn next(time_control: &TimeControl, calendar: &Calendar, running: &Running) -> Option<(DateTime<Utc>, Due)> {
    let forfeit = deadline(time_control, calendar, running).map(|at| (at, Due::Forfeit));
    let step =
        usize::try_from(running.reminded).ok().and_then(|told| time_control.ladder(running.used).get(told).copied());
    let reminder = step.and_then(|step| calendar.after(running.since, step - running.thought));
    let reminder = reminder.map(|at| (at, Due::Reminder));
    // At the same moment the forfeit goes first.
    forfeit.into_iter().chain(reminder).min_by_key(|(at, _)| *at)
}

/// The moment when the game is forfeited if the player does not move; `None` for never.
pub fn deadline(time_control: &TimeControl, calendar: &Calendar, running: &Running) -> Option<DateTime<Utc>> {
    let limit = time_control.limit(running.used)?;
    calendar.after(running.since, limit - running.thought)
}

/// The thinking time on this ply up to now.
pub fn thought(calendar: &Calendar, running: &Running, now: DateTime<Utc>) -> TimeDelta {
    running.thought + calendar.counted(running.since, now)
}

fn days(count: u32) -> TimeDelta {
    TimeDelta::days(i64::from(count))
}

/// Cuts a duration to whole seconds.
fn seconds(time: TimeDelta) -> TimeDelta {
    TimeDelta::seconds(time.num_seconds())
}
