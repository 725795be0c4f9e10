//! Properties of all calendars and clocks.

use proptest::prelude::*;

use super::*;

/// Zones of every kind: with and without daylight saving time, with changes of an hour and of half an hour, at
/// midnight and one minute past it, and a zone that skipped a day.
const ZONES: [Tz; 8] = [
    UTC,
    BERLIN,
    Tz::Asia__Kolkata,
    Tz::America__New_York,
    Tz::America__Sao_Paulo,
    Tz::Australia__Lord_Howe,
    Tz::America__St_Johns,
    Tz::Pacific__Apia,
];

const NIGHTS: [&str; 6] = ["none", "22-8", "0-6", "12-15", "1-2", "23-11"];

const WEEKENDS: [&str; 7] = ["none", "sat,sun", "fri,sat", "sun", "mon,wed", "fri,sat,sun,mon", "tue,thu,sat,sun"];

/// Generates a moment within two years from September 2010, on a multiple of `grid` seconds.
fn moment(grid: i64) -> impl Strategy<Value = DateTime<Utc>> {
    (0..730 * 86_400 / grid).prop_map(move |steps| utc("2010-09-01 00:00") + TimeDelta::seconds(steps * grid))
}

fn spans(grid: i64) -> impl Strategy<Value = Vec<Span>> {
    let span = (moment(grid), 0..40 * 86_400 / grid);
    let span = span.prop_map(move |(from, steps)| Span { from, until: from + TimeDelta::seconds(steps * grid) });
    prop::collection::vec(span, 0..8)
}

fn calendars(zones: &'static [Tz], grid: i64) -> impl Strategy<Value = Calendar> {
    let weeks = (prop::sample::select(&WEEKENDS), prop::sample::select(&NIGHTS));
    (prop::sample::select(zones), weeks, spans(grid)).prop_map(|(zone, (weekend, night), vacations)| {
        let (weekend, night) = (weekend.parse().unwrap(), Night::read(night).unwrap());
        Calendar { zone: ours(zone), weekend, night, vacations }
    })
}

/// Returns a calendar without weekends, nights or vacations.
fn plain(zone: &str) -> Calendar {
    Calendar {
        zone: Zone::named(zone).unwrap(),
        weekend: "none".parse().unwrap(),
        night: Night::default(),
        vacations: Vec::new(),
    }
}

/// Computes [`Calendar::counted`] naively: looks at the player's local time at fixed intervals of `minutes`.
fn dully(calendar: &Calendar, from: DateTime<Utc>, until: DateTime<Utc>, minutes: i64) -> TimeDelta {
    let (mut at, mut counted) = (from, TimeDelta::zero());
    let step = TimeDelta::minutes(minutes);
    while at < until {
        let shown = calendar.zone.shown(at);
        let weekend = calendar.weekend.contains(shown.weekday().num_days_from_monday());
        let vacation = calendar.vacations.iter().any(|span| span.from <= at && at < span.until);
        let night = calendar.night.hours().is_some_and(|(from, until)| {
            let hour = shown.hour();
            let (from, until) = (u32::from(from), u32::from(until));
            if from < until { (from..until).contains(&hour) } else { hour >= from || hour < until }
        });
        if !weekend && !vacation && !night {
            counted += step;
        }
        at += step;
    }
    counted
}

proptest! {
    #[test]
    fn after_returns_the_first_time_at_which_the_wait_has_passed(
        calendar in calendars(&ZONES, 1), from in moment(1), wait in 1..200 * 86_400_i64,
    ) {
        let wait = TimeDelta::seconds(wait);
        let at = calendar.after(from, wait).unwrap();
        prop_assert_eq!(calendar.counted(from, at), wait);
        // One second earlier, one second less has been counted.
        prop_assert_eq!(calendar.counted(from, at - SECOND), wait - SECOND);
    }

    #[test]
    fn counting_can_be_interrupted(
        calendar in calendars(&ZONES, 1), from in moment(1), between in moment(1), until in moment(1),
    ) {
        let mut times = [from, between, until];
        times.sort();
        let [from, between, until] = times;
        let parts = calendar.counted(from, between) + calendar.counted(between, until);
        prop_assert_eq!(calendar.counted(from, until), parts);
        prop_assert!(calendar.counted(from, until) <= until - from);
    }

    #[test]
    fn vacation_time_is_not_counted(calendar in calendars(&ZONES, 1)) {
        for span in calendar.vacations.iter().filter(|span| span.from < span.until) {
            prop_assert_eq!(calendar.counted(span.from, span.until), TimeDelta::zero());
            prop_assert!(calendar.stands_until(span.from).unwrap() >= span.until);
        }
    }

    #[test]
    fn a_clock_resumes_when_a_stop_ends(calendar in calendars(&ZONES, 1), now in moment(1)) {
        let stands = calendar.stands_until(now);
        let runs = stands.unwrap_or(now);
        prop_assert_eq!(stands.is_some(), calendar.counted(now, now + SECOND).is_zero());
        prop_assert_eq!(calendar.counted(now, runs + SECOND), SECOND);
    }

    #[test]
    fn vacation_is_the_uncounted_time_without_weekends(mut calendar in calendars(&ZONES, 1)) {
        let taken = vacation_in(&calendar, 2011);
        let all: TimeDelta = (2009..2015).map(|year| vacation_in(&calendar, year)).sum();
        calendar.weekend = "none".parse().unwrap();
        calendar.night = Night::default();
        prop_assert_eq!(taken, vacation_in(&calendar, 2011));
        let (from, until) = (utc("2010-01-01 00:00"), utc("2014-01-01 00:00"));
        prop_assert_eq!(all, (until - from) - calendar.counted(from, until));
    }

    #[test]
    fn a_day_begins_when_it_is_first_shown(
        zone in prop::sample::select(Zone::names().collect::<Vec<_>>()), days in 0..160 * 365_i64,
    ) {
        let day = NaiveDate::from_ymd_opt(1971, 1, 1).unwrap() + TimeDelta::days(days);
        let calendar = plain(zone);
        let begins = calendar.day_begins(day);
        let shown = |at: DateTime<Utc>| calendar.zone.shown(at).date_naive();
        prop_assert!(shown(begins) >= day);
        prop_assert!(shown(begins - SECOND) < day);
    }

    #[test]
    fn the_next_hour_is_shown(
        zone in prop::sample::select(Zone::names().collect::<Vec<_>>()), now in moment(1), hour in 0..24_u8,
    ) {
        let calendar = plain(zone);
        let next = calendar.next_hour(now, hour);
        let shown = |at: DateTime<Utc>| calendar.zone.shown(at).naive_local();
        let wanted = shown(next).date().and_hms_opt(hour.into(), 0, 0).unwrap();
        prop_assert!(next > now);
        prop_assert!(next - now < DAY * 2);
        prop_assert!(shown(next) == wanted || shown(next - SECOND) < shown(next) - SECOND, "{}", shown(next));
        prop_assert!(shown(next).minute() == 0 || shown(next) != wanted);
    }

    #[test]
    fn ladders_climb_to_the_limit(
        nag in 0..40_u32, forfeit in 0..40_u32, total in 0..90_u32, used in 0..100 * 86_400_i64,
    ) {
        let time_control = TimeControl { nag, forfeit, total, fischer: None };
        let used = TimeDelta::seconds(used);
        let ladder = time_control.ladder(used);
        prop_assert!(ladder.len() <= 3);
        prop_assert!(ladder.windows(2).all(|steps| steps[1] - steps[0] >= HOUR * 12));
        prop_assert!(ladder.iter().all(|step| step.subsec_nanos() == 0));
        if let Some(limit) = time_control.limit(used) {
            prop_assert!(ladder.iter().all(|step| *step < limit));
            let last = if limit < DAY * 2 { limit.num_seconds() / 2 } else { (limit - DAY).num_seconds() };
            prop_assert_eq!(ladder.last().map(TimeDelta::num_seconds), (!limit.is_zero()).then_some(last));
        }
    }

    #[test]
    fn a_bank_is_never_negative_nor_above_its_cap(
        start in 1..30_u32, plus in 0..5_u32, more in 0..30_u32,
        thoughts in prop::collection::vec(0..20 * 86_400_i64, 1..40),
    ) {
        let fischer = Fischer { start, plus, cap: start + more };
        let time_control = TimeControl { fischer: Some(fischer), ..TimeControl::default() };
        let (mut credit, mut used) = (TimeDelta::zero(), TimeDelta::zero());
        let mut bank = DAY * i32::try_from(start).unwrap();
        for thinking_time in thoughts {
            prop_assert_eq!(time_control.limit(used - credit), Some(bank));
            let before = (bank - TimeDelta::seconds(thinking_time)).max(TimeDelta::zero());
            used += TimeDelta::seconds(thinking_time);
            let earlier = credit;
            credit = fischer.credited(credit, used);
            bank = (before + DAY * i32::try_from(plus).unwrap()).min(DAY * i32::try_from(start + more).unwrap());
            prop_assert_eq!(fischer.bank(credit, used), bank);
            prop_assert!(credit >= earlier);
        }
        prop_assert_eq!(fischer.to_string().parse(), Ok(fischer));
    }

    #[test]
    fn a_reminder_and_an_end_are_never_due_at_night(
        calendar in calendars(&ZONES, 1), since in moment(1), nag in 0..10_u32, forfeit in 1..20_u32,
        reminded in 0..4_u32,
    ) {
        let time_control = TimeControl { nag, forfeit, total: 0, fischer: None };
        let running = Running { since, thinking_time: TimeDelta::zero(), used: TimeDelta::zero(), reminded };
        let (at, _) = next(&time_control, &calendar, &running).unwrap();
        // The clock is running in the last counted second.
        prop_assert_eq!(calendar.stands_until(at - SECOND), None);
    }

    #[test]
    fn a_ladder_is_climbed_before_the_forfeit(
        calendar in calendars(&ZONES, 1), since in moment(1), nag in 0..10_u32, forfeit in 1..20_u32,
    ) {
        let time_control = TimeControl { nag, forfeit, total: 0, fischer: None };
        let running = Running { since, thinking_time: TimeDelta::zero(), used: TimeDelta::zero(), reminded: 0 };
        let steps = time_control.ladder(running.used);
        let mut before = since;
        for (reminded, step) in (0..).zip(&steps) {
            let (at, due) = next(&time_control, &calendar, &Running { reminded, ..running }).unwrap();
            prop_assert_eq!(due, Due::Reminder);
            prop_assert_eq!(thinking_time(&calendar, &running, at), *step);
            prop_assert!(at > before);
            before = at;
        }
        let reminded = Running { reminded: steps.len().try_into().unwrap(), ..running };
        let (at, due) = next(&time_control, &calendar, &reminded).unwrap();
        prop_assert_eq!(due, Due::Forfeit);
        prop_assert!(at > before);
        prop_assert_eq!(Some(at), deadline(&time_control, &calendar, &running));
    }
}

proptest! {
    // Run fewer cases, because the naive counters are slow.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn counting_agrees_with_an_hourly_counter(
        calendar in calendars(&ZONES[..2], 3600), from in moment(3600), hours in 0..24 * 100_i32,
    ) {
        let until = from + HOUR * hours;
        prop_assert_eq!(calendar.counted(from, until), dully(&calendar, from, until, 60));
    }

    #[test]
    fn counting_agrees_with_a_minutely_counter(
        calendar in calendars(&ZONES[2..6], 60), from in moment(60), minutes in 0..60 * 24 * 14_i64,
    ) {
        let until = from + TimeDelta::minutes(minutes);
        prop_assert_eq!(calendar.counted(from, until), dully(&calendar, from, until, 1));
    }
}
