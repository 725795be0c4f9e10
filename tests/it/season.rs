//! A season: 100 players and 1,000 boards over a simulated year, controlled only through the command language.
//!
//! Everything happens on full hours, so that an independent counter of hours can verify every clock. At the end, all
//! invariants are checked: the records, the ratings, the letters, the forfeits, the clocks.

mod play;
mod players;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use turnpost::service::{Response, check};
use turnpost::store::{EntryKind, Transaction};

use play::Season;

const PLAYERS: usize = 100;
const BOARDS: usize = 1_000;
const DAYS: i64 = 365;
/// The number of hours between two checks for due clocks and letters.
const STEP: i64 = 6;

#[test]
fn a_season_passes_all_checks() {
    let mut season = Season::new(PLAYERS, BOARDS);
    let start = season.inside.now();
    let mut accepted = BTreeMap::new();
    while season.inside.now() < start + TimeDelta::days(DAYS) {
        season.inside.pass(TimeDelta::hours(STEP));
        season.step();
        for (notice, letter) in season.inside.send_due() {
            assert!(accepted.insert(notice, letter).is_none(), "notice {notice} was sent twice");
        }
    }
    println!("{:?}", season.done);
    for (what, at_least) in [
        ("move", 10_000),
        ("ended", 750),
        ("forfeited", 25),
        ("removed", 1),
        ("resigned", 250),
        ("drawn", 25),
        ("undone", 50),
        ("prepared reply", 150),
        ("vacation", 100),
        ("signoff", 3),
        ("refused", 250),
        ("offer taken", 50),
    ] {
        let count = season.done.get(what).copied().unwrap_or(0);
        assert!(count >= at_least, "{what}: {count} instead of at least {at_least}");
    }
    let clocks = season.clocks();
    season.inside.read(|tx| {
        assert_eq!(check(tx).unwrap().differences, vec![]);
        every_notice_was_sent_once(tx, &accepted);
        no_forfeit_without_a_reminder(tx);
        for (number, used) in &clocks {
            let board = tx.board(*number).unwrap().unwrap();
            let stored = [0, 1].map(|seat| board.seats[seat].used.num_hours());
            assert_eq!(stored, *used, "used hours on board {number}");
            assert!(board.seats.iter().all(|seat| seat.used.num_seconds() % 3_600 == 0));
        }
    });
    assert!(clocks.len() > 750);
    let Response::Standings { rows, .. } = season.inside.say("p001", "marque standings") else { panic!() };
    assert!(rows.len() > 75 && rows.iter().any(|row| !row.provisional), "{} standings", rows.len());
}

/// Checks that the notices marked as sent are exactly those that the transport accepted, and that no other notice has
/// failed, except those to players who have left.
fn every_notice_was_sent_once(tx: &Transaction<'_>, accepted: &BTreeMap<i64, String>) {
    let rows = tx.outbox(u32::MAX).unwrap();
    let (sent, waiting): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.sent_at.is_some());
    assert_eq!(sent.len(), accepted.len());
    for row in sent {
        assert_eq!(accepted.get(&row.id.0), Some(&row.message_id), "notice {}", row.id.0);
    }
    for row in waiting {
        let player = row.player.as_ref().map(|player| tx.player_by_id(player.id).unwrap().unwrap());
        let left = player.is_some_and(|player| player.left_at.is_some());
        assert!(row.error.is_none() || left, "{row:?}");
    }
    let letters: BTreeSet<&String> = accepted.values().collect();
    println!("{} notices in {} letters", accepted.len(), letters.len());
}

fn no_forfeit_without_a_reminder(tx: &Transaction<'_>) {
    let mut forfeits = 0;
    for board in tx.boards(None, None, false).unwrap() {
        let entries = tx.entries(board.number).unwrap();
        let Some(last) = entries.last().filter(|entry| entry.kind == EntryKind::Forfeit) else { continue };
        let reminder = tx.reminder(board.number, last.entry.previous()).unwrap();
        let sent: Option<DateTime<Utc>> = reminder.and_then(|reminder| reminder.sent_at);
        assert!(
            sent.is_some_and(|sent| last.made_at - sent >= TimeDelta::days(1)),
            "board {} is forfeited at least a day after its reminder",
            board.number
        );
        forfeits += 1;
    }
    println!("{forfeits} forfeits, each after a reminder");
}
