//! Concurrent write transactions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::transactions::{THREADS, in_threads};
use super::*;

/// The number of moves by each thread.
const MOVES: u32 = 20;

/// Writes concurrently, or exclusively if that fails, like programs do.
fn write_shared<T>(store: &mut dyn Store, work: impl Fn(&mut Transaction<'_>) -> Result<T>) -> T {
    loop {
        for alone in [false, true] {
            let begun = if alone { store.write() } else { store.write_shared() };
            let done = begun.and_then(|mut tx| {
                let done = work(&mut tx)?;
                tx.commit().map(|()| done)
            });
            match done {
                Err(StoreError::Busy | StoreError::Conflict) => {}
                done => return done.unwrap(),
            }
        }
    }
}

pub fn concurrent_turns_are_all_stored_and_their_changes_are_ordered(fresh: Fresh) {
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
                write_shared(store, |tx| append(tx, number.0, &ply(played, seat), Some(seat.other())));
                // All threads also write to the first board.
                let text = format!("{nth} {played}");
                let (board, entry) = (BoardNumber(1), EntryNumber(0));
                write_shared(store, |tx| {
                    tx.add_comment(&Comment { board, entry, player: alice, text: text.clone(), said_at: at(5) })
                });
            }
        });
        done.store(true, Ordering::SeqCst);
        reader.join().unwrap()
    });
    let tx = store.read().unwrap();
    for number in own {
        assert_eq!(tx.board(number).unwrap().unwrap().plies, Ply(MOVES));
        assert_eq!(seen[&number], tx.change_of(number).unwrap(), "the last change of {number} was seen");
    }
    assert_eq!(tx.comments(BoardNumber(1)).unwrap().len(), THREADS as usize * MOVES as usize);
    assert_eq!(seen[&BoardNumber(1)], tx.change_of(BoardNumber(1)).unwrap());
}
