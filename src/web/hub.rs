//! Who waits for a change is told of it here, whichever process made it.
//!
//! One task reads the changes from the database when it is told to look: by whoever has written through the web, and by
//! serve, which looks after every other process's work and each second. The streams are woken by the number of the last
//! change, compare it with the one they know, and take what lies between: one that was slow misses nothing.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::sync::{Notify, watch};

use super::Site;
use super::pool::with_store;
use crate::store::{self, BoardChange, PlayerId, Store, Transaction};

/// Changes that are kept for streams that are behind; who is further behind asks the database.
const KEPT: usize = 10_000;
/// Changes read at a time.
const BATCH: u32 = 500;
/// Streams open at a time, of all clients and of one.
const MOST_STREAMS: usize = 2_000;
const MOST_OF_ONE: usize = 20;

/// A change of a board.
#[derive(Debug)]
pub(super) struct Change {
    /// Its number.
    pub(super) seq: i64,
    /// The board's.
    pub(super) number: u32,
    /// The board as it was when this was read; `None`: an open challenge.
    pub(super) board: Option<BoardNow>,
}

/// What of a board is told to its players' programs.
#[derive(Debug)]
pub(super) struct BoardNow {
    /// `marque`
    pub(super) game: String,
    /// First seat, second seat.
    pub(super) players: [String; 2],
    /// Plies that stand.
    pub(super) plies: u32,
    /// Whose turn.
    pub(super) to_move: Option<String>,
}

/// Where changes are heard of.
pub struct Hub {
    latest: watch::Sender<Latest>,
    known: RwLock<VecDeque<Arc<Change>>>,
    look: Notify,
    streams: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// What streams wait for.
#[derive(Clone, Copy, Default)]
pub(super) struct Latest {
    /// The last change read, and the one from which on all are kept; `None` before the first look.
    pub(super) seq: Option<(i64, i64)>,
    /// The server stops.
    pub(super) stopping: bool,
}

impl Default for Hub {
    fn default() -> Hub {
        Hub {
            latest: watch::Sender::new(Latest::default()),
            known: RwLock::default(),
            look: Notify::new(),
            streams: Arc::default(),
        }
    }
}

impl Hub {
    /// Something was written, perhaps: the database is looked into.
    pub fn look(&self) {
        self.look.notify_one();
    }

    /// Ends every stream.
    pub(super) fn stop(&self) {
        self.latest.send_modify(|latest| latest.stopping = true);
    }

    /// To wait for the next change by.
    pub(super) fn subscribe(&self) -> watch::Receiver<Latest> {
        self.latest.subscribe()
    }

    /// The changes behind this one; `None`: they are not kept here any more.
    pub(super) fn since(&self, seq: i64) -> Option<Vec<Arc<Change>>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        // Under the lock: what is kept and from where on belong together.
        let (_, from) = self.latest.borrow().seq?;
        let first = known.partition_point(|change| change.seq <= seq);
        (seq >= from).then(|| known.range(first..).cloned().collect())
    }

    fn publish(&self, (last, changes): (i64, Vec<Change>)) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let mut from = self.latest.borrow().seq.map_or(last, |(_, from)| from);
        known.extend(changes.into_iter().map(Arc::new));
        while known.len() > KEPT {
            from = known.pop_front().map_or(from, |change| change.seq);
        }
        self.latest.send_modify(|latest| latest.seq = Some((last, from)));
    }

    /// A place for one more stream of this client; `None` when there is none.
    pub(super) fn place(&self, client: IpAddr) -> Option<Place> {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = streams.values().sum();
        let his = streams.get(&client).copied().unwrap_or(0);
        if all >= MOST_STREAMS || his >= MOST_OF_ONE {
            return None;
        }
        streams.insert(client, his + 1);
        Some(Place { streams: Arc::clone(&self.streams), client })
    }
}

/// The place of an open stream, free again when dropped.
pub(super) struct Place {
    streams: Arc<Mutex<HashMap<IpAddr, usize>>>,
    client: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        match streams.get_mut(&self.client) {
            Some(his) if *his > 1 => *his -= 1,
            _ => drop(streams.remove(&self.client)),
        }
    }
}

/// Reads the changes whenever it is told to look, until the runtime ends.
pub(super) async fn listen(site: Arc<Site>) {
    loop {
        let known = site.hub.latest.borrow().seq.map(|(last, _)| last);
        let read = with_store(Arc::clone(&site), move |_, store| Ok(news(store, known)?)).await;
        match read {
            Ok(news) if known == Some(news.0) => {}
            Ok(news) => site.hub.publish(news),
            // Serve looks again within a second.
            Err(error) => tracing::error!(error = format!("{error:#}"), "changes cannot be read"),
        }
        site.hub.look.notified().await;
    }
}

/// The last change, and all behind the one that is known.
fn news(store: &mut dyn Store, known: Option<i64>) -> store::Result<(i64, Vec<Change>)> {
    let tx = store.read()?;
    let Some(known) = known else { return Ok((tx.last_change()?, Vec::new())) };
    let changes = read(&*tx, known)?;
    Ok((changes.last().map_or(known, |change| change.seq), changes))
}

/// The changes behind this one, from the database.
fn read(tx: &dyn Transaction, after: i64) -> store::Result<Vec<Change>> {
    let (mut changes, mut last) = (Vec::new(), after);
    loop {
        let batch = tx.changes_since(last, BATCH)?;
        let Some(newest) = batch.last() else { return Ok(changes) };
        last = newest.seq;
        changes.extend(told(tx, batch)?);
    }
}

/// The last change of all, and those of a player's boards behind this one, from the database.
pub(super) fn missed(tx: &dyn Transaction, player: PlayerId, after: i64) -> store::Result<(i64, Vec<Change>)> {
    Ok((tx.last_change()?, told(tx, tx.changes_for(player, after)?)?))
}

fn told(tx: &dyn Transaction, changes: Vec<BoardChange>) -> store::Result<Vec<Change>> {
    let told = changes.into_iter().map(|BoardChange { seq, board: number }| {
        let board = tx.board(number)?.map(|board| BoardNow {
            to_move: board.to_move.map(|seat| board.players[seat.index()].userid.clone()),
            game: board.game,
            players: board.players.map(|seated| seated.userid),
            plies: board.plies,
        });
        Ok(Change { seq, number, board })
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(seq: i64, number: u32) -> Change {
        Change { seq, number, board: None }
    }

    #[test]
    fn whoever_is_behind_gets_all_or_is_sent_to_the_database() {
        let hub = Hub::default();
        assert!(hub.since(0).is_none(), "nothing is known yet");
        hub.publish((7, Vec::new()));
        assert!(hub.since(6).is_none() && hub.since(7).unwrap().is_empty());
        let many = i64::try_from(KEPT).unwrap();
        hub.publish((7 + many, (8..=7 + many).map(|seq| change(seq, 1)).collect()));
        assert_eq!(hub.since(7).unwrap().len(), KEPT);
        hub.publish((8 + many, vec![change(8 + many, 2)]));
        assert!(hub.since(7).is_none());
        assert_eq!(hub.since(8).unwrap().len(), KEPT);
        let last = hub.since(7 + many).unwrap();
        assert_eq!((last.len(), last[0].number), (1, 2));
    }

    #[test]
    fn places_are_given_back() {
        let hub = Hub::default();
        let client = |n: usize| IpAddr::from([10, 0, u8::try_from(n / 250).unwrap(), u8::try_from(n % 250).unwrap()]);
        let his: Vec<_> = (0..MOST_OF_ONE).map(|_| hub.place(client(0)).unwrap()).collect();
        assert!(hub.place(client(0)).is_none());
        let others: Vec<_> =
            (MOST_OF_ONE..MOST_STREAMS).map(|n| hub.place(client(1 + n / MOST_OF_ONE)).unwrap()).collect();
        assert!(hub.place(client(900)).is_none());
        drop(others);
        assert!(hub.place(client(900)).is_some() && hub.place(client(0)).is_none());
        drop(his);
        assert!(hub.place(client(0)).is_some());
        assert_eq!(hub.streams.lock().unwrap().len(), 0);
    }
}
