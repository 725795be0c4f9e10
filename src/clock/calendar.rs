//! Which time counts for a player, by their own calendar.

use std::iter;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};

use super::weekend::Weekend;
use super::zone::Zone;

/// How far ahead [`Calendar::after`] looks, in days: 100 years.
const HORIZON: i64 = 36_525;

/// The difference that is tolerated between two clocks, and between two readings of one. A system's clock is corrected by
/// small steps all the time; the clocks of nodes that share a database differ; and of two requests at the same time, the one
/// that arrived first may be processed last.
pub const TOLERATED: TimeDelta = TimeDelta::minutes(1);

/// A stretch of time, from its first moment up to (not including) its last. Empty when `until` is not after `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first moment.
    pub from: DateTime<Utc>,
    /// The first moment that is no longer part of it.
    pub until: DateTime<Utc>,
}

impl Span {
    /// Returns the time of this length up to the present: the window of a limit, or the lifetime of what is still valid.
    /// The moment exactly so long ago is not part of it. Nor is a time in the future: a clock that was ahead stamped it, and
    /// it would stay in every window until it has come.
    pub fn last(length: TimeDelta, now: DateTime<Utc>) -> Span {
        Span { from: now - length + TimeDelta::seconds(1), until: now + TOLERATED }
    }

    /// Returns whether a moment is part of it.
    pub fn contains(&self, at: DateTime<Utc>) -> bool {
        self.from <= at && at < self.until
    }

    fn length(&self) -> TimeDelta {
        self.until - self.from
    }
}

/// When a player's clocks stand still: on weekends in their zone, and on vacation.
///
/// A day begins at the first moment at which the player's clock shows it and lasts until the next day begins. With
/// daylight saving time it is 23 or 25 hours long in most zones; a day that a zone skipped has no length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// The player's time zone.
    pub zone: Zone,
    /// The days of the week, in that zone, that do not count.
    pub weekend: Weekend,
    /// The vacations, in any order; they may overlap or touch.
    pub vacations: Vec<Span>,
}

impl Calendar {
    /// The time between two moments that counts for this player: neither on a weekend day of their zone nor in a
    /// vacation. Zero when `until` is not after `from`.
    pub fn counted(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> TimeDelta {
        let stretches = self.stretches(from).take_while(|stretch| stretch.from < until);
        stretches.map(|stretch| stretch.until.min(until) - stretch.from).sum()
    }

    /// The earliest moment at which so much time has been counted since `from`. If the clock stands
    /// still at `from`, counting begins when it runs again; if `wait` is not above zero, the moment is `from` itself.
    ///
    /// `None` beyond 100 years ahead, and beyond chrono's range.
    pub fn after(&self, from: DateTime<Utc>, wait: TimeDelta) -> Option<DateTime<Utc>> {
        if wait <= TimeDelta::zero() {
            return Some(from);
        }
        let horizon = from.checked_add_signed(TimeDelta::days(HORIZON)).unwrap_or(DateTime::<Utc>::MAX_UTC);
        let mut left = wait;
        for stretch in self.stretches(from).take_while(|stretch| stretch.from < horizon) {
            if left <= stretch.length() {
                return Some(stretch.from + left).filter(|at| *at <= horizon);
            }
            left -= stretch.length();
        }
        None
    }

    /// The moment when the clock runs again, if it stands still at `now`; `None` if it runs.
    pub fn stands_until(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        iter::successors(self.stop_ends(now), |end| self.stop_ends(*end)).last()
    }

    /// The next moment strictly after `now` at which the player's own clock shows this full hour (0 to 23; more is
    /// taken as 23). Where daylight saving time skips the hour, it is the first moment after the gap; where the
    /// hour comes twice, the first.
    pub fn next_hour(&self, now: DateTime<Utc>, hour: u8) -> DateTime<Utc> {
        let time = NaiveTime::from_hms_opt(u32::from(hour.min(23)), 0, 0).unwrap_or_default();
        let mut moments = self.day(now).iter_days().map(|day| self.moment(day.and_time(time)));
        moments.find(|moment| *moment > now).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// The moment at which this day begins in the player's zone. Where its midnight does not exist, that is the first
    /// moment of the day; where it comes twice, the first midnight.
    pub fn day_begins(&self, day: NaiveDate) -> DateTime<Utc> {
        self.moment(day.and_time(NaiveTime::MIN))
    }

    /// The first moment at which the player's clock shows this time, or a later one because it skips this one.
    fn moment(&self, local: NaiveDateTime) -> DateTime<Utc> {
        // Nothing is found only within days of the end of chrono's range, where the zone no longer matters.
        self.zone.first_moment(local).unwrap_or(local.and_utc())
    }

    /// The day that a moment is part of.
    fn day(&self, at: DateTime<Utc>) -> NaiveDate {
        let shown = self.zone.shown(at).date_naive();
        // A clock set back over midnight shows the day before once more, but the new day has begun. (St John's in
        // Newfoundland did that every autumn until 2010, at one minute past midnight.)
        shown.iter_days().skip(1).take_while(|day| self.day_begins(*day) <= at).last().unwrap_or(shown)
    }

    fn is_weekend(&self, day: NaiveDate) -> bool {
        self.weekend.contains(day.weekday().num_days_from_monday())
    }

    /// The end of the vacation or weekend day that this moment is in. Another stop may begin or go on at that end.
    fn stop_ends(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let vacation = self.vacations.iter().filter(|span| span.contains(at)).map(|span| span.until).max();
        vacation.or_else(|| {
            let day = self.day(at);
            let next = day.succ_opt().filter(|_| self.is_weekend(day))?;
            Some(self.day_begins(next))
        })
    }

    /// The moment when the next stop begins, given a moment when the clock runs; without a stop, the end of all times.
    fn stop_begins(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        let ahead = self.vacations.iter().map(|span| span.from).filter(|from| *from > at);
        let mut week = self.day(at).iter_days().skip(1).take(7);
        let weekend = week.find(|day| self.is_weekend(*day)).map(|day| self.day_begins(day));
        ahead.chain(weekend).min().unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// The first stretch at or after a moment in which the clock runs, or a part of it: the next one may begin where
    /// it ends. Empty only at the end of all times.
    fn stretch(&self, at: DateTime<Utc>) -> Span {
        let from = self.stands_until(at).unwrap_or(at);
        Span { from, until: self.stop_begins(from) }
    }

    /// The stretches in which the clock runs from a moment on, in order, without end.
    fn stretches(&self, from: DateTime<Utc>) -> impl Iterator<Item = Span> {
        iter::successors(Some(self.stretch(from)), |stretch| Some(self.stretch(stretch.until)))
    }
}

/// The vacation a player has taken in a calendar year of their own zone: the parts of the vacations that lie in that
/// year, together, with overlaps counted once. Weekend days in them are part of it. Zero for a year that chrono does
/// not know.
pub fn vacation_in(calendar: &Calendar, year: i32) -> TimeDelta {
    let begins = |year| NaiveDate::from_ymd_opt(year, 1, 1).map(|day| calendar.day_begins(day));
    let (Some(from), Some(until)) = (begins(year), year.checked_add(1).and_then(begins)) else {
        return TimeDelta::zero();
    };
    let without_weekend = Calendar { weekend: Weekend::default(), ..calendar.clone() };
    (until - from) - without_weekend.counted(from, until)
}
