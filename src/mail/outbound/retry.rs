//! Schedules the retries of letters.
//!
//! The first retry follows after 5 minutes, then 10, 20, … with up to 20 % jitter, so that letters that failed together
//! are not retried together. The interval is at most 4 hours. Retries end 5 days after the letter was bound, because
//! its notices may have been held long before. Every letter gets a minimum number of attempts: we may have been down
//! for days, or the mail server may have refused everything.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::store::OutboxNotice;
use crate::world::World;

const FIRST_RETRY: TimeDelta = TimeDelta::minutes(5);
const LAST_RETRY: TimeDelta = TimeDelta::hours(4);
const GIVEN_UP: TimeDelta = TimeDelta::days(5);
/// The minimum number of attempts, which take about 13 hours.
const LEAST_ATTEMPTS: u32 = 8;

/// Returns the next attempt at a notice that failed at `now`; `None` if it is given up.
pub fn retry_at(notice: &OutboxNotice, now: DateTime<Utc>, world: &World) -> Option<DateTime<Utc>> {
    let is_old = !Span::last(GIVEN_UP, now).contains(notice.bound_at.unwrap_or(notice.created_at));
    if is_old && notice.attempts + 1 >= LEAST_ATTEMPTS {
        return None;
    }
    // The sixth doubling already exceeds the maximum; more would only overflow.
    let wait = (FIRST_RETRY * 2_i32.pow(notice.attempts.min(6))).min(LAST_RETRY);
    let wait = TimeDelta::seconds(wait.num_seconds() * i64::from(world.jitter()) / 100);
    Some(now + wait.min(LAST_RETRY))
}
