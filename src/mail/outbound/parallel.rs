//! Prepares letters on several cores.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::context::OutboxContext;
use super::prepare::{Prepared, prepare, read_ahead, temporary};
use crate::numbers::BoardNumber;
use crate::store::{OutboxNotice, Store};

/// How many letters each additional thread prepares before they are sent: few, to keep the mail server busy, but enough
/// to pay for starting a thread.
const LETTERS: usize = 3;

/// Returns how many letters to prepare in one call: one if there are no further connections, so that it is sent as soon
/// as it is prepared.
pub(crate) fn letters_at_once(further: &[Box<dyn Store>]) -> usize {
    1 + LETTERS * further.len()
}

/// Prepares letters, given as their notices, and returns them in the same order. A thread uses each connection; one
/// thread prepares all letters about a board, so that they share its drawing.
pub(crate) fn prepare_all(
    store: &mut dyn Store,
    further: &mut [Box<dyn Store>],
    outbox: &OutboxContext<'_>,
    letters: &[Vec<OutboxNotice>],
) -> Vec<Prepared> {
    let boards = by_board(letters);
    let next = AtomicUsize::new(0);
    let prepare_some = |store: &mut dyn Store| -> Vec<(usize, Prepared)> {
        let boards = std::iter::from_fn(|| boards.get(next.fetch_add(1, Ordering::Relaxed)));
        boards.flat_map(|places| prepare_together(store, outbox, letters, places)).collect()
    };
    let mut prepared = thread::scope(|scope| {
        let further = further.iter_mut().take(boards.len().saturating_sub(1));
        let threads: Vec<_> = further
            .filter_map(|store| {
                let thread = thread::Builder::new().name("composer".to_owned());
                // If no further thread can be started, this one prepares everything.
                thread.spawn_scoped(scope, || prepare_some(&mut **store)).ok()
            })
            .collect();
        let mut prepared = prepare_some(store);
        for thread in threads {
            prepared.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        prepared
    });
    prepared.sort_by_key(|(place, _)| *place);
    prepared.into_iter().map(|(_, prepared)| prepared).collect()
}

/// Prepares the letters at some places, in one transaction as long as none fails.
fn prepare_together(
    store: &mut dyn Store,
    outbox: &OutboxContext<'_>,
    letters: &[Vec<OutboxNotice>],
    places: &[usize],
) -> Vec<(usize, Prepared)> {
    let mut done: Vec<(usize, Prepared)> = Vec::new();
    while let [first, rest @ ..] = &places[done.len()..] {
        let begun = store.read().and_then(|tx| {
            let left: Vec<_> = places[done.len()..].iter().map(|&place| &letters[place][..]).collect();
            read_ahead(&tx, &left)?;
            Ok(tx)
        });
        match begun {
            Ok(tx) => {
                done.push((*first, prepare(&tx, outbox, &letters[*first])));
                for place in rest {
                    // A failed statement ends a transaction.
                    if done.last().is_some_and(|(_, prepared)| prepared.is_err()) {
                        break;
                    }
                    done.push((*place, prepare(&tx, outbox, &letters[*place])));
                }
            }
            Err(error) => done.push((*first, Err(temporary(&error)))),
        }
    }
    done
}

/// Groups the indexes of letters by board; a letter about no board forms a separate group.
fn by_board(letters: &[Vec<OutboxNotice>]) -> Vec<Vec<usize>> {
    let mut boards: Vec<(Option<BoardNumber>, Vec<usize>)> = Vec::new();
    for (place, notices) in letters.iter().enumerate() {
        let board = notices[0].board;
        match boards.iter_mut().find(|(of, _)| of.is_some() && *of == board) {
            Some((_, places)) => places.push(place),
            None => boards.push((board, vec![place])),
        }
    }
    boards.into_iter().map(|(_, places)| places).collect()
}
