//! The system's clock is wrong for a while, and then right again.

use chrono::{DateTime, TimeDelta, Utc};
use turnpost::clock::Span;
use turnpost::store::{CountedBy, CountedKind};

use crate::ticking::{Clockwork, day};

/// Sets the time, and lets the server process due work.
fn process_at(clockwork: &mut Clockwork, now: DateTime<Utc>) {
    clockwork.inside.set_now(now);
    clockwork.work();
}

const HOUR: TimeDelta = TimeDelta::hours(1);

#[test]
fn a_clock_that_is_slow_during_a_move_does_not_cost_the_opponent_time() {
    for looks in [false, true] {
        let mut clockwork = Clockwork::moved("");
        process_at(&mut clockwork, day(1));
        let wrong = day(1) - TimeDelta::days(40);
        if looks {
            process_at(&mut clockwork, wrong);
        }
        clockwork.inside.set_now(wrong + HOUR);
        clockwork.inside.say("alice", "marque move 1 alice - a1");
        process_at(&mut clockwork, wrong + HOUR * 2);
        process_at(&mut clockwork, day(1) + HOUR);
        clockwork.run_until(day(60));
        let (reason, ended) = clockwork.end().unwrap();
        assert!(reason == "time" && ended >= day(21), "{reason} at {ended}");
        assert_eq!(clockwork.reminders().len(), 3);
        assert!(clockwork.notices("reminder").iter().all(|(to, _)| to == "bob"));
        assert!(clockwork.board().seats[0].used < TimeDelta::days(2), "alice's clock counts only alice's time");
    }
}

#[test]
fn a_clock_that_was_ahead_does_not_skip_reminders_or_add_time() {
    let mut clockwork = Clockwork::moved("");
    process_at(&mut clockwork, day(1));
    process_at(&mut clockwork, day(41));
    assert_eq!(clockwork.end(), None);
    process_at(&mut clockwork, day(1) + HOUR);
    clockwork.run_until(day(60));
    assert_eq!(clockwork.reminders(), [7, 14, 20].map(day));
    assert_eq!(clockwork.end(), Some(("time".to_owned(), day(21))));
}

#[test]
fn a_clock_that_was_years_ahead_does_not_delay_later_work() {
    let mut clockwork = Clockwork::moved("");
    process_at(&mut clockwork, day(1));
    let far: DateTime<Utc> = "2081-05-01T00:00:00Z".parse().unwrap();
    clockwork.transport(false);
    clockwork.inside.set_now(far);
    clockwork.inside.say("alice", "marque move 1 alice - a1");
    let mut tx = clockwork.inside.store.write().unwrap();
    (0..10).for_each(|_| tx.count(CountedKind::WrongPassword, "bob", "somewhere", far).unwrap());
    tx.commit().unwrap();
    process_at(&mut clockwork, far);
    assert!(clockwork.notices("move").iter().any(|(_, sent)| sent.is_none()), "the letter remains in the queue");
    clockwork.transport(true);
    process_at(&mut clockwork, day(1) + HOUR);
    assert!(clockwork.notices("move").iter().all(|(_, sent)| sent.is_some()));
    let later = day(2);
    let week = Span::last(TimeDelta::days(7), later);
    let by = CountedBy::Both { of: "bob", source: "somewhere" };
    assert_eq!(clockwork.inside.read(|tx| tx.counted(CountedKind::WrongPassword, by, &week).unwrap()), 0);
    clockwork.run_until(day(60));
    assert_eq!(clockwork.reminders(), [8, 15, 21].map(|count| day(count) + HOUR));
    assert_eq!(clockwork.end(), Some(("time".to_owned(), day(22) + HOUR)));
}
