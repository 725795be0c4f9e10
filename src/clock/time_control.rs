//! Thinking time: its limits, reminders and forfeits.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::calendar::Calendar;

/// The minimum time between two reminders of a ply.
const APART: TimeDelta = TimeDelta::hours(12);
/// The thinking time between the last reminder and a limit of at least two days.
const NOTICE: TimeDelta = TimeDelta::days(1);

/// The largest number of days in a Fischer clock.
const MOST: u32 = 365;

/// A board's time control, in days of 24 hours; 0 means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TimeControl")]
pub struct TimeControl<Days = u32> {
    /// The thinking time on a ply before the first reminder.
    pub nag: Days,
    /// The thinking time on one ply after which the player forfeits the game.
    pub forfeit: Days,
    /// The total thinking time on all plies after which the player forfeits the game.
    pub total: Days,
    /// A bank of thinking time that grows with each ply. It replaces `total`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fischer: Option<Fischer>,
}

/// A Fischer clock, in days of 24 hours. A player who has used up the bank forfeits the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fischer {
    /// The bank of each player at the start.
    #[schemars(range(min = 1, max = MOST))]
    pub start: u32,
    /// The time that each ply adds to its player's bank.
    #[schemars(range(min = 0, max = MOST))]
    pub plus: u32,
    /// The largest bank after a ply.
    #[schemars(range(min = 1, max = MOST))]
    pub cap: u32,
}

/// The error for a text that does not describe a Fischer clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidFischer;

impl fmt::Display for Fischer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.start, self.plus, self.cap)
    }
}

impl FromStr for Fischer {
    type Err = InvalidFischer;

    /// Reads `10/1/20`: from 1 to 365 days at the start, at most 365 more for each ply, and a cap from the start to 365
    /// days.
    fn from_str(text: &str) -> Result<Fischer, InvalidFischer> {
        let mut numbers = text.split('/').map(|word| match word.bytes().all(|byte| byte.is_ascii_digit()) {
            true => word.parse().map_err(|_| InvalidFischer),
            false => Err(InvalidFischer),
        });
        let mut number = || numbers.next().unwrap_or(Err(InvalidFischer));
        let fischer = Fischer { start: number()?, plus: number()?, cap: number()? };
        let Fischer { start, plus, cap } = fischer;
        let is_valid = (1..=MOST).contains(&start) && plus <= MOST && (start..=MOST).contains(&cap);
        if is_valid && numbers.next().is_none() { Ok(fischer) } else { Err(InvalidFischer) }
    }
}

impl Fischer {
    /// Returns a player's credit after a ply. The bank is `start` plus the credit, less the used time. An overdrawn
    /// bank is set to zero before `plus` is added, and the bank is at most `cap` afterwards.
    pub fn credited(&self, credit: TimeDelta, used: TimeDelta) -> TimeDelta {
        let (start, plus, cap) = (days(self.start), days(self.plus), days(self.cap));
        (credit.max(used - start) + plus).min(cap - start + used)
    }

    /// Returns the bank of a player with this credit and used time.
    pub fn bank(&self, credit: TimeDelta, used: TimeDelta) -> TimeDelta {
        (days(self.start) + credit - used).max(TimeDelta::zero())
    }
}

/// The clock of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// The moment from which the current thinking time is counted.
    pub since: DateTime<Utc>,
    /// The thinking time counted on this ply before `since`.
    pub thinking_time: TimeDelta,
    /// The thinking time counted on the player's earlier plies of this board, less the credit of a Fischer clock.
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
    /// Returns the thinking time on this ply after which the player forfeits the game. `used` is the thinking time on
    /// earlier plies, less the credit of a Fischer clock. The limit is `forfeit`, or the rest of `total` or of the bank
    /// if that is smaller. It is never negative. Returns `None` if the board has no limit.
    pub fn limit(&self, used: TimeDelta) -> Option<TimeDelta> {
        let forfeit = (self.forfeit > 0).then(|| days(self.forfeit));
        let all = self.fischer.map_or(self.total, |fischer| fischer.start);
        let left = (all > 0).then(|| (days(all) - used).max(TimeDelta::zero()));
        forfeit.into_iter().chain(left).min()
    }

    /// Returns the ladder: the thinking times on this ply at which reminders are due, in ascending order.
    ///
    /// If there is a limit, these are `nag`, the middle between `nag` and the limit, and one day before the limit
    /// (half of the limit if it is under two days). The last reminder is always sent. The others are omitted if they
    /// would be less than 12 hours before it. Only a limit of zero has no ladder, because there is no time before it.
    /// If there is no limit, the steps are `nag`, twice `nag` and four times `nag`. If `nag` is 0, only the last
    /// reminder before a limit remains.
    pub fn ladder(&self, used: TimeDelta) -> Vec<TimeDelta> {
        let nag = days(self.nag);
        let Some(limit) = self.limit(used) else {
            return if self.nag == 0 { Vec::new() } else { vec![nag, nag * 2, nag * 4] };
        };
        if limit.is_zero() {
            return Vec::new();
        }
        let last = if limit < NOTICE * 2 { seconds(limit / 2) } else { limit - NOTICE };
        // If `nag` is early enough, at least a day and a half remain until the limit, so the middle is at least 18
        // hours after `nag`. If `nag` is too late (it may exceed the limit), so is the middle.
        let earlier = [nag, seconds((nag + limit) / 2)].into_iter();
        earlier.filter(|step| self.nag > 0 && *step <= last - APART).chain([last]).collect()
    }
}

/// Returns the next event and its time, if the player does not move: the first unsent reminder of the ladder, or the
/// forfeit. The time may be in the past, because clocks are checked only at intervals. If the limit was already
/// reached when the clock started, the event is the forfeit, even if no reminder was sent. Returns `None` if no event
/// will follow.
pub fn next(time_control: &TimeControl, calendar: &Calendar, running: &Running) -> Option<(DateTime<Utc>, Due)> {
    let forfeit = deadline(time_control, calendar, running).map(|at| (at, Due::Forfeit));
    let step = usize::try_from(running.reminded)
        .ok()
        .and_then(|reminders| time_control.ladder(running.used).get(reminders).copied());
    let reminder = step.and_then(|step| calendar.after(running.since, step - running.thinking_time));
    let reminder = reminder.map(|at| (at, Due::Reminder));
    // If both are due at the same moment, the forfeit takes precedence.
    forfeit.into_iter().chain(reminder).min_by_key(|(at, _)| *at)
}

/// Returns the moment when the thinking time is used up if the player does not move; `None` if it never is. The caller
/// may forfeit the game later.
pub fn deadline(time_control: &TimeControl, calendar: &Calendar, running: &Running) -> Option<DateTime<Utc>> {
    let limit = time_control.limit(running.used)?;
    calendar.after(running.since, limit - running.thinking_time)
}

/// Returns the thinking time on this ply up to now.
pub fn thinking_time(calendar: &Calendar, running: &Running, now: DateTime<Utc>) -> TimeDelta {
    running.thinking_time + calendar.counted(running.since, now)
}

fn days(count: u32) -> TimeDelta {
    TimeDelta::days(i64::from(count))
}

/// Truncates a duration to whole seconds.
fn seconds(time: TimeDelta) -> TimeDelta {
    TimeDelta::seconds(time.num_seconds())
}
