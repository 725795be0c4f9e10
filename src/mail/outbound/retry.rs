//! When a letter that failed is tried again.
//!
//! After 5 minutes, then 10, 20, … with up to 20 % more or less, so that many letters that failed together do not come
//! back together; never later than 4 hours, and not at all 5 days after the letter was bound: what it tells may
//! have been held for long before. It is tried some times in any case: the server may have been down for days, or the mail
//! server have refused everything.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::store::OutboxNotice;
use crate::world::World;

const FIRST_RETRY: TimeDelta = TimeDelta::minutes(5);
const LAST_RETRY: TimeDelta = TimeDelta::hours(4);
const GIVEN_UP: TimeDelta = TimeDelta::days(5);
/// The least attempts at a letter, which take some 13 hours.
const LEAST_ATTEMPTS: u32 = 8;

/// When a notice that failed at `now` is tried again; `None` when it is given up.
pub fn retry_at(notice: &OutboxNotice, now: DateTime<Utc>, world: &World) -> Option<DateTime<Utc>> {
    let is_old = !Span::last(GIVEN_UP, now).contains(notice.bound_at.unwrap_or(notice.created_at));
    if is_old && notice.attempts + 1 >= LEAST_ATTEMPTS {
        return None;
    }
    // The sixth doubling is beyond the cap already; more would only overflow.
    let wait = (FIRST_RETRY * 2_i32.pow(notice.attempts.min(6))).min(LAST_RETRY);
    let wait = TimeDelta::seconds(wait.num_seconds() * i64::from(world.jitter()) / 100);
    Some(now + wait.min(LAST_RETRY))
}
