//! Looks at the system's clock, by which it is found that the clock went back.
//!
//! A clock that goes back may be put right, or wrong. It is put right when it was set ahead before: there was a gap between
//! two looks, and it is back at a time after the first of them. Then what was stamped and scheduled in the time that never
//! came is set anew. Otherwise the time is before one that was seen and believed: nothing is set anew, and thinking time
//! stands still until the clock has come to where it was. When it has not within a day, it is believed as well.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::clock::TOLERATED;
use crate::state_file;

/// How often a look is written down.
const WRITTEN: TimeDelta = TimeDelta::seconds(10);
/// A longer time between two looks is a gap: the clock may have been set ahead, or nobody was there.
const GAP: TimeDelta = TimeDelta::hours(1);
/// After this time what followed a gap is believed.
const GAP_COUNTS: TimeDelta = TimeDelta::days(7);
/// After this time a clock that went back is believed.
const BELIEVED: TimeDelta = TimeDelta::days(1);

/// What is remembered of the looks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Looks {
    /// The latest time that was believed.
    last: Option<DateTime<Utc>>,
    /// The looks before and after the last gap.
    gap: Option<(DateTime<Utc>, DateTime<Utc>)>,
    /// The first look at a clock that went back and is not believed.
    behind_since: Option<DateTime<Utc>>,
}

/// What a look shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Nothing new.
    Nothing,
    /// The clock went back by so much, and is not believed.
    Behind(TimeDelta),
    /// The clock went back by so much, and is right now.
    Corrected(TimeDelta),
}

impl Looks {
    /// What an earlier process remembered; nothing when there was none, or when its file cannot be read.
    pub(super) fn read(file: &Path) -> Looks {
        state_file::read(file)
    }

    /// Looks at the clock, and remembers it.
    pub(super) fn look(&mut self, now: DateTime<Utc>) -> Shown {
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
            return Shown::Nothing;
        }
        let was_ahead = self.gap.is_some_and(|(before, _)| now >= before - TOLERATED);
        if was_ahead || self.behind_since.is_some_and(|since| now - since >= BELIEVED) {
            *self = Looks { last: Some(now), ..Looks::default() };
            return Shown::Corrected(back);
        }
        if self.behind_since.is_some_and(|since| now >= since - TOLERATED) {
            return Shown::Nothing;
        }
        self.behind_since = Some(now);
        Shown::Behind(back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64, minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(20_000 + day) + TimeDelta::minutes(minutes)
    }

    #[test]
    fn a_clock_that_was_ahead_is_put_right() {
        let mut looks = Looks::default();
        for now in [at(0, 0), at(0, 1), at(40, 0), at(40, 1)] {
            assert_eq!(looks.look(now), Shown::Nothing);
        }
        assert_eq!(looks.look(at(0, 5)), Shown::Corrected(TimeDelta::days(40) - TimeDelta::minutes(4)));
        assert_eq!(looks.look(at(0, 6)), Shown::Nothing);
    }

    #[test]
    fn a_clock_that_went_back_without_having_been_ahead_is_told_once_and_believed_after_a_day() {
        let mut looks = Looks::default();
        assert_eq!(looks.look(at(0, 0)), Shown::Nothing);
        assert_eq!(looks.look(at(-40, 0)), Shown::Behind(TimeDelta::days(40)));
        assert_eq!(looks.look(at(-40, 1)), Shown::Nothing);
        // Right again.
        let mut right = looks.clone();
        assert_eq!(right.look(at(0, 2)), Shown::Nothing);
        assert_eq!(right.behind_since, None);
        assert_eq!(looks.look(at(-39, 0)), Shown::Corrected(TimeDelta::days(39)));
    }

    #[test]
    fn small_steps_and_a_server_that_was_off_are_nothing() {
        let mut looks = Looks::default();
        for now in [at(0, 10), at(0, 9), at(0, 11), at(3, 0), at(3, 0)] {
            assert_eq!(looks.look(now), Shown::Nothing);
        }
        // What followed a gap is believed after a week.
        for hours in 0..=200 {
            assert_eq!(looks.look(at(3, hours * 60)), Shown::Nothing);
        }
        assert!(matches!(looks.look(at(5, 0)), Shown::Behind(_)));
    }
}
