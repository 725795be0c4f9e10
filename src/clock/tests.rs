use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::{Tz, UTC};

use super::*;

mod properties;

/// Returns our zone with the name of a `chrono_tz` zone. The tests compute expected times with `chrono_tz`.
fn ours(zone: Tz) -> Zone {
    Zone::named(zone.name()).unwrap()
}

const BERLIN: Tz = Tz::Europe__Berlin;
const HOUR: TimeDelta = TimeDelta::hours(1);
const DAY: TimeDelta = TimeDelta::days(1);
const SECOND: TimeDelta = TimeDelta::seconds(1);

/// Parses a local time that the zone's clock shows exactly once: `2026-03-27 18:00`.
fn on(zone: Tz, text: &str) -> DateTime<Utc> {
    let local = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap();
    zone.from_local_datetime(&local).unwrap().to_utc()
}

fn utc(text: &str) -> DateTime<Utc> {
    on(UTC, text)
}

fn calendar(zone: Tz, weekend: &str, vacations: &[(&str, &str)]) -> Calendar {
    let span = |(from, until): &(&str, &str)| Span { from: on(zone, from), until: on(zone, until) };
    Calendar {
        zone: ours(zone),
        weekend: weekend.parse().unwrap(),
        night: Night::default(),
        vacations: vacations.iter().map(span).collect(),
    }
}

#[test]
fn the_last_hour_excludes_the_future() {
    let now = utc("2026-05-05 12:00");
    let last = Span::last(HOUR, now);
    let times = [now - HOUR, now - HOUR + SECOND, now, now + TOLERATED - SECOND, now + TOLERATED, now + DAY * 20_000];
    assert_eq!(times.map(|at| last.contains(at)), [false, true, true, true, false, false]);
}

#[test]
fn a_plain_clock_never_stops() {
    let plain = calendar(UTC, "none", &[]);
    let noon = utc("2026-05-05 12:00");
    assert_eq!(plain.counted(noon, noon + DAY), DAY);
    assert_eq!(plain.counted(noon, noon - DAY), TimeDelta::zero());
    assert_eq!(plain.after(noon, DAY), Some(noon + DAY));
    assert_eq!(plain.after(noon, -DAY), Some(noon));
    assert_eq!(plain.stands_until(noon), None);
}

#[test]
fn the_length_of_a_weekend_follows_the_time_zone() {
    let berlin = calendar(BERLIN, "sat,sun", &[]);
    for (friday, monday, hours) in [
        ("2026-03-27 18:00", "2026-03-30 06:00", 47),
        ("2026-06-05 18:00", "2026-06-08 06:00", 48),
        ("2026-10-23 18:00", "2026-10-26 06:00", 49),
    ] {
        let (friday, monday) = (on(BERLIN, friday), on(BERLIN, monday));
        assert_eq!(berlin.counted(friday, monday), HOUR * 12);
        assert_eq!(berlin.after(friday, HOUR * 12), Some(monday));
        assert_eq!(monday - friday, HOUR * (hours + 12));
        // A wait that ends exactly when the weekend begins ends at that moment, not after the weekend.
        assert_eq!(berlin.after(friday, HOUR * 6), Some(friday + HOUR * 6));
        assert_eq!(berlin.after(friday, HOUR * 6 + SECOND), Some(monday - HOUR * 6 + SECOND));
        assert_eq!(berlin.stands_until(friday + HOUR * 6), Some(monday - HOUR * 6));
        assert_eq!(berlin.stands_until(friday + HOUR * 6 - SECOND), None);
        assert_eq!(berlin.stands_until(monday - HOUR * 6), None);
    }
}

#[test]
fn a_weekend_may_be_friday_and_saturday() {
    let riyadh = Tz::Asia__Riyadh;
    let calendar = calendar(riyadh, "fri,sat", &[]);
    let thursday = on(riyadh, "2026-05-07 20:00");
    assert_eq!(calendar.after(thursday, HOUR * 8), Some(on(riyadh, "2026-05-10 04:00")));
    assert_eq!(calendar.stands_until(on(riyadh, "2026-05-08 10:00")), Some(on(riyadh, "2026-05-10 00:00")));
}

#[test]
fn days_off_may_be_separate() {
    let calendar = calendar(UTC, "mon,wed", &[]);
    let sunday = utc("2026-05-03 12:00");
    assert_eq!(calendar.after(sunday, HOUR * 37), Some(utc("2026-05-07 01:00")));
    assert_eq!(calendar.stands_until(utc("2026-05-04 00:00")), Some(utc("2026-05-05 00:00")));
}

#[test]
fn adjacent_vacations_and_weekends_are_one_stop() {
    // The clock is stopped from a Saturday to a Wednesday noon. The vacations are unordered, and overlap, touch or
    // contain each other.
    let calendar = calendar(
        BERLIN,
        "sat,sun",
        &[
            ("2026-07-20 00:00", "2026-07-21 00:00"),
            ("2026-07-08 00:00", "2026-07-18 00:00"),
            ("2026-07-04 15:00", "2026-07-10 00:00"),
            ("2026-07-09 00:00", "2026-07-09 01:00"),
            ("2026-07-21 00:00", "2026-07-22 12:00"),
        ],
    );
    let (begin, end) = (on(BERLIN, "2026-07-04 00:00"), on(BERLIN, "2026-07-22 12:00"));
    for inside in [begin, on(BERLIN, "2026-07-09 00:30"), on(BERLIN, "2026-07-18 00:00"), end - SECOND] {
        assert_eq!(calendar.stands_until(inside), Some(end));
        assert_eq!(calendar.after(inside, HOUR), Some(end + HOUR));
        assert_eq!(calendar.after(inside, TimeDelta::zero()), Some(inside));
    }
    assert_eq!(calendar.after(begin - HOUR, HOUR * 2), Some(end + HOUR));
    assert_eq!(calendar.counted(begin - HOUR, end + HOUR), HOUR * 2);
}

#[test]
fn an_empty_vacation_stops_nothing() {
    let noon = utc("2026-05-05 12:00");
    let vacations = vec![Span { from: noon, until: noon }, Span { from: noon + DAY, until: noon }];
    let calendar = Calendar { zone: Zone::UTC, weekend: "none".parse().unwrap(), night: Night::default(), vacations };
    assert_eq!(calendar.counted(noon - DAY, noon + DAY * 2), DAY * 3);
    assert_eq!(calendar.after(noon - DAY, DAY * 3), Some(noon + DAY * 2));
    assert_eq!(vacation_in(&calendar, 2026), TimeDelta::zero());
}

#[test]
fn waits_end_within_a_century() {
    let weekend = calendar(BERLIN, "sat,sun", &[]);
    let plain = calendar(BERLIN, "none", &[]);
    let now = utc("2026-05-05 12:00");
    assert_eq!(plain.after(now, DAY * 36_525), Some(now + DAY * 36_525));
    assert_eq!(plain.after(now, DAY * 36_525 + SECOND), None);
    assert!(weekend.after(now, DAY * 26_000).is_some());
    assert_eq!(weekend.after(now, DAY * 36_000), None);
    assert_eq!(weekend.after(now, TimeDelta::MAX), None);
}

#[test]
fn the_earliest_and_latest_times_are_handled() {
    let (first, last) = (DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC);
    for zone in [UTC, Tz::Pacific__Kiritimati, Tz::Pacific__Pago_Pago] {
        let vacations = vec![Span { from: last - DAY * 400, until: last - DAY * 3 }];
        let calendar =
            Calendar { zone: ours(zone), weekend: "sat,sun".parse().unwrap(), night: Night::default(), vacations };
        for from in [first, first + DAY, last - DAY * 30, last - DAY * 2, last - HOUR, last] {
            assert!(calendar.counted(from, from + (last - from).min(DAY * 1000)) <= DAY * 1000);
            assert!(calendar.after(from, HOUR).is_none_or(|at| at > from));
            assert!(calendar.stands_until(from).is_none_or(|at| at > from));
            assert!(calendar.next_hour(from, 18) >= from);
        }
        assert_eq!(calendar.after(last - DAY, DAY * 10), None);
        assert_eq!(vacation_in(&calendar, i32::MAX), TimeDelta::zero());
        assert_eq!(vacation_in(&calendar, i32::MIN), TimeDelta::zero());
    }
}

#[test]
fn a_vacation_across_new_year_uses_days_of_both_years() {
    let mut calendar = calendar(
        BERLIN,
        "sat,sun",
        &[
            ("2026-12-24 00:00", "2027-01-04 00:00"),
            ("2026-12-30 00:00", "2027-01-02 00:00"),
            ("2026-03-29 00:00", "2026-03-30 00:00"),
        ],
    );
    // Eight days of 24 hours, and a Sunday of 23 hours, on which Berlin's clocks are set forward.
    assert_eq!(vacation_in(&calendar, 2026), DAY * 8 + HOUR * 23);
    assert_eq!(vacation_in(&calendar, 2027), DAY * 3);
    assert_eq!(vacation_in(&calendar, 2028), TimeDelta::zero());
    // In Tokyo, 2027 begins eight hours earlier.
    calendar.zone = ours(Tz::Asia__Tokyo);
    assert_eq!(vacation_in(&calendar, 2027), DAY * 3 + HOUR * 8);
}

#[test]
fn the_next_full_hour_is_in_the_players_zone() {
    let berlin = calendar(BERLIN, "none", &[]);
    for (now, hour, next) in [
        ("2026-05-05 12:00", 18, "2026-05-05 16:00"),
        ("2026-05-05 15:59", 18, "2026-05-05 16:00"),
        ("2026-05-05 16:00", 18, "2026-05-06 16:00"),
        ("2026-05-05 22:30", 0, "2026-05-06 22:00"),
        ("2026-05-05 21:30", 0, "2026-05-05 22:00"),
        // 02:00 does not exist on that Sunday: the clock jumps from 01:59:59 to 03:00.
        ("2026-03-29 00:59", 2, "2026-03-29 01:00"),
        ("2026-03-29 00:59", 3, "2026-03-29 01:00"),
        ("2026-03-29 01:00", 2, "2026-03-30 00:00"),
        // 02:00 occurs twice on that Sunday, at 00:00 and at 01:00 UTC.
        ("2026-10-24 23:59", 2, "2026-10-25 00:00"),
        ("2026-10-25 00:00", 2, "2026-10-26 01:00"),
        ("2026-10-25 00:30", 2, "2026-10-26 01:00"),
    ] {
        assert_eq!(berlin.next_hour(utc(now), hour), utc(next), "after {now}, {hour}:00");
    }
    let kolkata = calendar(Tz::Asia__Kolkata, "none", &[]);
    assert_eq!(kolkata.next_hour(utc("2026-05-05 12:30"), 18), utc("2026-05-06 12:30"));
    let kiritimati = calendar(Tz::Pacific__Kiritimati, "none", &[]);
    assert_eq!(kiritimati.next_hour(utc("2026-05-05 09:59"), 0), utc("2026-05-05 10:00"));
    assert_eq!(berlin.next_hour(utc("2026-05-05 12:00"), 99), berlin.next_hour(utc("2026-05-05 12:00"), 23));
}

#[test]
fn days_begin_correctly_without_or_with_two_midnights() {
    let begins = |zone, (year, month, day)| {
        calendar(zone, "none", &[]).day_begins(NaiveDate::from_ymd_opt(year, month, day).unwrap())
    };
    assert_eq!(begins(BERLIN, (2026, 3, 29)), utc("2026-03-28 23:00"));
    assert_eq!(begins(BERLIN, (2026, 3, 30)), utc("2026-03-29 22:00"));
    // São Paulo's clocks jumped from 00:00 to 01:00 in November, and from 00:00 back to 23:00 in February.
    assert_eq!(begins(Tz::America__Sao_Paulo, (2018, 11, 4)), utc("2018-11-04 03:00"));
    assert_eq!(begins(Tz::America__Sao_Paulo, (2018, 2, 18)), utc("2018-02-18 03:00"));
    // Havana's clocks go back from 01:00 to 00:00.
    assert_eq!(begins(Tz::America__Havana, (2026, 11, 1)), utc("2026-11-01 04:00"));
    // Samoa crossed the date line: it had no 30 December 2011, a Friday.
    assert_eq!(begins(Tz::Pacific__Apia, (2011, 12, 30)), utc("2011-12-30 10:00"));
    assert_eq!(begins(Tz::Pacific__Apia, (2011, 12, 31)), utc("2011-12-30 10:00"));
    let samoan = calendar(Tz::Pacific__Apia, "fri", &[]);
    assert_eq!(samoan.after(utc("2011-12-30 00:00"), DAY), Some(utc("2011-12-31 00:00")));
}

#[test]
fn a_clock_change_does_not_restart_a_day_off() {
    // At 00:01 on Sunday, the clocks in St John's went back to 23:01 on Saturday.
    let zone = Tz::America__St_Johns;
    let calendar = calendar(zone, "sun", &[]);
    let sunday = utc("2010-11-07 02:30");
    let again = sunday + TimeDelta::minutes(10);
    assert_eq!(zone.from_utc_datetime(&again.naive_utc()).day(), 6);
    assert_eq!(calendar.stands_until(again), Some(sunday + HOUR * 25));
    assert_eq!(calendar.counted(sunday, sunday + HOUR * 25), TimeDelta::zero());
    assert_eq!(calendar.next_hour(again, 0), sunday + HOUR * 25);
}

/// Returns the thinking times, in hours, at which reminders are due. The limits are in days.
fn ladder(nag: u32, forfeit: u32, total: u32, used_hours: i32) -> Vec<i64> {
    let ladder = TimeControl { nag, forfeit, total, fischer: None }.ladder(HOUR * used_hours);
    ladder.iter().map(TimeDelta::num_hours).collect()
}

#[test]
fn ladders_depend_on_the_limits() {
    assert_eq!(ladder(7, 14, 0, 0), [7 * 24, 252, 13 * 24]);
    assert_eq!(ladder(7, 28, 0, 0), [7 * 24, 420, 27 * 24]);
    // If three days separate the first reminder from the limit, the middle step is just early enough. If only two days
    // separate them, it would coincide with the last step.
    assert_eq!(ladder(2, 5, 0, 0), [48, 84, 96]);
    assert_eq!(ladder(2, 4, 0, 0), [48, 72]);
    assert_eq!(ladder(2, 3, 0, 0), [48]);
    assert_eq!(ladder(3, 3, 0, 0), [48]);
    assert_eq!(ladder(9, 3, 0, 0), [48]);
    assert_eq!(ladder(0, 14, 0, 0), [13 * 24]);
    assert_eq!(ladder(1, 2, 0, 0), [24]);
    assert_eq!(ladder(1, 1, 0, 0), [12]);
    // The middle between 3 and 8 days is not a whole day.
    assert_eq!(ladder(3, 8, 0, 0), [72, 132, 168]);
    assert_eq!(ladder(7, 0, 0, 0), [7 * 24, 14 * 24, 28 * 24]);
    assert_eq!(ladder(0, 0, 0, 0), Vec::<i64>::new());
    // The player still has four of the thirty days, then a day and a half, two hours, and no time at all.
    assert_eq!(ladder(2, 14, 30, 26 * 24), [48, 72]);
    assert_eq!(ladder(2, 14, 30, 30 * 24 - 36), [18]);
    assert_eq!(ladder(2, 14, 30, 30 * 24 - 2), [1]);
    assert_eq!(ladder(2, 14, 30, 30 * 24), Vec::<i64>::new());
    assert_eq!(ladder(u32::MAX, u32::MAX, u32::MAX, 0), [(i64::from(u32::MAX) - 1) * 24]);
    assert_eq!(ladder(u32::MAX, 0, 0, 0).len(), 3);
}

#[test]
fn the_smaller_limit_is_in_force() {
    let limit = |forfeit, total, used| TimeControl { nag: 0, forfeit, total, fischer: None }.limit(DAY * used);
    assert_eq!(limit(0, 0, 5), None);
    assert_eq!(limit(14, 0, 50), Some(DAY * 14));
    assert_eq!(limit(14, 30, 5), Some(DAY * 14));
    assert_eq!(limit(14, 30, 20), Some(DAY * 10));
    assert_eq!(limit(0, 30, 20), Some(DAY * 10));
    assert_eq!(limit(14, 30, 31), Some(TimeDelta::zero()));
}

#[test]
fn a_ply_has_its_reminders_and_then_the_forfeit() {
    let time_control = TimeControl { nag: 2, forfeit: 6, total: 0, fischer: None };
    let calendar = calendar(BERLIN, "sat,sun", &[("2026-04-01 12:00", "2026-04-02 12:00")]);
    // A Friday. Clocks are set forward on the weekend after it, which has 47 hours.
    let since = on(BERLIN, "2026-03-27 12:00");
    let mut running = Running { since, thinking_time: TimeDelta::zero(), used: DAY * 100, reminded: 0 };
    let mut reported = Vec::new();
    while let Some((at, due)) = next(&time_control, &calendar, &running) {
        reported.push((at, due));
        running.reminded += 1;
        if due == Due::Forfeit {
            break;
        }
    }
    let expected = [
        (on(BERLIN, "2026-03-31 12:00"), Due::Reminder),
        (on(BERLIN, "2026-04-03 12:00"), Due::Reminder),
        (on(BERLIN, "2026-04-06 12:00"), Due::Reminder),
        (on(BERLIN, "2026-04-07 12:00"), Due::Forfeit),
    ];
    assert_eq!(reported, expected);
    assert_eq!(deadline(&time_control, &calendar, &running), Some(expected[3].0));
    assert_eq!(thinking_time(&calendar, &running, expected[0].0), DAY * 2);
    // The results are the same for a clock that was already read once during this ply.
    let read = on(BERLIN, "2026-04-01 18:00");
    let resumed =
        Running { since: read, thinking_time: thinking_time(&calendar, &running, read), reminded: 1, ..running };
    assert_eq!(resumed.thinking_time, DAY * 3);
    assert_eq!(thinking_time(&calendar, &resumed, expected[2].0), DAY * 5);
    assert_eq!(next(&time_control, &calendar, &resumed), Some(expected[1]));
    assert_eq!(deadline(&time_control, &calendar, &resumed), Some(expected[3].0));
}

#[test]
fn a_clock_without_a_near_limit_has_no_further_event() {
    let calendar = calendar(UTC, "none", &[]);
    let since = utc("2026-05-05 12:00");
    let running = Running { since, thinking_time: TimeDelta::zero(), used: TimeDelta::zero(), reminded: 3 };
    assert_eq!(next(&TimeControl::default(), &calendar, &running), None);
    assert_eq!(next(&TimeControl { nag: 7, ..TimeControl::default() }, &calendar, &running), None);
    assert_eq!(deadline(&TimeControl { nag: 7, ..TimeControl::default() }, &calendar, &running), None);
    assert_eq!(next(&TimeControl { nag: 7, forfeit: 40_000, total: 0, fischer: None }, &calendar, &running), None);
    // If no time remains at the start, the next event is the forfeit.
    let over = Running { thinking_time: DAY * 14, reminded: 0, ..running };
    let time_control = TimeControl { nag: 7, forfeit: 14, total: 0, fischer: None };
    assert_eq!(next(&time_control, &calendar, &over), Some((since, Due::Forfeit)));
    let late = Running { thinking_time: DAY * 14 - SECOND, reminded: 0, ..running };
    assert_eq!(next(&time_control, &calendar, &late), Some((since, Due::Reminder)));
    assert_eq!(deadline(&time_control, &calendar, &late), Some(since + SECOND));
}

#[test]
fn the_length_of_a_night_follows_the_time_zone() {
    let night = |zone, night| Calendar { night: Night::read(night).unwrap(), ..calendar(zone, "none", &[]) };
    let berlin = night(BERLIN, "22-8");
    for (evening, morning, hours) in [
        ("2026-03-28 21:00", "2026-03-29 09:00", 9),
        ("2026-06-05 21:00", "2026-06-06 09:00", 10),
        ("2026-10-24 21:00", "2026-10-25 09:00", 11),
    ] {
        let (evening, morning) = (on(BERLIN, evening), on(BERLIN, morning));
        assert_eq!(morning - evening, HOUR * (hours + 2));
        assert_eq!(berlin.counted(evening, morning), HOUR * 2);
        assert_eq!(berlin.after(evening, HOUR + SECOND), Some(morning - HOUR + SECOND));
        assert_eq!(berlin.stands_until(evening + HOUR * 3), Some(morning - HOUR));
        assert_eq!(berlin.stands_until(evening), None);
    }
    // One night lies within a day, and another touches a weekend.
    assert_eq!(night(UTC, "0-6").counted(utc("2026-05-05 00:00"), utc("2026-05-07 00:00")), HOUR * 36);
    let both = Calendar { night: Night::read("22-8").unwrap(), ..calendar(UTC, "sat,sun", &[]) };
    assert_eq!(both.stands_until(utc("2026-05-01 22:00")), Some(utc("2026-05-04 08:00")));
    for text in ["22", "22-22", "8-22", "24-8", "22-24", "-22-8", "22-8-9", ""] {
        assert_eq!(Night::read(text), None, "{text}");
    }
    assert_eq!(Night::read("22-08").unwrap().to_string(), "22-8");
}

#[test]
fn a_bank_grows_with_each_ply_up_to_its_cap() {
    let fischer: Fischer = "10/1/12".parse().unwrap();
    let (mut credit, mut used) = (TimeDelta::zero(), TimeDelta::zero());
    for (thinking_time, bank) in [(0, 11), (0, 12), (0, 12), (5, 8), (8, 1), (3, 1), (1, 1)] {
        used += DAY * thinking_time;
        credit = fischer.credited(credit, used);
        assert_eq!(fischer.bank(credit, used), DAY * bank, "{thinking_time}");
        let time_control = TimeControl { fischer: Some(fischer), ..TimeControl::default() };
        assert_eq!(time_control.limit(used - credit), Some(DAY * bank));
    }
    for text in ["0/1/5", "10/1/9", "10/1", "10/1/20/3", "10/-1/20", "+10/1/20", "366/1/366", "10/1/366", ""] {
        assert!(text.parse::<Fischer>().is_err(), "{text}");
    }
    assert_eq!("10/0/10".parse::<Fischer>().unwrap().to_string(), "10/0/10");
}
