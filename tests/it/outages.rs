//! Players must not lose games because of an outage or held letters: clocks are stopped meanwhile, and afterwards the
//! player to move has enough time.

use chrono::{DateTime, TimeDelta, Utc};
use turnpost::numbers::BoardNumber;
use turnpost::service::{Service, running_clocks};
use turnpost::store::{self, StopCause, Transaction};

use crate::common::database::{forge, sql};
use crate::common::inside::WORLD;
use crate::common::{Server, done};
use crate::ticking::{Clockwork, day};

const HOUR: TimeDelta = TimeDelta::hours(1);

/// Simulates that the server starts at this time, after an outage.
fn works_again(clockwork: &mut Clockwork, now: DateTime<Utc>) {
    clockwork.inside.set_now(now);
    clockwork.work();
}

/// Returns the board as alice sees it, in one line.
fn shown(clockwork: &mut Clockwork) -> String {
    clockwork.inside.shown("alice", 1).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the time at which the game ends if nobody moves.
fn ends(clockwork: &mut Clockwork) -> DateTime<Utc> {
    clockwork.run_until(day(200));
    let (reason, at) = clockwork.end().expect("the game ends");
    assert_eq!(reason, "time");
    at
}

#[test]
fn clocks_are_stopped_while_the_server_is_off() {
    for (options, off, on, end) in [
        // A player has 21 days. alice used two days before the outage, and the clock counts one hour after the server's
        // last check.
        ("", 2, 32, day(51) - HOUR),
        // Only two days remained, but after an outage the player gets at least seven.
        ("", 19, 49, day(56)),
        // The outage lasts four days. If the clock had not stopped, the game would have ended after three days.
        ("--nagtime=1 --forfeittime=3", 1, 5, day(7) - HOUR),
    ] {
        let mut clockwork = Clockwork::moved(options);
        clockwork.run_until(day(off));
        works_again(&mut clockwork, day(off));
        let before = clockwork.reminders().len();
        works_again(&mut clockwork, day(on));
        assert_eq!(
            (clockwork.end(), clockwork.reminders().len()),
            (None, before),
            "{options}: no reminder is sent immediately"
        );
        let shown = shown(&mut clockwork);
        assert!(shown.contains("All clocks were stopped from") && shown.contains("the server was off"), "{shown}");
        let ended = ends(&mut clockwork);
        assert_eq!(ended, end, "{options}");
        let last = *clockwork.reminders().last().unwrap();
        assert!(ended - last >= TimeDelta::days(1) && last > day(on), "{options}: reminded at {last}");
    }
}

/// Carries out an administrator's action at this time.
fn act(
    clockwork: &mut Clockwork,
    now: DateTime<Utc>,
    act: impl FnOnce(&Service<'_>, &mut Transaction<'_>) -> store::Result<()>,
) {
    clockwork.run_until(now);
    let service = clockwork.inside.config.service(WORLD);
    let mut tx = clockwork.inside.store.write().unwrap();
    act(&service, &mut tx).unwrap();
    tx.commit().unwrap();
    clockwork.work();
}

#[test]
fn a_short_outage_does_not_stop_the_clocks() {
    let mut clockwork = Clockwork::moved("");
    clockwork.run_until(day(2));
    works_again(&mut clockwork, day(2));
    works_again(&mut clockwork, day(3));
    act(&mut clockwork, day(3), |service, tx| service.hold_letters(tx, day(3)).map(drop));
    let later = day(3) + TimeDelta::hours(23);
    act(&mut clockwork, later, |service, tx| service.release_letters(tx, later).map(drop));
    assert_eq!(ends(&mut clockwork), day(21));
}

#[test]
fn clocks_are_stopped_while_letters_are_held() {
    let mut clockwork = Clockwork::moved("");
    act(&mut clockwork, day(18), |service, tx| service.hold_letters(tx, day(18)).map(drop));
    clockwork.run_until(day(58));
    assert_eq!(clockwork.notices("reminder").len(), 2, "no reminder is written while letters are held");
    // If a turn starts while letters are held, its clock does not run.
    clockwork.inside.say("alice", "marque move 1 alice - a1");
    act(&mut clockwork, day(68), |service, tx| service.release_letters(tx, day(68)).map(drop));
    assert_eq!(clockwork.board().seats[0].used, TimeDelta::days(18));
    assert_eq!(ends(&mut clockwork), day(68 + 21));
    assert_eq!(clockwork.reminders()[2..], [7, 14, 20].map(|count| day(68 + count)));
}

#[test]
fn overlapping_causes_form_one_standstill() {
    let mut clockwork = Clockwork::moved("");
    act(&mut clockwork, day(1), |service, tx| service.hold_letters(tx, day(1)).map(drop));
    let paused = StopCause::Paused;
    act(&mut clockwork, day(2), |service, tx| service.begin_standstill(tx, paused, "New disks.", day(2)).map(drop));
    act(&mut clockwork, day(12), |service, tx| service.release_letters(tx, day(12)).map(drop));
    act(&mut clockwork, day(22), |service, tx| service.end_standstill(tx, paused, day(22)).map(drop));
    let shown = shown(&mut clockwork);
    assert!(shown.contains("the administrator paused them (New disks)."), "{shown}");
    // The clock stopped when letters were held on day 1. alice had used one of 21 days by then.
    assert_eq!(ends(&mut clockwork), day(22 + 20));
}

#[test]
fn additional_time_ends_with_the_turn() {
    let mut clockwork = Clockwork::new();
    clockwork.inside.say("alice", "hex challenge --totaltime=20 --forfeittime=0 alice bob");
    clockwork.run_until(day(5));
    clockwork.inside.say("alice", "hex move 1 alice - a1");
    clockwork.inside.say("bob", "hex move 1 bob - a3");
    act(&mut clockwork, day(5), |service, tx| {
        let board = tx.board(BoardNumber(1))?.unwrap();
        service.extend(tx, board, TimeDelta::days(30), day(5)).map(drop)
    });
    clockwork.run_until(day(6));
    let used = clockwork.inside.read(|tx| running_clocks(tx, day(6)).unwrap()[0].clock.used_days);
    assert_eq!(used, [5.0, 0.0], "only alice's clock runs");
    clockwork.inside.say("alice", "hex move 1 alice - b1");
    assert_eq!(clockwork.board().seats[0].used, TimeDelta::days(5));
}

#[test]
fn a_short_pause_is_not_part_of_the_day_after_a_reminder() {
    let mut clockwork = Clockwork::moved("--forfeittime=1 --nagtime=0");
    let at = |hours: i64| day(0) + HOUR * hours as i32;
    let cause = StopCause::Paused;
    act(&mut clockwork, at(13), |service, tx| service.begin_standstill(tx, cause, "", at(13)).map(drop));
    act(&mut clockwork, at(23), |service, tx| service.end_standstill(tx, cause, at(23)).map(drop));
    assert_eq!(clockwork.reminders(), [at(12)]);
    let shown = clockwork.inside.read(|tx| running_clocks(tx, at(23)).unwrap()[0].clock.deadline);
    assert_eq!((shown, ends(&mut clockwork)), (Some(at(46)), at(46)));
}

#[test]
fn the_first_move_after_an_outage_uses_no_time() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let ago = "2020-01-01T00:00:00Z";
    forge(
        &server,
        &format!(
            "UPDATE server SET clocks_seen_at = '{ago}'; UPDATE boards SET clock_since = '{ago}', moved_at = '{ago}';"
        ),
    );
    done(&server, "marque move 1 alice wonderland f3");
    let used: u32 = sql(&server, "SELECT sum(used) FROM seats").parse().unwrap();
    // The upper limit allows a minute for the command itself.
    assert!((3_600..3_660).contains(&used), "the clock counts the hour since the last tick: {used}");
    assert_eq!(sql(&server, "SELECT cause FROM standstills"), "off");
    assert_eq!(server.shell("admin check").status, 0);
}

#[test]
fn the_administrator_pauses_clocks_and_gives_time() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let deadline = || server.json("admin clocks --json")[0]["deadline"].as_str().map(str::to_owned);
    let before: DateTime<Utc> = deadline().unwrap().parse().unwrap();
    let idle = Server::with_players();
    assert_eq!(done(&idle, "admin extend --all --days 1"), "No clock is running.\n");
    let paused = done(&server, "admin pause --reason=Moving");
    assert!(paused.starts_with("All clocks are stopped since 20"), "{paused}");
    let overview = done(&server, "admin");
    assert!(overview.contains("CLOCKS PAUSED            for "), "{overview}");
    assert!(overview.contains(": Moving  → turnpost admin resume\n"), "{overview}");
    assert_eq!(server.json("admin")["clocks_paused"]["reason"], "Moving");
    assert_eq!(deadline(), None);
    assert_eq!(server.json("admin clocks --json")[0]["note"], "all clocks are stopped");
    let shown = done(&server, "show 1").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("the administrator paused them (Moving"), "{shown}");
    assert!(done(&server, "admin resume").starts_with("All clocks are running again"));
    assert!(!done(&server, "admin").contains("CLOCKS PAUSED"));
    assert_eq!(done(&server, "admin resume"), "Clocks were not paused.\n");
    assert_eq!(done(&server, "admin extend 1 --days 30"), "The player to move has 30 more days at 1 board.\n");
    let after: DateTime<Utc> = deadline().unwrap().parse().unwrap();
    assert!(after - before >= TimeDelta::days(30) && after - before < TimeDelta::days(31), "{before} {after}");
    assert_eq!(server.json("admin extend --all --days 1 --json")["boards"][0], 1);
    let refused = server.shell("admin extend 2 --days 1");
    assert!(refused.status == 1 && refused.err.contains("there is no board 2"), "{}", refused.err);
    assert_eq!(server.shell("admin extend 1 --days 0").status, 2);
    // The additional time is only for the current turn.
    done(&server, "marque move 1 alice wonderland f3");
    assert_eq!(sql(&server, "SELECT clock_given FROM boards"), "0");
    assert_eq!(server.shell("admin check").status, 0);
}

#[test]
fn clocks_remain_stopped_after_a_pause_while_letters_are_held_or_the_server_is_under_maintenance() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    for (stop, start, advice) in [
        (
            "admin hold",
            "admin release",
            "Letters are held. To send them, and to start the clocks: turnpost admin release",
        ),
        (
            "admin maintenance on Upgrade",
            "admin maintenance off",
            "The server is under maintenance. To end it: turnpost admin maintenance off",
        ),
    ] {
        done(&server, "admin pause --reason=Moving");
        done(&server, stop);
        let resumed = done(&server, "admin resume");
        assert!(!resumed.contains("running again") && resumed.contains("all clocks remain stopped"), "{resumed}");
        assert_eq!(resumed.lines().nth(1), Some(advice), "{resumed}");
        assert_eq!(server.json("admin clocks --json")[0]["note"], "all clocks are stopped");
        done(&server, start);
        assert!(server.json("admin clocks --json")[0]["deadline"].is_string(), "{start}");
    }
}
