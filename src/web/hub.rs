//! The hub: it tells event streams of changes, whichever process made them.
//!
//! One task ([`super::hub_reader`]) reads the changes from the database when the hub is notified: by requests that have
//! written, and by `serve`, after the work of every other process and each second. The streams are woken by the
//! number of the last change, compare it with the one they know, and take what lies between; so a slow stream misses
//! nothing.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::sync::{Notify, watch};

use crate::service::BoardUpdate;
use crate::store::PlayerId;

/// The number of changes kept for streams that are behind; a stream that is further behind asks the database.
const KEPT: usize = 10_000;
/// The most open streams of all clients.
const MAX_STREAMS: usize = 2_000;
/// The most open streams of one player, or of one client without a player.
const MAX_STREAMS_OF_OWNER: usize = 20;

/// Whose an open stream is. Players are counted each: behind a proxy that the configuration does not name, all clients
/// have one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum StreamOwner {
    /// A player who has logged in or shown a token.
    Player(PlayerId),
    /// A client that nobody has logged in at, by the key of its address.
    Client(IpAddr),
}

/// The changes that were read, and the streams that wait for the next one.
pub(super) struct Hub {
    latest: watch::Sender<Latest>,
    kept: RwLock<VecDeque<Arc<BoardUpdate>>>,
    check_now: Notify,
    streams: Arc<Mutex<HashMap<StreamOwner, usize>>>,
}

/// Which changes the hub keeps.
#[derive(Clone, Copy)]
pub(super) struct KeptChanges {
    /// The number of the last change that was read.
    pub(super) last: i64,
    /// The number after which all changes are kept.
    begin: i64,
}

/// The state that streams wait for.
#[derive(Clone, Copy, Default)]
pub(super) struct Latest {
    /// The changes that were read; `None` before the first reading.
    pub(super) changes: Option<KeptChanges>,
    /// Whether the server is stopping.
    pub(super) stopping: bool,
}

impl Default for Hub {
    fn default() -> Hub {
        Hub {
            latest: watch::Sender::new(Latest::default()),
            kept: RwLock::default(),
            check_now: Notify::new(),
            streams: Arc::default(),
        }
    }
}

impl Hub {
    /// Has the database read soon, since something may have been written.
    pub(super) fn notify(&self) {
        self.check_now.notify_one();
    }

    /// Ends every stream.
    pub(super) fn stop(&self) {
        self.latest.send_modify(|latest| latest.stopping = true);
    }

    /// A receiver that waits for the next change.
    pub(super) fn subscribe(&self) -> watch::Receiver<Latest> {
        self.latest.subscribe()
    }

    /// Returns the changes after this one; `None` when they are no longer kept here.
    pub(super) fn since(&self, change: i64) -> Option<Vec<Arc<BoardUpdate>>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, since the kept changes and where they begin belong together.
        let begin = self.latest.borrow().changes?.begin;
        let first = kept.partition_point(|update| update.change <= change);
        (change >= begin).then(|| kept.range(first..).cloned().collect())
    }

    /// The number of the last change that was published.
    pub(super) fn last_change(&self) -> Option<i64> {
        self.latest.borrow().changes.map(|changes| changes.last)
    }

    /// Publishes changes up to the number `last`, and wakes all streams.
    pub(super) fn publish(&self, last: i64, updates: Vec<BoardUpdate>) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let mut begin = self.latest.borrow().changes.map_or(last, |changes| changes.begin);
        kept.extend(updates.into_iter().map(Arc::new));
        while kept.len() > KEPT {
            begin = kept.pop_front().map_or(begin, |update| update.change);
        }
        self.latest.send_modify(|latest| latest.changes = Some(KeptChanges { last, begin }));
    }

    /// Waits for the next [`Hub::notify`].
    pub(super) async fn notified(&self) {
        self.check_now.notified().await;
    }

    /// Reserves one more stream for its owner; `None` when too many are open.
    pub(super) fn open_stream(&self, owner: StreamOwner) -> Option<OpenStream> {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = streams.values().sum();
        let own = streams.get(&owner).copied().unwrap_or(0);
        if all >= MAX_STREAMS || own >= MAX_STREAMS_OF_OWNER {
            return None;
        }
        streams.insert(owner, own + 1);
        Some(OpenStream { streams: Arc::clone(&self.streams), owner })
    }
}

/// One open stream, counted until it is dropped.
pub(super) struct OpenStream {
    streams: Arc<Mutex<HashMap<StreamOwner, usize>>>,
    owner: StreamOwner,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        match streams.get_mut(&self.owner) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(streams.remove(&self.owner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::BoardNumber;

    fn update(change: i64, number: u32) -> BoardUpdate {
        BoardUpdate { change, number: BoardNumber(number), board: None }
    }

    #[test]
    fn whoever_is_behind_gets_all_or_is_sent_to_the_database() {
        let hub = Hub::default();
        assert!(hub.since(0).is_none(), "nothing is known yet");
        hub.publish(7, Vec::new());
        assert!(hub.since(6).is_none() && hub.since(7).unwrap().is_empty());
        let many = i64::try_from(KEPT).unwrap();
        hub.publish(7 + many, (8..=7 + many).map(|change| update(change, 1)).collect());
        assert_eq!(hub.since(7).unwrap().len(), KEPT);
        hub.publish(8 + many, vec![update(8 + many, 2)]);
        assert!(hub.since(7).is_none());
        assert_eq!(hub.since(8).unwrap().len(), KEPT);
        let last = hub.since(7 + many).unwrap();
        assert_eq!((last.len(), last[0].number), (1, BoardNumber(2)));
    }

    #[test]
    fn streams_are_counted_until_they_are_dropped() {
        let hub = Hub::default();
        let address = |n: usize| IpAddr::from([10, 0, u8::try_from(n / 250).unwrap(), u8::try_from(n % 250).unwrap()]);
        let client = |n| StreamOwner::Client(address(n));
        let own: Vec<_> = (0..MAX_STREAMS_OF_OWNER).map(|_| hub.open_stream(client(0)).unwrap()).collect();
        assert!(hub.open_stream(client(0)).is_none());
        let others: Vec<_> = (MAX_STREAMS_OF_OWNER..MAX_STREAMS)
            .map(|n| hub.open_stream(client(1 + n / MAX_STREAMS_OF_OWNER)).unwrap())
            .collect();
        assert!(hub.open_stream(client(900)).is_none());
        drop(others);
        assert!(hub.open_stream(client(900)).is_some() && hub.open_stream(client(0)).is_none());
        assert!(hub.open_stream(StreamOwner::Player(PlayerId(1))).is_some(), "who has logged in is counted alone");
        drop(own);
        assert!(hub.open_stream(client(0)).is_some());
        assert_eq!(hub.streams.lock().unwrap().len(), 0);
    }
}
