//! Computes a player's thinking time, which excludes the weekends, nights and vacations of the player's calendar.

use std::{fmt, iter};

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};

use super::zone::Zone;

/// How far ahead [`Calendar::after`] looks, in days: 100 years.
const HORIZON: i64 = 36_525;

/// The tolerated difference between two clocks, and between two readings of one clock. System clocks are corrected by
/// small steps all the time, and the clocks of nodes that share a database differ. Also, of two simultaneous
/// requests, the one that arrived first may be processed last.
pub const TOLERATED: TimeDelta = TimeDelta::minutes(1);

/// A period, from its first moment up to (not including) its end. The period is empty if `until` is not after `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first moment.
    pub from: DateTime<Utc>,
    /// The end: the first moment after the span.
    pub until: DateTime<Utc>,
}

impl Span {
    /// Returns the span of this length that ends now, for the window of a rate limit or the lifetime of a link. The
    /// span includes the next minute, because clocks differ (see [`TOLERATED`]). It excludes later times, which only a
    /// fast clock can have recorded. Otherwise, they would be in every window until they have passed. It also excludes
    /// the moment exactly `length` ago.
    pub fn last(length: TimeDelta, now: DateTime<Utc>) -> Span {
        Span { from: now - length + TimeDelta::seconds(1), until: now + TOLERATED }
    }

    /// Returns whether the span contains a moment.
    pub fn contains(&self, at: DateTime<Utc>) -> bool {
        self.from <= at && at < self.until
    }

    fn length(&self) -> TimeDelta {
        self.until - self.from
    }
}

/// The times when a player's clocks are stopped: weekends and nights in their zone, and vacations.
///
/// A day begins at the first moment that has its date in the player's zone, and lasts until the next day begins. With
/// daylight saving time, some days have 23 or 25 hours in most zones. A day that a zone skipped has zero length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// The player's time zone.
    pub zone: Zone,
    /// The days of the week, in that zone, on which clocks are stopped.
    pub weekend: Weekend,
    /// The hours of each day, in that zone, in which clocks are stopped.
    pub night: Night,
    /// The vacations, in any order; they may overlap or touch.
    pub vacations: Vec<Span>,
}

impl Calendar {
    /// Returns the counted time between two moments: the time outside the player's weekends, nights and vacations. Zero
    /// if `until` is not after `from`.
    pub fn counted(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> TimeDelta {
        let stretches = self.stretches(from).take_while(|stretch| stretch.from < until);
        stretches.map(|stretch| stretch.until.min(until) - stretch.from).sum()
    }

    /// Returns the earliest moment by which `wait` has been counted since `from`. If the clock is stopped at `from`,
    /// counting starts when the clock resumes. If `wait` is not positive, the moment is `from` itself.
    ///
    /// Returns `None` if the moment is more than 100 years after `from`, or outside chrono's range.
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

    /// Returns the moment when the clock resumes if it is stopped at `now`; `None` if it is running.
    pub fn stands_until(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        iter::successors(self.stop_ends(now), |end| self.stop_ends(*end)).last()
    }

    /// Returns the next moment strictly after `now` at which the player's local time is this full hour (0 to 23;
    /// larger numbers mean 23). If daylight saving time skips the hour, returns the first moment after the gap. If the
    /// hour occurs twice, returns the first one.
    pub fn next_hour(&self, now: DateTime<Utc>, hour: u8) -> DateTime<Utc> {
        let mut moments = self.day(now).iter_days().map(|day| self.hour_of(day, hour));
        moments.find(|moment| *moment > now).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Returns the moment at which this day begins in the player's zone. If its midnight does not exist, this is the
    /// first moment of the day; if midnight occurs twice, the first one.
    pub fn day_begins(&self, day: NaiveDate) -> DateTime<Utc> {
        self.moment(day.and_time(NaiveTime::MIN))
    }

    /// Returns the first moment at which the player's local time is this full hour of a day, or later if the zone
    /// skips the hour.
    fn hour_of(&self, day: NaiveDate, hour: u8) -> DateTime<Utc> {
        let time = NaiveTime::from_hms_opt(u32::from(hour.min(23)), 0, 0).unwrap_or_default();
        self.moment(day.and_time(time))
    }

    /// Returns the first moment at which the player's local time is `local`, or later if the zone skips that time.
    fn moment(&self, local: NaiveDateTime) -> DateTime<Utc> {
        // The search fails only within days of the end of chrono's range, where the zone no longer matters.
        self.zone.first_moment(local).unwrap_or(local.and_utc())
    }

    /// Returns the day that contains a moment.
    fn day(&self, at: DateTime<Utc>) -> NaiveDate {
        let shown = self.zone.shown(at).date_naive();
        // A clock set back past midnight shows the previous day again, but the new day has begun. (St John's in
        // Newfoundland did this every autumn until 2010, at one minute past midnight.)
        shown.iter_days().skip(1).take_while(|day| self.day_begins(*day) <= at).last().unwrap_or(shown)
    }

    fn is_weekend(&self, day: NaiveDate) -> bool {
        self.weekend.contains(day.weekday().num_days_from_monday())
    }

    /// Returns the nights that begin on the day before a moment, and on the next three days.
    fn nights(&self, at: DateTime<Utc>) -> impl Iterator<Item = Span> {
        let shown = self.zone.shown(at).date_naive();
        self.night.hours().into_iter().flat_map(move |(from, until)| {
            let days = shown.pred_opt().unwrap_or(shown).iter_days().take(4);
            days.filter_map(move |day| {
                let ends = if until > from { Some(day) } else { day.succ_opt() };
                Some(Span { from: self.hour_of(day, from), until: self.hour_of(ends?, until) })
            })
        })
    }

    /// Returns the end of the vacation, weekend day or night that contains this moment. At that end, another of them
    /// may still stop the clock.
    fn stop_ends(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let vacation = self.vacations.iter().filter(|span| span.contains(at)).map(|span| span.until).max();
        let weekend = || {
            let day = self.day(at);
            let next = day.succ_opt().filter(|_| self.is_weekend(day))?;
            Some(self.day_begins(next))
        };
        let night = || self.nights(at).find(|night| night.contains(at)).map(|night| night.until);
        vacation.or_else(weekend).or_else(night)
    }

    /// Returns the next moment at which a vacation, weekend day or night begins, even if it is empty. The clock must be
    /// running at the given moment. Returns `MAX_UTC` if none begins.
    fn stop_begins(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        let ahead = self.vacations.iter().map(|span| span.from).filter(|from| *from > at);
        let mut week = self.day(at).iter_days().skip(1).take(7);
        let weekend = week.find(|day| self.is_weekend(*day)).map(|day| self.day_begins(day));
        let night = self.nights(at).map(|night| night.from).find(|from| *from > at);
        ahead.chain(weekend).chain(night).min().unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Returns the first span at or after a moment in which the clock is running. The span may end before the clock
    /// stops; the next span then begins where this one ends. The span is empty only at `MAX_UTC`.
    fn stretch(&self, at: DateTime<Utc>) -> Span {
        let from = self.stands_until(at).unwrap_or(at);
        Span { from, until: self.stop_begins(from) }
    }

    /// Iterates in order over the spans, from a moment on, in which the clock is running. The iterator is infinite.
    fn stretches(&self, from: DateTime<Utc>) -> impl Iterator<Item = Span> {
        iter::successors(Some(self.stretch(from)), |stretch| Some(self.stretch(stretch.until)))
    }
}

/// Returns how much vacation a player takes in a calendar year of their own zone: the total length of the vacations'
/// parts in that year. Overlaps are counted once, and weekend days are included. Zero for a year outside chrono's
/// range.
pub fn vacation_in(calendar: &Calendar, year: i32) -> TimeDelta {
    let begins = |year| NaiveDate::from_ymd_opt(year, 1, 1).map(|day| calendar.day_begins(day));
    let (Some(from), Some(until)) = (begins(year), year.checked_add(1).and_then(begins)) else {
        return TimeDelta::zero();
    };
    let vacations = Calendar { weekend: Weekend::default(), night: Night::default(), ..calendar.clone() };
    (until - from) - vacations.counted(from, until)
}

/// The days of the week on which a player's clocks are stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weekend(u8);

/// The names of the days, from Monday.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// The longest weekend, in days. A clock must run on at least three days of the week.
const MOST: u32 = 4;

impl Weekend {
    /// Reads `sat,sun` or `none`, ignoring case. `None` for an unknown day, or for more than four days.
    pub fn read(text: &str) -> Option<Weekend> {
        let text = text.to_ascii_lowercase();
        if text == "none" {
            return Some(Weekend::default());
        }
        let mut days = 0_u8;
        for word in text.split(',') {
            days |= 1 << DAYS.iter().position(|day| *day == word)?;
        }
        (days.count_ones() <= MOST).then_some(Weekend(days))
    }

    /// Returns whether the weekend contains a day; 0 is Monday.
    pub fn contains(self, day: u32) -> bool {
        self.0 & (1 << day) != 0
    }
}

/// Writes the text that [`Weekend::read`] reads.
impl fmt::Display for Weekend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days: Vec<&str> = (0..7).filter(|&day| self.contains(day)).map(|day| DAYS[day as usize]).collect();
        f.write_str(if days.is_empty() { "none" } else { "" })?;
        f.write_str(&days.join(","))
    }
}

/// The hours of each night in which a player's clocks are stopped, from one full hour to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Night(Option<(u8, u8)>);

/// The longest night, in hours.
const LONGEST: u8 = 12;

impl Night {
    /// Reads `22-8` or `none`, ignoring case. `None` for an invalid hour, or a night of 0 or more than 12 hours.
    pub fn read(text: &str) -> Option<Night> {
        if text.eq_ignore_ascii_case("none") {
            return Some(Night::default());
        }
        let hour = |text: &str| text.parse().ok().filter(|hour| *hour < 24);
        let (from, until) = text.split_once('-')?;
        let (from, until): (u8, u8) = (hour(from)?, hour(until)?);
        (1..=LONGEST).contains(&((until + 24 - from) % 24)).then_some(Night(Some((from, until))))
    }

    /// Returns the first hour, and the hour at which the night ends.
    pub fn hours(self) -> Option<(u8, u8)> {
        self.0
    }
}

/// Writes the text that [`Night::read`] reads.
impl fmt::Display for Night {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((from, until)) => write!(f, "{from}-{until}"),
            None => f.write_str("none"),
        }
    }
}
