//! Detects backward steps of the system clock.
//!
//! A backward step either corrects a wrong clock or makes a correct clock wrong. It is a correction if the clock jumped
//! ahead before: the previous readings have a gap, and the new time is after the gap's start. In this case, all times
//! recorded or scheduled while the clock was ahead are adjusted. Otherwise the new time contradicts trusted readings,
//! so nothing is adjusted, and thinking time does not advance until the clock reaches the previous time again. If that
//! takes more than a day, the new time is trusted.
//!
//! A machine whose clock has no battery can start with a wrong time. Without the adjustment, letters and players'
//! clocks that are dated in the future would wait until that date.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::clock::TOLERATED;
use crate::state_file;

/// The minimum interval between stored readings.
const WRITTEN: TimeDelta = TimeDelta::seconds(10);
/// If two consecutive readings are further apart than this, there is a gap between them: either the clock was set
/// ahead, or the server was not running.
const GAP: TimeDelta = TimeDelta::hours(1);
/// The readings after a gap are trusted when the gap is older than this.
const GAP_COUNTS: TimeDelta = TimeDelta::days(7);
/// If the clock stays behind for this long, its new time is trusted.
const BELIEVED: TimeDelta = TimeDelta::days(1);

/// The readings of the system clock that are needed to detect backward steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ClockMonitor {
    /// The latest trusted time.
    last: Option<DateTime<Utc>>,
    /// The last reading before the latest gap, and the first one after it.
    gap: Option<(DateTime<Utc>, DateTime<Utc>)>,
    /// The first reading after a backward step whose new time is not yet trusted.
    behind_since: Option<DateTime<Utc>>,
}

/// The result of checking a reading of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockStep {
    /// There is no new backward step.
    Nothing,
    /// The clock was set back by this much, and its new time is not trusted.
    Behind(TimeDelta),
    /// The clock was set back by this much, and its new time is trusted.
    Corrected(TimeDelta),
}

impl ClockMonitor {
    /// Reads the stored readings. Returns an empty state if the file is missing or unreadable.
    pub(crate) fn read(file: &Path) -> ClockMonitor {
        state_file::read(file)
    }

    /// Evaluates and records a reading of the clock.
    pub(crate) fn check(&mut self, now: DateTime<Utc>) -> ClockStep {
        let last = *self.last.get_or_insert(now);
        let back = last - now;
        if back <= TOLERATED {
            if -back > GAP {
                self.gap = Some((last, now));
            } else if self.gap.is_some_and(|(_, after)| now - after > GAP_COUNTS) {
                self.gap = None;
            }
            if -back >= WRITTEN {
                self.last = Some(now);
            }
            self.behind_since = None;
            return ClockStep::Nothing;
        }
        let was_ahead = self.gap.is_some_and(|(before, _)| now >= before - TOLERATED);
        if was_ahead || self.behind_since.is_some_and(|since| now - since >= BELIEVED) {
            *self = ClockMonitor { last: Some(now), ..ClockMonitor::default() };
            return ClockStep::Corrected(back);
        }
        if self.behind_since.is_some_and(|since| now >= since - TOLERATED) {
            return ClockStep::Nothing;
        }
        self.behind_since = Some(now);
        ClockStep::Behind(back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64, minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(20_000 + day) + TimeDelta::minutes(minutes)
    }

    #[test]
    fn a_step_back_after_a_step_ahead_is_a_correction() {
        let mut monitor = ClockMonitor::default();
        for now in [at(0, 0), at(0, 1), at(40, 0), at(40, 1)] {
            assert_eq!(monitor.check(now), ClockStep::Nothing);
        }
        assert_eq!(monitor.check(at(0, 5)), ClockStep::Corrected(TimeDelta::days(40) - TimeDelta::minutes(4)));
        assert_eq!(monitor.check(at(0, 6)), ClockStep::Nothing);
    }

    #[test]
    fn an_unexplained_step_back_is_reported_once_and_accepted_after_a_day() {
        let mut monitor = ClockMonitor::default();
        assert_eq!(monitor.check(at(0, 0)), ClockStep::Nothing);
        assert_eq!(monitor.check(at(-40, 0)), ClockStep::Behind(TimeDelta::days(40)));
        assert_eq!(monitor.check(at(-40, 1)), ClockStep::Nothing);
        // A copy of the monitor: its clock returns to the correct time within a day.
        let mut right = monitor.clone();
        assert_eq!(right.check(at(0, 2)), ClockStep::Nothing);
        assert_eq!(right.behind_since, None);
        assert_eq!(monitor.check(at(-39, 0)), ClockStep::Corrected(TimeDelta::days(39)));
    }

    #[test]
    fn small_steps_and_outages_are_ignored() {
        let mut monitor = ClockMonitor::default();
        for now in [at(0, 10), at(0, 9), at(0, 11), at(3, 0), at(3, 0)] {
            assert_eq!(monitor.check(now), ClockStep::Nothing);
        }
        // After a week, the readings after a gap are trusted.
        for hours in 0..=200 {
            assert_eq!(monitor.check(at(3, hours * 60)), ClockStep::Nothing);
        }
        assert!(matches!(monitor.check(at(5, 0)), ClockStep::Behind(_)));
    }
}
