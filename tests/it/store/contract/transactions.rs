//! Transactions: what they read and write, also while other transactions are open.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;

/// The number of concurrent writers, each with a separate connection.
pub const THREADS: i64 = 4;
/// The number of writes by each writer.
const TIMES: i64 = 8;
/// The number of moves that each writer plays.
const MOVES: u32 = 20;

/// Runs the same work in every thread, each with its own connection, and returns the results.
pub fn in_threads<T: Send>(database: &dyn Database, work: impl Fn(i64, &mut dyn Store) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..THREADS).map(|nth| scope.spawn(move || work(nth, &mut *database.open()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Runs a write transaction, and retries it while the database is busy.
pub fn write<T>(store: &mut dyn Store, work: impl Fn(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
    loop {
        let done = store.write().and_then(|mut tx| {
            let done = work(&mut tx)?;
            tx.commit().map(|()| done)
        });
        if !matches!(done, Err(StoreError::Busy)) {
            return done;
        }
    }
}

fn successes<T>(results: &[Result<T>]) -> usize {
    results.iter().filter(|result| result.is_ok()).count()
}

pub fn a_transaction_dropped_without_commit_changes_nothing(fresh: Fresh) {
    let database = fresh();
    let mut store = database.open();
    store.write().unwrap().add_player("carol", "x", at(0)).unwrap();
    assert!(store.read().unwrap().player("carol").unwrap().is_none());
    assert!(store.read().unwrap().add_player("carol", "x", at(0)).is_err(), "a read transaction cannot write");
}

pub fn writes_are_visible_to_later_reads(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let password = |tx: &Transaction<'_>| {
        let by_userid = tx.player("alice").unwrap().unwrap().password_hash;
        assert_eq!(tx.player_by_id(alice).unwrap().unwrap().password_hash, by_userid);
        by_userid
    };
    let state = |tx: &Transaction<'_>| {
        let addresses = tx.addresses(alice).unwrap().len();
        (password(tx), addresses, tx.board(BoardNumber(1)).unwrap().unwrap().entries)
    };
    tx.set_password(alice, "first").unwrap();
    let before = state(&tx);
    assert_eq!(before, ("first".to_owned(), 0, EntryNumber(0)));
    tx.set_savepoint().unwrap();
    append(&mut tx, 1, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
    assert_eq!(state(&tx), ("first".to_owned(), 0, EntryNumber(1)));
    tx.add_address(alice, "a@example.org", None, at(1)).unwrap();
    assert_eq!(state(&tx), ("first".to_owned(), 1, EntryNumber(1)));
    tx.set_password(alice, "second").unwrap();
    assert_eq!(state(&tx), ("second".to_owned(), 1, EntryNumber(1)));
    tx.undo_to_savepoint().unwrap();
    assert_eq!(state(&tx), before);
}

pub fn many_connections_open_a_new_database_simultaneously(fresh: Fresh) {
    for _ in 0..5 {
        let database = fresh();
        let names = in_threads(&*database, |_, store| store.read().unwrap().server_id().unwrap());
        assert!(!names[0].is_empty() && names.iter().all(|name| *name == names[0]));
    }
    let [one, other] = [(); 2].map(|()| fresh().open().read().unwrap().server_id().unwrap());
    assert_ne!(one, other, "each database has a different server ID");
}

pub fn a_reader_sees_the_state_at_its_start(fresh: Fresh) {
    let Instance { database, mut store, bob, .. } = instance(fresh);
    let (mut reader, mut other) = (database.open(), database.open());
    let before = reader.read().unwrap();
    let mut tx = store.write().unwrap();
    append(&mut tx, 1, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
    assert!(
        other.read().unwrap().entries(BoardNumber(1)).unwrap().is_empty(),
        "a reader neither sees nor waits for an uncommitted entry"
    );
    tx.commit().unwrap();
    assert!(before.entries(BoardNumber(1)).unwrap().is_empty() && before.waiting_for(bob).unwrap().is_empty());
    let now = other.read().unwrap();
    assert_eq!((now.entries(BoardNumber(1)).unwrap().len(), now.waiting_for(bob).unwrap()), (1, numbers(&[1])));
}

pub fn an_entry_is_appended_once(fresh: Fresh) {
    let Instance { database, mut store, .. } = instance(fresh);
    for nth in 1..=u32::try_from(TIMES).unwrap() {
        let seat = if nth % 2 == 1 { Seat::First } else { Seat::Second };
        let results =
            in_threads(&*database, |_, store| write(store, |tx| append(tx, 1, &ply(nth, seat), Some(seat.other()))));
        assert_eq!(successes(&results), 1);
        let late = |result: &Result<Entry>| {
            let not_next = RecordError("an entry must be the next one of its board");
            matches!(result, Err(StoreError::Record(error)) if *error == not_next) || result.is_ok()
        };
        assert!(results.iter().all(late), "{results:?}");
    }
    let entries = store.read().unwrap().entries(BoardNumber(1)).unwrap();
    assert!(entries.iter().map(|entry| i64::from(entry.entry.0)).eq(1..=TIMES));
}

pub fn a_message_identity_has_one_first_copy(fresh: Fresh) {
    let Instance { database, mut store, .. } = instance(fresh);
    for nth in 0..TIMES {
        let verdict = Verdict {
            kind: VerdictKind::Done,
            sender: None,
            identity: Some(format!("<{nth}@example.org>")),
            commands: String::new(),
            reason: String::new(),
        };
        let results = in_threads(&*database, |_, store| {
            write(store, |tx| {
                let mail = tx.add_mail(b"raw", false, MailSource::Pipe, at(nth))?;
                tx.close_mail(mail, &verdict, at(nth))
            })
        });
        assert_eq!(successes(&results), 1);
        let copy = |result: &Result<()>| matches!(result, Ok(()) | Err(StoreError::SecondCopy(_)));
        assert!(results.iter().all(copy), "{results:?}");
    }
    assert_eq!(store.read().unwrap().inbox(u32::MAX).unwrap().len(), usize::try_from(TIMES).unwrap());
}

pub fn board_and_challenge_numbers_are_unique(fresh: Fresh) {
    let Instance { database, mut store, alice, bob } = instance(fresh);
    let numbers = in_threads(&*database, |thread, store| {
        let add = |nth: i64, tx: &mut Transaction<'_>| match (thread + nth) % 2 {
            0 => tx.add_board(&board([alice, bob])),
            _ => tx.add_open_challenge(&challenge(alice)),
        };
        (0..TIMES).map(|nth| write(store, |tx| add(nth, tx)).unwrap()).collect::<Vec<_>>()
    });
    let numbers: HashSet<BoardNumber> = numbers.into_iter().flatten().collect();
    let all = u32::try_from(THREADS * TIMES).unwrap();
    assert_eq!(numbers, (2..all + 2).map(BoardNumber).collect());
    let tx = store.read().unwrap();
    let found: Vec<Numbered> = numbered(&tx).unwrap().collect::<Result<_>>().unwrap();
    assert!(found.iter().map(|found| found.number).eq((1..all + 2).map(BoardNumber)));
    assert!(found.iter().all(|found| found.board.is_some() != found.challenge.is_some()));
}

pub fn no_update_of_a_seat_is_lost(fresh: Fresh) {
    let Instance { database, mut store, .. } = instance(fresh);
    in_threads(&*database, |_, store| {
        for _ in 0..TIMES {
            write(store, |tx| {
                let [mut seat, _] = tx.board(BoardNumber(1))?.unwrap().seats;
                seat.used += TimeDelta::seconds(1);
                tx.set_seat(BoardNumber(1), Seat::First, &seat)
            })
            .unwrap();
        }
    });
    let board = store.read().unwrap().board(BoardNumber(1)).unwrap().unwrap();
    assert_eq!(board.seats[0].used, TimeDelta::seconds(THREADS * TIMES));
}

pub fn a_userid_an_address_and_a_challenge_are_taken_once(fresh: Fresh) {
    let Instance { database, mut store, alice, .. } = instance(fresh);
    let number = write(&mut *store, |tx| tx.add_open_challenge(&challenge(alice))).unwrap();
    let signed_up = in_threads(&*database, |_, store| write(store, |tx| tx.add_player("carol", "x", at(1))));
    assert_eq!(successes(&signed_up), 1);
    let accepted = in_threads(&*database, |_, store| write(store, |tx| tx.close_open_challenge(number, at(2))));
    assert_eq!(successes(&accepted), 1);
    let confirmed = in_threads(&*database, |thread, store| {
        write(store, |tx| {
            let player = tx.add_player(&format!("player{thread}"), "x", at(1))?;
            tx.add_address(player, "one@example.org", Some("code"), at(1))?;
            tx.confirm_address(player, "code", at(2))
        })
    });
    assert_eq!(confirmed.into_iter().filter_map(Result::unwrap).count(), 1);
}

/// A reader that repeatedly requests the changes after the last one it knows misses no change.
pub fn changes_are_seen_in_order(fresh: Fresh) {
    let Instance { database, mut store, alice, bob } = instance(fresh);
    let done = AtomicBool::new(false);
    let seen = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut store, mut last, mut seen) = (database.open(), 0, HashSet::new());
            loop {
                let finished = done.load(Ordering::SeqCst);
                let changes = store.read().unwrap().changes_since(last, 3).unwrap();
                last = changes.last().map_or(last, |change| change.seq);
                seen.extend(changes.iter().map(|change| change.board));
                if finished && changes.is_empty() {
                    return seen;
                }
            }
        });
        in_threads(&*database, |_, store| {
            for _ in 0..TIMES {
                write(store, |tx| tx.add_board(&board([alice, bob]))).unwrap();
            }
        });
        done.store(true, Ordering::SeqCst);
        reader.join().unwrap()
    });
    assert!(store.read().unwrap().numbers().unwrap().iter().all(|number| seen.contains(number)));
}

pub fn turns_of_several_writers_are_stored_and_their_changes_are_ordered(fresh: Fresh) {
    let Instance { database, mut store, alice, bob } = instance(fresh);
    let mut tx = store.write().unwrap();
    let own: Vec<BoardNumber> = (0..THREADS).map(|_| tx.add_board(&board([alice, bob])).unwrap()).collect();
    tx.commit().unwrap();
    let done = AtomicBool::new(false);
    let seen = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut store, mut last, mut seen) = (database.open(), 0, HashMap::new());
            loop {
                let finished = done.load(Ordering::SeqCst);
                let changes = store.read().unwrap().changes_since(last, 3).unwrap();
                last = changes.last().map_or(last, |change| change.seq);
                seen.extend(changes.iter().map(|change| (change.board, change.seq)));
                if finished && changes.is_empty() {
                    return seen;
                }
            }
        });
        in_threads(&*database, |nth, store| {
            let number = own[nth as usize];
            for played in 1..=MOVES {
                let seat = if played % 2 == 1 { Seat::First } else { Seat::Second };
                write(store, |tx| append(tx, number.0, &ply(played, seat), Some(seat.other()))).unwrap();
                // All threads also write to board 1.
                let text = format!("{nth} {played}");
                let (board, entry) = (BoardNumber(1), EntryNumber(0));
                write(store, |tx| {
                    tx.add_comment(&Comment { board, entry, player: alice, text: text.clone(), said_at: at(5) })
                })
                .unwrap();
            }
        });
        done.store(true, Ordering::SeqCst);
        reader.join().unwrap()
    });
    let tx = store.read().unwrap();
    for number in own {
        assert_eq!(tx.board(number).unwrap().unwrap().plies, Ply(MOVES));
        assert_eq!(seen[&number], tx.change_of(number).unwrap(), "the last change of {number} is seen");
    }
    assert_eq!(tx.comments(BoardNumber(1)).unwrap().len(), THREADS as usize * MOVES as usize);
    assert_eq!(seen[&BoardNumber(1)], tx.change_of(BoardNumber(1)).unwrap());
}
