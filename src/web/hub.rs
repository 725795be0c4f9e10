//! The hub notifies event streams of changes by all processes.
//!
//! A notification makes one task ([`super::site`]) read the new changes from the database. Requests notify the hub
//! after writing, and `serve` notifies it after changes by other processes and once a second. The hub then wakes the
//! streams with the number of the last change. Each stream fetches all changes after the last one that it has seen, so
//! slow streams miss nothing.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::sync::{Notify, watch};

use crate::message;
use crate::service::BoardUpdate;
use crate::store::PlayerId;
use crate::text::Message;

/// The number of cached changes. Streams further behind query the database.
const KEPT: usize = 10_000;
/// The limit on open streams.
const MAX_STREAMS: usize = 2_000;
/// The limit on open streams of one player, or of one client that is not logged in.
const MAX_STREAMS_OF_OWNER: usize = 20;

/// The owner of an open stream. Each player has a separate limit, because all clients behind an unconfigured proxy
/// share one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StreamOwner {
    /// A player with a session or a token.
    Player(PlayerId),
    /// A client that is not logged in, by the key of its address.
    Client(IpAddr),
}

/// The cached changes, and the streams that wait for the next one.
pub(crate) struct Hub {
    latest: watch::Sender<Latest>,
    kept: RwLock<VecDeque<Arc<BoardUpdate>>>,
    check_now: Notify,
    streams: Arc<Mutex<HashMap<StreamOwner, usize>>>,
}

/// The range of cached changes.
#[derive(Clone, Copy)]
pub(crate) struct KeptChanges {
    /// The number of the last published change.
    pub(crate) last: i64,
    /// All changes after this number are cached.
    begin: i64,
}

/// The state that event streams watch.
#[derive(Clone, Copy, Default)]
pub(crate) struct Latest {
    /// The range of cached changes; `None` before the first read.
    pub(crate) changes: Option<KeptChanges>,
    /// Whether the server is stopping.
    pub(crate) stopping: bool,
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
    /// Wakes the task that reads new changes from the database.
    pub(crate) fn notify(&self) {
        self.check_now.notify_one();
    }

    /// Ends all streams.
    pub(crate) fn stop(&self) {
        self.latest.send_modify(|latest| latest.stopping = true);
    }

    /// Returns a receiver that waits for the next change.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Latest> {
        self.latest.subscribe()
    }

    /// Returns the changes after this one; `None` if the cache does not contain them all.
    pub(crate) fn since(&self, change: i64) -> Option<Vec<Arc<BoardUpdate>>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        // Read the range while holding the lock, so that it matches the cached changes.
        let begin = self.latest.borrow().changes?.begin;
        let first = kept.partition_point(|update| update.change <= change);
        (change >= begin).then(|| kept.range(first..).cloned().collect())
    }

    /// Returns the number of the last published change.
    pub(crate) fn last_change(&self) -> Option<i64> {
        self.latest.borrow().changes.map(|changes| changes.last)
    }

    /// Publishes the changes up to the number `last`, and wakes all streams.
    pub(crate) fn publish(&self, last: i64, updates: Vec<BoardUpdate>) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let mut begin = self.latest.borrow().changes.map_or(last, |changes| changes.begin);
        kept.extend(updates.into_iter().map(Arc::new));
        while kept.len() > KEPT {
            begin = kept.pop_front().map_or(begin, |update| update.change);
        }
        self.latest.send_modify(|latest| latest.changes = Some(KeptChanges { last, begin }));
    }

    /// Waits for the next [`Hub::notify`].
    pub(crate) async fn notified(&self) {
        self.check_now.notified().await;
    }

    /// Registers another stream of this owner.
    pub(crate) fn open_stream(&self, owner: StreamOwner) -> Result<OpenStream, TooManyStreams> {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = streams.values().sum();
        let own = streams.get(&owner).copied().unwrap_or(0);
        if own >= MAX_STREAMS_OF_OWNER {
            return Err(TooManyStreams::OfOwner);
        }
        if all >= MAX_STREAMS {
            return Err(TooManyStreams::OfAll);
        }
        streams.insert(owner, own + 1);
        Ok(OpenStream { streams: Arc::clone(&self.streams), owner })
    }
}

/// The limit that another stream would exceed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TooManyStreams {
    OfOwner,
    OfAll,
}

impl TooManyStreams {
    pub(crate) fn message(self) -> Message {
        match self {
            TooManyStreams::OfOwner => message!("web.too-many-own-streams", most = MAX_STREAMS_OF_OWNER),
            TooManyStreams::OfAll => message!("web.too-many-streams"),
        }
    }
}

/// An open stream. It is counted against the limits until it is dropped.
pub(crate) struct OpenStream {
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
    fn a_slow_stream_gets_all_changes_or_must_query_the_database() {
        let hub = Hub::default();
        assert!(hub.since(0).is_none(), "the cache is still empty");
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
    fn open_streams_are_limited() {
        let hub = Hub::default();
        let address = |n: usize| IpAddr::from([10, 0, u8::try_from(n / 250).unwrap(), u8::try_from(n % 250).unwrap()]);
        let client = |n| StreamOwner::Client(address(n));
        let own: Vec<_> = (0..MAX_STREAMS_OF_OWNER).map(|_| hub.open_stream(client(0)).unwrap()).collect();
        assert!(hub.open_stream(client(0)).is_err());
        let others: Vec<_> = (MAX_STREAMS_OF_OWNER..MAX_STREAMS)
            .map(|n| hub.open_stream(client(1 + n / MAX_STREAMS_OF_OWNER)).unwrap())
            .collect();
        assert!(hub.open_stream(client(900)).is_err());
        drop(others);
        assert!(hub.open_stream(client(900)).is_ok() && hub.open_stream(client(0)).is_err());
        assert!(hub.open_stream(StreamOwner::Player(PlayerId(1))).is_ok(), "a player has a separate limit");
        drop(own);
        assert!(hub.open_stream(client(0)).is_ok());
        assert_eq!(hub.streams.lock().unwrap().len(), 0);
    }
}
