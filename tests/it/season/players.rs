//! The players of a season: their time zones, their absences, and the hours that their clocks must run.

use chrono::{DateTime, Datelike, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

pub struct Player {
    pub userid: String,
    pub zone: Tz,
    /// Whether clocks are stopped on Saturday and Sunday.
    pub weekend: bool,
    pub vacations: Vec<(DateTime<Utc>, DateTime<Utc>)>,
    pub left: bool,
}

/// Time zones whose offset from UTC is a whole number of hours.
pub const ZONES: [&str; 5] = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Pacific/Auckland"];

impl Player {
    pub fn is_away(&self, at: DateTime<Utc>) -> bool {
        self.vacations.iter().any(|(from, until)| *from <= at && at < *until)
    }

    /// Returns the number of hours between two times during which the player's clocks run.
    pub fn hours(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> i64 {
        let mut hours = 0;
        let mut at = from;
        while at < until {
            let day = self.zone.from_utc_datetime(&at.naive_utc()).weekday().num_days_from_monday();
            hours += i64::from(!(self.is_away(at) || self.weekend && day >= 5));
            at += TimeDelta::hours(1);
        }
        hours
    }
}
