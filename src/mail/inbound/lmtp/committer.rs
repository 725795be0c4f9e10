//! Storing mails: all that are queued become one transaction. While the disk is busy with one transaction, the next mails
//! gather; a single mail is stored at once.
//!
//! There is no thread for it, since handing a mail to one and waiting for its answer takes longer than storing it. A session
//! that finds the store free takes it and stores what is queued; the others wait until theirs is stored or the store is
//! free again.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use crate::mail::inbound::raw::RawMail;
use crate::mail::inbound::receive::{BATCH_MAILS, BATCH_OCTETS, Numbers, receive_all};
use crate::store::{MailSource, Store};
use crate::world::World;

/// Stores the mails of all sessions.
pub(super) struct Committer {
    waiting: Mutex<Waiting>,
    /// Notified after each transaction.
    stored: Condvar,
    world: World,
    wake: Box<dyn Fn() + Send + Sync>,
}

struct Waiting {
    queue: VecDeque<Queued>,
    /// `None` while a session has it.
    store: Option<Box<dyn Store>>,
}

/// A mail, and whether it is on disk, once that is known.
struct Queued {
    mail: RawMail,
    kept: Arc<OnceLock<bool>>,
}

impl Committer {
    /// `wake` is called after each transaction.
    pub(super) fn new(store: Box<dyn Store>, world: World, wake: Box<dyn Fn() + Send + Sync>) -> Committer {
        let waiting = Waiting { queue: VecDeque::new(), store: Some(store) };
        Committer { waiting: Mutex::new(waiting), stored: Condvar::new(), world, wake }
    }

    /// Stores a mail; false when it cannot be kept.
    pub(super) fn keep(&self, mail: RawMail) -> bool {
        let kept = Arc::new(OnceLock::new());
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.queue.push_back(Queued { mail, kept: Arc::clone(&kept) });
        loop {
            if let Some(kept) = kept.get() {
                return *kept;
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

    /// Stores mails in one transaction.
    fn store(&self, store: &mut dyn Store, batch: Vec<Queued>) {
        let (mails, waiting): (Vec<_>, Vec<_>) = batch.into_iter().map(|Queued { mail, kept }| (mail, kept)).unzip();
        let now = (self.world.now)();
        // A panic must not leave the sessions without the store.
        let kept = match catch_unwind(AssertUnwindSafe(|| receive_all(store, &mails, MailSource::Lmtp, now))) {
            Ok(Ok(Numbers { first, last })) => {
                let octets: usize = mails.iter().map(RawMail::len).sum();
                tracing::info!(mails = mails.len(), first, last, octets, "mail kept");
                true
            }
            Ok(Err(error)) => {
                tracing::error!(mails = mails.len(), %error, "mail not kept; the sender is asked to try again");
                false
            }
            Err(_) => {
                tracing::error!(mails = mails.len(), "keeping mail panicked; the sender is asked to try again");
                false
            }
        };
        for result in waiting {
            let _ = result.set(kept);
        }
        if kept {
            (self.wake)();
        }
    }
}

/// Takes what fits into one transaction.
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
