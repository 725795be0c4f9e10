//! Computes thinking time by looking at every quarter-hour separately.

use chrono::{DateTime, Datelike, DurationRound, TimeDelta, Utc};

use turnpost::clock::{Span, TimeControl, Weekend, Zone};
use turnpost::command::Reminders;

/// The times at which a player's clocks run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Days {
    pub(crate) zone: Zone,
    pub(crate) weekend: Weekend,
    /// Vacations, standstills, and times without a working address.
    pub(crate) off: Vec<Span>,
    pub(crate) out_of_reach: bool,
    /// When the player last became reachable again.
    pub(crate) back_in_reach: Option<DateTime<Utc>>,
    /// The reminders that the player wants.
    pub(crate) reminders: Reminders,
}

/// The standstills of a run.
#[derive(Default)]
pub(crate) struct Standstills {
    /// All standstills, in order.
    pub(crate) spans: Vec<Span>,
    /// When all due work was last completed.
    pub(crate) done_at: Option<DateTime<Utc>>,
}

impl Days {
    /// Returns the thinking time between two points in time. Every time zone's offset is a multiple of a quarter-hour,
    /// so a quarter-hour never belongs to two days.
    pub(crate) fn counted(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> TimeDelta {
        let quarter = TimeDelta::minutes(15);
        let mut off: Vec<Span> =
            self.off.iter().filter(|span| span.from < until && from < span.until).copied().collect();
        off.sort_unstable_by_key(|span| (span.from, span.until));
        let mut total = TimeDelta::zero();
        let mut at = from;
        while at < until {
            let next = at.duration_trunc(quarter).unwrap_or(at) + quarter;
            let end = next.min(until);
            let day = self.zone.shown(at).weekday().num_days_from_monday();
            if !self.weekend.contains(day) {
                total += outside(&off, at, end);
            }
            at = end;
        }
        total
    }
}

/// Returns the length of a short period without the parts that `off` contains. `off` is in order.
fn outside(off: &[Span], from: DateTime<Utc>, until: DateTime<Utc>) -> TimeDelta {
    let (mut at, mut total) = (from, TimeDelta::zero());
    for span in off {
        if span.from > at {
            total += span.from.min(until) - at;
        }
        at = at.max(span.until).min(until.max(at));
        if at >= until {
            return total;
        }
    }
    total + (until - at)
}

/// Returns the thinking time on one ply after which the board is lost.
pub(crate) fn limit(terms: &TimeControl, used: TimeDelta) -> Option<TimeDelta> {
    let ply = (terms.forfeit > 0).then(|| TimeDelta::days(terms.forfeit.into()));
    let total = (terms.total > 0).then(|| (TimeDelta::days(terms.total.into()) - used).max(TimeDelta::zero()));
    match (ply, total) {
        (Some(ply), Some(total)) => Some(ply.min(total)),
        (one, other) => one.or(other),
    }
}

/// Returns the thinking times on one ply at which reminders are due, according to docs/play/clocks-and-letters.md.
pub(crate) fn reminders(terms: &TimeControl, used: TimeDelta) -> Vec<TimeDelta> {
    let nag = TimeDelta::days(terms.nag.into());
    let Some(limit) = limit(terms, used) else {
        return if terms.nag == 0 { Vec::new() } else { vec![nag, nag * 2, nag * 4] };
    };
    if limit == TimeDelta::zero() {
        return Vec::new();
    }
    let day = TimeDelta::days(1);
    let last = if limit < day * 2 { TimeDelta::seconds(limit.num_seconds() / 2) } else { limit - day };
    let middle = TimeDelta::seconds((nag + limit).num_seconds() / 2);
    let mut times = Vec::new();
    for time in [nag, middle] {
        if terms.nag > 0 && last - time >= TimeDelta::hours(12) {
            times.push(time);
        }
    }
    times.push(last);
    times
}
