//! The time zones of players, from the IANA time zone database.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDateTime, TimeDelta, Timelike, Utc};
use tz::{LocalTimeType, TimeZoneRef};

/// A time zone of the IANA database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone(TimeZoneRef<'static>);

impl Zone {
    /// Coordinated Universal Time.
    pub const UTC: Zone = Zone(tzdb_data::time_zone::UTC);

    /// Finds a zone by its name, ignoring case.
    pub fn named(name: &str) -> Option<Zone> {
        tzdb_data::find_tz(name.as_bytes()).copied().map(Zone)
    }

    /// Returns the names of all zones, spelled as in the database.
    pub fn names() -> impl Iterator<Item = &'static str> {
        // "Factory" is a placeholder for machines without a configured zone.
        tzdb_data::TZ_NAMES.iter().copied().filter(|name| *name != "Factory")
    }

    /// Converts a moment to the local time of this zone. Beyond chrono's range, the result is in UTC.
    pub fn shown(self, at: DateTime<Utc>) -> DateTime<FixedOffset> {
        let utc = at.fixed_offset();
        let offset = FixedOffset::east_opt(self.offset(at)).filter(|offset| in_range(at, *offset));
        offset.map_or(utc, |offset| utc.with_timezone(&offset))
    }

    /// Returns the abbreviation of the zone's time at a moment: `CET`, or `+03` if it has no name.
    pub fn abbreviation(self, at: DateTime<Utc>) -> &'static str {
        self.kind(at).map_or("UTC", LocalTimeType::time_zone_designation)
    }

    /// Returns the first moment at which a clock of this zone shows this time. If the zone skips this time, returns
    /// the first moment after the gap. `None` only at the end of chrono's range.
    pub(crate) fn first_moment(self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        let as_utc = local.and_utc();
        let day = TimeDelta::days(1);
        let around = as_utc.checked_sub_signed(day).zip(as_utc.checked_add_signed(day));
        // No zone ever changed its clocks twice within two days and then returned to the original offset.
        if let Some((before, after)) = around
            && self.offset(before) == self.offset(after)
        {
            return as_utc.checked_sub_signed(TimeDelta::seconds(self.offset(before).into()));
        }
        self.search(local)
    }

    /// The slow path of [`Zone::first_moment`], for days near a change: searches all changes of the zone.
    fn search(self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        let byte = |part: u32| u8::try_from(part).ok();
        let (month, day) = (byte(local.month())?, byte(local.day())?);
        let (hour, minute, second) = (byte(local.hour())?, byte(local.minute())?, byte(local.second())?);
        let mut first = [None];
        let found = tz::DateTime::find_n(&mut first, local.year(), month, day, hour, minute, second, 0, self.0).ok()?;
        // For a skipped time, this is the moment of the change.
        DateTime::from_timestamp(found.earliest()?.unix_time(), 0)
    }

    /// Returns the zone's offset from UTC at a moment, in seconds east.
    fn offset(self, at: DateTime<Utc>) -> i32 {
        self.kind(at).map_or(0, LocalTimeType::ut_offset)
    }

    /// Finds the zone's local time type at a moment. This never fails within chrono's range.
    fn kind(self, at: DateTime<Utc>) -> Option<&'static LocalTimeType> {
        self.0.find_local_time_type(at.timestamp()).ok()
    }
}

/// Returns whether chrono can represent this moment with this offset.
fn in_range(at: DateTime<Utc>, offset: FixedOffset) -> bool {
    at.naive_utc().checked_add_offset(offset).is_some()
}

#[cfg(test)]
mod tests {
    use chrono::{Offset, TimeZone};
    use chrono_tz::TZ_VARIANTS;

    use super::*;

    /// Returns every moment at which a zone's clocks changed before its current rule applied.
    fn changes(zone: Zone) -> Vec<i64> {
        zone.0.transitions().iter().map(tz::timezone::Transition::unix_leap_time).collect()
    }

    #[test]
    fn zones_match_a_second_database() {
        let names: Vec<&str> = Zone::names().collect();
        for zone in TZ_VARIANTS {
            assert!(names.contains(&zone.name()), "{zone} is missing");
        }
        assert_eq!(Zone::named("europe/BERLIN"), Zone::named("Europe/Berlin"));
        for name in ["", "Europe", "Europe/Berlin ", "Mars/Olympus", "Örland"] {
            assert_eq!(Zone::named(name), None, "{name}");
        }
        assert!(!names.contains(&"Factory"));
    }

    #[test]
    fn clocks_agree_with_a_second_database() {
        // Compare the years 1980 to 2024, because older data is still corrected occasionally.
        let (first, last) = (315_532_800, 1_735_689_600);
        let mut compared = 0;
        for theirs in TZ_VARIANTS {
            let zone = Zone::named(theirs.name()).unwrap();
            let around = |change: i64| [change - 1, change];
            let regular = (first..last).step_by(40 * 86_400);
            let moments = changes(zone).into_iter().filter(|at| (first..last).contains(at)).flat_map(around);
            for at in moments.chain(regular).map(|at| DateTime::from_timestamp(at, 0).unwrap()) {
                let shown = theirs.from_utc_datetime(&at.naive_utc());
                assert_eq!(zone.shown(at).offset(), &shown.offset().fix(), "{theirs} {at}");
                assert_eq!(zone.abbreviation(at), shown.offset().to_string(), "{theirs} {at}");
                compared += 1;
            }
        }
        assert!(compared > 200_000, "{compared}");
    }

    #[test]
    fn no_zone_changes_twice_and_back_within_two_days() {
        for name in Zone::names() {
            let zone = Zone::named(name).unwrap();
            for pair in changes(zone).windows(2).filter(|pair| pair[1] - pair[0] <= 2 * 86_400) {
                let offset = |at: i64| zone.offset(DateTime::from_timestamp(at, 0).unwrap());
                assert_ne!(offset(pair[0] - 1), offset(pair[1]), "{name} {pair:?}");
            }
        }
    }

    #[test]
    fn the_fast_path_finds_the_same_moment_as_the_search() {
        for name in Zone::names() {
            let zone = Zone::named(name).unwrap();
            let summers = (1..6).map(|year| 1_774_746_000 + year * 31_557_600);
            for change in changes(zone).into_iter().filter(|at| *at > 0).chain(summers) {
                for hours in [-72, -47, -25, -2, -1, 0, 1, 2, 25, 47, 72] {
                    let shown = zone.shown(DateTime::from_timestamp(change, 0).unwrap()).naive_local();
                    let local = shown + TimeDelta::hours(hours);
                    assert_eq!(zone.first_moment(local), zone.search(local), "{name} {local}");
                }
            }
        }
    }
}
