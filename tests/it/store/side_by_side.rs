//! Transactions of PostgreSQL that write beside each other: on different boards at the same time, on one board one after
//! the other, and never beside one that writes alone.

use std::thread;

use turnpost::numbers::BoardNumber;
use turnpost::store::*;
use turnpost::world::World;

use super::contract::{Instance, append, at, board, instance, ply};
use super::postgres::fresh;
use crate::common::postgres;
use crate::common::serving::wait_until;

/// A first move on a board.
fn first_move(tx: &mut dyn Transaction, number: u32) -> Result<Entry> {
    append(tx, number, &ply(1, Seat::First), Some(Seat::Second))
}

/// Boards 1 and 2.
fn two_boards() -> Instance {
    let mut instance = instance(fresh);
    let mut tx = instance.store.write().unwrap();
    tx.add_board(&board([instance.alice, instance.bob])).unwrap();
    tx.commit().unwrap();
    instance
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn turns_on_two_boards_are_written_at_the_same_time() {
    let Instance { database, mut store, .. } = two_boards();
    let (mut other, mut reader) = (database.open(), database.open());
    let before = reader.read().unwrap().last_change().unwrap();
    let mut slow = store.write_shared().unwrap();
    first_move(&mut *slow, 1).unwrap();
    let mut fast = other.write_shared().unwrap();
    first_move(&mut *fast, 2).unwrap();
    fast.commit().unwrap();
    let changes = reader.read().unwrap().changes_since(before, 9).unwrap();
    assert_eq!(changes.iter().map(|change| change.board.0).collect::<Vec<_>>(), [2]);
    slow.commit().unwrap();
    // Whoever continues after the change that they have seen finds the other one.
    let later = reader.read().unwrap().changes_since(changes[0].seq, 9).unwrap();
    assert_eq!(later.iter().map(|change| change.board.0).collect::<Vec<_>>(), [1]);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn of_two_turns_on_one_board_the_second_is_told_at_once() {
    let Instance { database, mut store, .. } = two_boards();
    let mut other = database.open();
    let mut first = store.write_shared().unwrap();
    first_move(&mut *first, 1).unwrap();
    let mut second = other.write_shared().unwrap();
    second.set_savepoint().unwrap();
    assert!(matches!(first_move(&mut *second, 1), Err(StoreError::Busy)), "it is being written");
    second.undo_to_savepoint().unwrap();
    first.commit().unwrap();
    second.set_savepoint().unwrap();
    assert!(matches!(first_move(&mut *second, 1), Err(StoreError::Busy)), "it was written since the snapshot");
    second.undo_to_savepoint().unwrap();
    first_move(&mut *second, 2).unwrap();
    second.commit().unwrap();
    let tx = store.read().unwrap();
    assert_eq!([1, 2].map(|number| tx.board(BoardNumber(number)).unwrap().unwrap().plies.0), [1, 1]);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn whoever_writes_alone_waits_for_those_beside_each_other() {
    let database = postgres::Database::set_up();
    let connect = || open(database.location(), World::REAL).unwrap();
    let mut store = connect();
    let mut tx = store.write().unwrap();
    let players = ["alice", "bob"].map(|userid| tx.add_player(userid, "x", at(0)).unwrap());
    tx.add_board(&board(players)).unwrap();
    tx.commit().unwrap();
    let mut shared = store.write_shared().unwrap();
    first_move(&mut *shared, 1).unwrap();
    thread::scope(|scope| {
        let alone = scope.spawn(|| {
            let mut store = connect();
            let tx = store.write().unwrap();
            tx.board(BoardNumber(1)).unwrap().unwrap().plies.0
        });
        let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'writer'::regclass \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        wait_until("it waits", || (database.lines(waiting) == "1").then_some(()));
        shared.commit().unwrap();
        assert_eq!(alone.join().unwrap(), 1, "it sees what they have written");
    });
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn what_is_no_part_of_a_turn_is_written_alone() {
    let Instance { mut store, alice, bob, database: _database } = two_boards();
    type Act = fn(&mut dyn Transaction, [PlayerId; 2]) -> Result<()>;
    let acts: [Act; 4] = [
        |tx, _| tx.add_player("carol", "x", at(2)).map(drop),
        |tx, players| tx.add_board(&board(players)).map(drop),
        |tx, _| {
            let result = BoardResult { winner: None, reason: "agreement".into(), ended_at: at(9) };
            tx.end_board(BoardNumber(1), &result)
        },
        |tx, _| tx.needs_exclusive(),
    ];
    for act in acts {
        let mut shared = store.write_shared().unwrap();
        assert!(matches!(act(&mut *shared, [alice, bob]), Err(StoreError::NeedsExclusive)));
        drop(shared);
        act(&mut *store.write().unwrap(), [alice, bob]).unwrap();
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn the_mails_of_a_sender_are_one_transactions() {
    let Instance { database, mut store, .. } = two_boards();
    let mut other = database.open();
    let mut first = store.write_shared().unwrap();
    assert!(first.claim_sender("alice@example.org").unwrap());
    let mut second = other.write_shared().unwrap();
    assert!(!second.claim_sender("alice@example.org").unwrap());
    assert!(second.claim_sender("bob@example.org").unwrap());
    drop(first);
    assert!(second.claim_sender("alice@example.org").unwrap());
}
