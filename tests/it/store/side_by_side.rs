//! Concurrent PostgreSQL transactions: on different boards they run in parallel, on one board one after the other,
//! and never together with an exclusive one.

use std::thread;

use turnpost::numbers::BoardNumber;
use turnpost::store::*;
use turnpost::world::World;

use super::contract::letters::notice;
use super::contract::{Instance, append, at, board, instance, ply};
use super::postgres::fresh;
use crate::common::postgres;
use crate::common::serving::wait_until;

/// Appends a first move on a board.
fn first_move(tx: &mut Transaction<'_>, number: u32) -> Result<Entry> {
    append(tx, number, &ply(1, Seat::First), Some(Seat::Second))
}

/// Creates a letter from a notice, and leases the letters to its reader.
fn lease(tx: &mut Transaction<'_>, node: &str, notice: OutboxId, reader: PlayerId) {
    tx.bind_letter(&[notice], at(6)).unwrap();
    let lease = Lease::of(&NodeName(node.to_owned()), at(6));
    assert!(tx.take_lease(&Work::LettersTo(reader), &lease, at(6)).unwrap());
}

fn connected(database: &postgres::Database) -> Box<dyn Store> {
    open(database.location(), World::REAL).unwrap()
}

/// Creates boards 1 and 2 in a database that others can query.
fn database_of_two_boards() -> (postgres::Database, Box<dyn Store>) {
    let database = postgres::Database::set_up();
    let mut store = connected(&database);
    let mut tx = store.write().unwrap();
    let players = ["alice", "bob"].map(|userid| tx.add_player(userid, "x", at(0)).unwrap());
    for _ in 1..=2 {
        tx.add_board(&board(players)).unwrap();
    }
    tx.commit().unwrap();
    (database, store)
}

/// Creates boards 1 and 2.
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
    first_move(&mut slow, 1).unwrap();
    let mut fast = other.write_shared().unwrap();
    first_move(&mut fast, 2).unwrap();
    fast.commit().unwrap();
    let changes = reader.read().unwrap().changes_since(before, 9).unwrap();
    assert_eq!(changes.iter().map(|change| change.board.0).collect::<Vec<_>>(), [2]);
    slow.commit().unwrap();
    // A reader who continues after the known change finds the other one.
    let later = reader.read().unwrap().changes_since(changes[0].seq, 9).unwrap();
    assert_eq!(later.iter().map(|change| change.board.0).collect::<Vec<_>>(), [1]);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn of_two_turns_on_one_board_the_second_is_told_at_once() {
    let Instance { database, mut store, .. } = two_boards();
    let mut other = database.open();
    let mut first = store.write_shared().unwrap();
    first_move(&mut first, 1).unwrap();
    let mut second = other.write_shared().unwrap();
    second.set_savepoint().unwrap();
    assert!(matches!(first_move(&mut second, 1), Err(StoreError::Busy)), "it is being written");
    second.undo_to_savepoint().unwrap();
    first.commit().unwrap();
    second.set_savepoint().unwrap();
    assert!(matches!(first_move(&mut second, 1), Err(StoreError::Conflict)), "it was written since the snapshot");
    second.undo_to_savepoint().unwrap();
    first_move(&mut second, 2).unwrap();
    second.commit().unwrap();
    let tx = store.read().unwrap();
    assert_eq!([1, 2].map(|number| tx.board(BoardNumber(number)).unwrap().unwrap().plies.0), [1, 1]);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_write_that_conflicts_with_another_turn_is_retried_concurrently() {
    let Instance { database, mut store, .. } = two_boards();
    let (mut other, mut slow) = (database.open(), database.open());
    // An exclusive writer would wait for it.
    let mut long = slow.write_shared().unwrap();
    first_move(&mut long, 2).unwrap();
    let mut attempts = 0;
    write_beside(&mut *store, |tx| {
        attempts += 1;
        if attempts > 1 {
            return append(tx, 1, &ply(2, Seat::Second), Some(Seat::First));
        }
        tx.board(BoardNumber(1))?;
        let mut turn = other.write_shared()?;
        first_move(&mut turn, 1)?;
        turn.commit()?;
        first_move(tx, 1)
    })
    .unwrap();
    assert_eq!(attempts, 2);
    long.commit().unwrap();
    let plies = [1, 2].map(|number| store.read().unwrap().board(BoardNumber(number)).unwrap().unwrap().plies.0);
    assert_eq!(plies, [2, 1]);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn an_exclusive_writer_waits_for_concurrent_ones() {
    let (database, mut store) = database_of_two_boards();
    let mut shared = store.write_shared().unwrap();
    first_move(&mut shared, 1).unwrap();
    thread::scope(|scope| {
        let alone = scope.spawn(|| {
            let mut store = connected(&database);
            let tx = store.write().unwrap();
            tx.board(BoardNumber(1)).unwrap().unwrap().plies.0
        });
        wait_until("it waits", || (database.lines(WAITS_TO_WRITE) == "1").then_some(()));
        shared.commit().unwrap();
        assert_eq!(alone.join().unwrap(), 1, "it sees what they have written");
    });
}

/// Counts waiters for the writers' lock.
const WAITS_TO_WRITE: &str = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'writer'::regclass \
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_write_that_conflicts_with_an_administrators_transaction_is_retried() {
    // An administrator's direct change does not use the program's locks.
    const CHANGE: &str = "UPDATE boards SET clock_reminded = clock_reminded WHERE number = 1";
    let (database, mut store) = database_of_two_boards();
    let mut attempts = 0;
    let written = write_alone(&mut *store, |tx| {
        attempts += 1;
        tx.board(BoardNumber(1))?;
        if attempts == 1 {
            database.connected().batch_execute(CHANGE).unwrap();
        }
        first_move(tx, 1)
    });
    assert!(written.is_ok() && attempts == 2, "what they changed since the snapshot: {attempts}, {written:?}");

    thread::scope(|scope| {
        attempts = 0;
        let written = write_alone(&mut *store, |tx| {
            attempts += 1;
            if attempts == 1 {
                let mut administrator = database.connected();
                scope.spawn(move || {
                    let wait = "LOCK TABLE writer IN EXCLUSIVE MODE";
                    // The program should be the one that detects the deadlock.
                    let work = format!("BEGIN; SET LOCAL deadlock_timeout = '1min'; {CHANGE}; {wait}; COMMIT");
                    administrator.batch_execute(&work).unwrap();
                });
                wait_until("they wait", || (database.lines(WAITS_TO_WRITE) == "1").then_some(()));
            }
            append(tx, 1, &ply(2, Seat::Second), Some(Seat::First))
        });
        assert!(written.is_ok() && attempts == 2, "each waits for the other: {attempts}, {written:?}");
    });

    attempts = 0;
    let written = write_alone(&mut *store, |tx| {
        attempts += 1;
        tx.board(BoardNumber(2))?;
        database.connected().batch_execute(&CHANGE.replace("= 1", "= 2")).unwrap();
        first_move(tx, 2)
    });
    assert!(matches!(written, Err(StoreError::Conflict)) && attempts > 2, "not for ever: {attempts}, {written:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn writes_outside_turns_are_exclusive() {
    let Instance { mut store, alice, bob, database: _database } = two_boards();
    type Act = fn(&mut Transaction<'_>, [PlayerId; 2]) -> Result<()>;
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
        assert!(matches!(act(&mut shared, [alice, bob]), Err(StoreError::NeedsExclusive)));
        drop(shared);
        act(&mut store.write().unwrap(), [alice, bob]).unwrap();
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn two_nodes_lease_different_letters_at_the_same_time() {
    let Instance { database, mut store, alice, bob } = two_boards();
    let mut other = database.open();
    let mut tx = store.write().unwrap();
    let [to_alice, to_bob] = [alice, bob].map(|player| tx.add_notice(&notice(player, Some(6))).unwrap());
    tx.commit().unwrap();
    let mut first = store.write_shared().unwrap();
    assert_eq!(first.loose_notices(at(6), 1).unwrap()[0].id, to_alice);
    let mut second = other.write_shared().unwrap();
    let left: Vec<OutboxId> = second.loose_notices(at(6), 9).unwrap().iter().map(|notice| notice.id).collect();
    assert_eq!(left, [to_bob], "the other one is being made a letter");
    lease(&mut first, "one", to_alice, alice);
    lease(&mut second, "other", to_bob, bob);
    first.commit().unwrap();
    second.commit().unwrap();
    for (node, letter) in [("one", to_alice), ("other", to_bob)] {
        let due = other.read().unwrap().due_letters(at(6), 9, Some(&NodeName(node.to_owned()))).unwrap();
        assert_eq!(due.iter().map(|letter| letter[0].id).collect::<Vec<_>>(), [letter]);
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_letter_that_was_sent_since_the_snapshot_is_not_leased_again() {
    let Instance { database, mut store, alice, .. } = two_boards();
    let mut other = database.open();
    let mut tx = store.write().unwrap();
    let letter = tx.add_notice(&notice(alice, Some(6))).unwrap();
    tx.bind_letter(&[letter], at(6)).unwrap();
    tx.commit().unwrap();
    // One node leases it, sends it, records that and releases the lease, while another searches for due work.
    let late = other.write_shared().unwrap();
    assert!(late.next_due().unwrap().is_some());
    let (work, one) = (Work::LettersTo(alice), NodeName("one".to_owned()));
    let mut tx = store.write_shared().unwrap();
    assert!(tx.take_lease(&work, &Lease::of(&one, at(6)), at(6)).unwrap());
    tx.commit().unwrap();
    let mut tx = store.write_shared().unwrap();
    let delivery = Delivery { address: "a@example.org".into(), state: DeliveryState::Sent, at: at(6), error: None };
    tx.set_delivery(letter, &delivery).unwrap();
    tx.letter_sent(letter, at(6)).unwrap();
    tx.release_lease(&work, &one).unwrap();
    tx.commit().unwrap();
    let found = late.due_letters(at(6), 9, Some(&NodeName("other".to_owned())));
    assert!(matches!(found, Err(StoreError::Conflict)), "{found:?}");
    drop(late);
    assert!(other.write_shared().unwrap().due_letters(at(6), 9, None).unwrap().is_empty());
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

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_mail_that_was_closed_since_the_snapshot_is_not_claimed_again() {
    let Instance { database, mut store, .. } = two_boards();
    let mut other = database.open();
    let mut tx = store.write_shared().unwrap();
    let mails = ["one", "another"].map(|text| tx.add_mail(text.as_bytes(), false, MailSource::Lmtp, at(1)).unwrap());
    tx.commit().unwrap();
    let mut late = other.write_shared().unwrap();
    assert_eq!(late.waiting_after(InboxId(0), 9).unwrap(), mails);
    let mut tx = store.write_shared().unwrap();
    tx.claim_mail(mails[0]).unwrap();
    let verdict = Verdict {
        kind: VerdictKind::Done,
        sender: None,
        identity: None,
        commands: String::new(),
        reason: "It was done.".into(),
    };
    tx.close_mail(mails[0], &verdict, at(2)).unwrap();
    tx.commit().unwrap();
    late.set_savepoint().unwrap();
    assert!(matches!(late.claim_mail(mails[0]), Err(StoreError::Conflict)));
    late.undo_to_savepoint().unwrap();
    late.claim_mail(mails[1]).unwrap();
}
