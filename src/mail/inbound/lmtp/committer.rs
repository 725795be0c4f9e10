//! Stores messages: all queued messages share one transaction. While the disk is busy with one transaction, the next
//! messages gather; a single message is stored immediately.
//!
//! There is no separate thread, because handing a message to a thread and waiting for it takes longer than storing the
//! message. A session that finds the store free takes it and stores the queue; the others wait until their message is
//! stored or the store is free again.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use crate::mail::inbound::raw::RawMail;
use crate::mail::inbound::receive::{BATCH_MAILS, BATCH_OCTETS, Numbers, receive_all};
use crate::store::{MailSource, Store};
use crate::world::World;

/// Stores the messages of all sessions.
pub(crate) struct Committer {
    waiting: Mutex<Waiting>,
    /// Notified after each transaction.
    stored: Condvar,
    world: World,
    wake: Box<dyn Fn() + Send + Sync>,
}

struct Waiting {
    queue: VecDeque<Queued>,
    /// `None` while a session uses it.
    store: Option<Box<dyn Store>>,
}

/// A message, and whether it is on disk, once that is decided.
struct Queued {
    mail: RawMail,
    is_stored: Arc<OnceLock<bool>>,
}

impl Committer {
    /// Creates a committer that calls `wake` after each transaction.
    pub(crate) fn new(store: Box<dyn Store>, world: World, wake: Box<dyn Fn() + Send + Sync>) -> Committer {
        let waiting = Waiting { queue: VecDeque::new(), store: Some(store) };
        Committer { waiting: Mutex::new(waiting), stored: Condvar::new(), world, wake }
    }

    /// Stores a message; returns false if that fails.
    pub(crate) fn store_mail(&self, mail: RawMail) -> bool {
        let is_stored = Arc::new(OnceLock::new());
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.queue.push_back(Queued { mail, is_stored: Arc::clone(&is_stored) });
        loop {
            if let Some(is_stored) = is_stored.get() {
                return *is_stored;
            }
            waiting = match waiting.store.take() {
                Some(mut store) => {
                    let batch = batch(&mut waiting.queue);
                    drop(waiting);
                    self.store(&mut *store, batch);
                    let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                    waiting.store = Some(store);
                    self.stored.notify_all();
                    waiting
                }
                None => self.stored.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Stores messages in one transaction.
    fn store(&self, store: &mut dyn Store, batch: Vec<Queued>) {
        let (mails, waiting): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|Queued { mail, is_stored }| (mail, is_stored)).unzip();
        let now = (self.world.now)();
        // A panic must not leave the sessions without the store.
        let is_stored = match catch_unwind(AssertUnwindSafe(|| receive_all(store, &mails, MailSource::Lmtp, now))) {
            Ok(Ok(Numbers { first, last })) => {
                let octets: usize = mails.iter().map(RawMail::len).sum();
                tracing::info!(mails = mails.len(), first, last, octets, "mail stored");
                true
            }
            Ok(Err(error)) => {
                tracing::error!(mails = mails.len(), %error, "cannot store mail; the sender is asked to try again");
                false
            }
            Err(_) => {
                tracing::error!(mails = mails.len(), "storing mail panicked; the sender is asked to try again");
                false
            }
        };
        for result in waiting {
            let _ = result.set(is_stored);
        }
        if is_stored {
            (self.wake)();
        }
    }
}

/// Takes as many messages as one transaction allows.
fn batch(queue: &mut VecDeque<Queued>) -> Vec<Queued> {
    let (mut batch, mut octets) = (Vec::new(), 0);
    while batch.len() < BATCH_MAILS
        && octets < BATCH_OCTETS
        && let Some(next) = queue.pop_front()
    {
        octets += next.mail.len();
        batch.push(next);
    }
    batch
}
