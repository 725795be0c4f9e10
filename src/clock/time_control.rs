//! Thinking time: reminders and the forfeit.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::calendar::Calendar;

/// The minimum time between two reminders of a ply.
const APART: TimeDelta = TimeDelta::hours(12);
/// The thinking time between the last reminder and the limit.
const NOTICE: TimeDelta = TimeDelta::days(1);

/// A board's time control, in days of 24 hours; 0 means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TimeControl")]
pub struct TimeControl<Days = u32> {
    /// Thinking time on a ply before the first reminder.
    pub nag: Days,
    /// Thinking time on one ply that forfeits the game.
    pub forfeit: Days,
    /// A player's total thinking time on all plies that forfeits the game.
    pub total: Days,
}

/// The clock of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// The moment from which the current thinking time is counted.
    pub since: DateTime<Utc>,
    /// The thinking time counted on this ply before `since`.
    pub thought: TimeDelta,
    /// The thinking time counted on the player's earlier plies of this board.
    pub used: TimeDelta,
    /// The number of reminders already sent for this ply.
    pub reminded: u32,
}

/// The next event of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// A reminder to the player to move.
    Reminder,
    /// The end of the game: the player to move forfeits.
    Forfeit,
}

impl TimeControl {
    /// Returns the thinking time on this ply that forfeits the game, after `used` on earlier plies. It is the smaller
    /// of `forfeit` and the rest of `total`, and never negative. `None` without a limit.
    pub fn limit(&self, used: TimeDelta) -> Option<TimeDelta> {
        let forfeit = (self.forfeit > 0).then(|| days(self.forfeit));
        let left = (self.total > 0).then(|| (days(self.total) - used).max(TimeDelta::zero()));
        forfeit.into_iter().chain(left).min()
    }

    /// Returns the ladder: the thinking times on this ply at which reminders are due, in ascending order.
    ///
    /// With a limit, these are `nag`, the middle between `nag` and the limit, and one day before the limit (half of a
    /// limit under two days). The last reminder is always sent. The others are omitted if they would be less than 12
    /// hours before it. Only a limit of zero has no ladder, because there is no time before it. Without a limit, the
    /// steps are `nag`, twice `nag` and four times `nag`. If `nag` is 0, only the last step remains, and without a
    /// limit there are no steps.
    pub fn ladder(&self, used: TimeDelta) -> Vec<TimeDelta> {
        let nag = days(self.nag);
        let Some(limit) = self.limit(used) else {
            return if self.nag == 0 { Vec::new() } else { vec![nag, nag * 2, nag * 4] };
        };
        if limit.is_zero() {
            return Vec::new();
        }
        let last = if limit < NOTICE * 2 { seconds(limit / 2) } else { limit - NOTICE };
        // If `nag` is early enough, the middle is at least 18 hours later, since a day and a half remains. If `nag`
        // is too late (it may exceed the limit), so is the middle.
        let earlier = [nag, seconds((nag + limit) / 2)].into_iter();
        earlier.filter(|step| self.nag > 0 && *step <= last - APART).chain([last]).collect()
    }
}

/// Returns the next event and its time, if the player does not move: the first unsent reminder of the ladder, or the
/// forfeit. The time is in the past if the clock has not been checked since. If the limit was already exceeded when
/// the clock started, the game is forfeited without a reminder. `None` if nothing is due, ever.
pub fn next(time_control: &TimeControl, calendar: &Calendar, running: &Running) -> Option<(DateTime<Utc>, Due)> {
    let forfeit = deadline(time_control, calendar, running).map(|at| (at, Due::Forfeit));
    let step =
        usize::try_from(running.reminded).ok().and_then(|told| time_control.ladder(running.used).get(told).copied());
    let reminder = step.and_then(|step| calendar.after(running.since, step - running.thought));
    let reminder = reminder.map(|at| (at, Due::Reminder));
    // If both are due at the same moment, the forfeit comes first.
    forfeit.into_iter().chain(reminder).min_by_key(|(at, _)| *at)
}

/// Returns the moment when the game is forfeited if the player does not move; `None` for never.
pub fn deadline(time_control: &TimeControl, calendar: &Calendar, running: &Running) -> Option<DateTime<Utc>> {
    let limit = time_control.limit(running.used)?;
    calendar.after(running.since, limit - running.thought)
}

/// Returns the thinking time on this ply up to now.
pub fn thought(calendar: &Calendar, running: &Running, now: DateTime<Utc>) -> TimeDelta {
    running.thought + calendar.counted(running.since, now)
}

fn days(count: u32) -> TimeDelta {
    TimeDelta::days(i64::from(count))
}

/// Truncates a duration to whole seconds.
fn seconds(time: TimeDelta) -> TimeDelta {
    TimeDelta::seconds(time.num_seconds())
}
