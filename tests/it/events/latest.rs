//! The day on which an edition ends at the latest. A board is not lost on that day if all clocks were stopped, or if an
//! administrator has given a player extra time.

use chrono::TimeDelta;
use turnpost::numbers::BoardNumber;
use turnpost::service::Decision;
use turnpost::store::StopCause;

use super::ladder::{ladder, places, play};
use super::{begin, event, playing, wait, with_event};
use crate::common::inside::{Inside, WORLD};

/// Starts a league whose players do not go on vacation.
fn league(terms: &str, players: &[&str]) -> Inside {
    let mut inside = with_event(&format!("--kind=league {terms}"), players);
    inside.config.policy.vacation_days = 0;
    begin(&mut inside);
    inside
}

/// Runs an administrator's action.
fn act(inside: &mut Inside, act: impl FnOnce(&turnpost::service::Service<'_>, &mut turnpost::store::Transaction<'_>)) {
    let service = inside.config.service(WORLD);
    let mut tx = inside.store.write().unwrap();
    act(&service, &mut tx);
    tx.commit().unwrap();
}

#[test]
fn a_pause_postpones_the_latest_day_and_no_game_is_lost() {
    let mut inside = league("--totaltime=10", &["alice", "bob", "carol", "dave"]);
    let latest = event(&mut inside).shown.unwrap().latest_at.unwrap();
    assert_eq!(latest - inside.now(), TimeDelta::days(32));
    let now = inside.now();
    act(&mut inside, |service, tx| {
        service.begin_standstill(tx, StopCause::Paused, "New disks.", now).unwrap();
    });
    wait(&mut inside, 33);
    assert_eq!(playing(&mut inside).len(), 6, "all games continue during the pause");
    let now = inside.now();
    act(&mut inside, |service, tx| {
        service.end_standstill(tx, StopCause::Paused, now).unwrap().unwrap();
    });
    wait(&mut inside, 2);
    assert_eq!(playing(&mut inside).len(), 6, "all games continue after the pause");
    let shown = event(&mut inside).shown.unwrap();
    assert_eq!(shown.latest_at, Some(latest + TimeDelta::days(33)));
    // Nobody moves, so all games are lost on time.
    wait(&mut inside, 12);
    assert_eq!(playing(&mut inside), []);
}

#[test]
fn time_that_an_administrator_gives_is_not_cut_by_the_latest_day() {
    let mut inside = league("--totaltime=2", &["alice", "bob", "carol"]);
    let (number, [first, second]) = playing(&mut inside)[0].clone();
    inside.say(&first, &format!("move {number} {first} - f6"));
    inside.say(&second, &format!("move {number} {second} - g7"));
    let now = inside.now();
    act(&mut inside, |service, tx| {
        let board = tx.board(BoardNumber(number)).unwrap().unwrap();
        assert!(service.extend(tx, board, TimeDelta::days(30), now).unwrap());
    });
    wait(&mut inside, 25);
    assert_eq!(playing(&mut inside).iter().map(|(board, _)| *board).collect::<Vec<_>>(), [number]);
    // The extra time was only for this turn. After it, the opponent still has their normal thinking time.
    inside.say(&first, &format!("move {number} {first} - c3"));
    wait(&mut inside, 1);
    assert_eq!(playing(&mut inside).len(), 1);
    wait(&mut inside, 3);
    assert_eq!(playing(&mut inside), []);
}

#[test]
fn the_time_of_a_reopened_game_begins_again() {
    let mut inside = ladder();
    play(&mut inside, "alice", "bob", true);
    assert_eq!(places(&mut inside)[..2], ["bob", "alice"]);
    inside.pass(TimeDelta::days(300));
    inside.tick();
    let now = inside.now();
    act(&mut inside, |service, tx| {
        let reopen = Decision::Reopen { days: None };
        service.decide(tx, BoardNumber(1), reopen, "alice was ill", now).unwrap().unwrap();
    });
    wait(&mut inside, 8);
    assert_eq!(playing(&mut inside).len(), 1);
}
