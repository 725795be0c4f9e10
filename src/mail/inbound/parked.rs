//! Mails that wait while a password is hashed, so that no other player's turn waits for it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::service::MissingHash;
use crate::store::InboxId;

/// The threads that hash: as many as hashes are made at a time.
const THREADS: usize = 2;

/// The mails that wait while a password is hashed. The later mails of a sender wait behind the first, so that they are
/// processed in the order in which they came.
pub(super) struct ParkedMail {
    /// The mails of each sender that wait, in order. The first waits for its hash, or is ready to be processed again.
    queues: HashMap<String, VecDeque<InboxId>>,
    /// The mails that are not ready.
    waiting: HashSet<InboxId>,
    hashers: Option<Hashers>,
    hashing: Hashing,
    /// Whether a hash was made at once since somebody waited for one.
    made: bool,
}

/// Where passwords are hashed.
pub(super) enum Hashing {
    /// In threads; this is called when a mail is ready again.
    InThreads(Wake),
    /// At once, while the mail is parked, so that the order in which mails are ready does not depend on threads.
    AtOnce,
}

/// What is called when a mail is ready again.
pub(super) type Wake = Arc<dyn Fn() + Send + Sync>;

impl ParkedMail {
    pub(super) fn new(hashing: Hashing) -> ParkedMail {
        ParkedMail { queues: HashMap::new(), waiting: HashSet::new(), hashers: None, hashing, made: false }
    }

    /// Parks a mail until its hash is made.
    pub(super) fn park(&mut self, mail: InboxId, sender: &str, missing: MissingHash) {
        let queue = self.queues.entry(sender.to_owned()).or_default();
        if queue.front() != Some(&mail) {
            queue.push_front(mail);
        }
        match &self.hashing {
            Hashing::AtOnce => {
                missing.make();
                self.made = true;
            }
            Hashing::InThreads(wake) => {
                self.waiting.insert(mail);
                self.hashers.get_or_insert_with(|| Hashers::start(wake)).hash(mail, missing);
            }
        }
    }

    /// Whether a mail must wait for an earlier one of its sender.
    pub(super) fn waits_behind(&mut self, mail: InboxId, sender: &str) -> bool {
        let Some(queue) = self.queues.get_mut(sender).filter(|queue| queue.front() != Some(&mail)) else {
            return false;
        };
        queue.push_back(mail);
        self.waiting.insert(mail);
        true
    }

    /// Notes that a mail was processed: the next one of its sender is ready.
    pub(super) fn processed(&mut self, mail: InboxId, sender: &str) {
        let Some(queue) = self.queues.get_mut(sender).filter(|queue| queue.front() == Some(&mail)) else { return };
        queue.pop_front();
        match queue.front() {
            Some(next) => drop(self.waiting.remove(next)),
            None => drop(self.queues.remove(sender)),
        }
    }

    /// The mails that are not ready.
    pub(super) fn waiting(&mut self) -> Vec<InboxId> {
        if let Some(hashers) = &self.hashers {
            for mail in hashers.ready.try_iter() {
                self.waiting.remove(&mail);
            }
        }
        self.waiting.iter().copied().collect()
    }

    /// Waits until one of the mails is ready; false when none is parked.
    pub(super) fn wait(&mut self) -> bool {
        if std::mem::take(&mut self.made) {
            return true;
        }
        let Some(hashers) = self.hashers.as_ref().filter(|_| !self.waiting.is_empty()) else { return false };
        match hashers.ready.recv() {
            Ok(mail) => self.waiting.remove(&mail),
            Err(_) => false,
        }
    }
}

/// The threads that hash. They end when this is dropped.
struct Hashers {
    jobs: Sender<(InboxId, MissingHash)>,
    ready: Receiver<InboxId>,
}

impl Hashers {
    fn start(wake: &Wake) -> Hashers {
        let (jobs, queue) = channel::<(InboxId, MissingHash)>();
        let (done, ready) = channel();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..THREADS {
            let (queue, done, wake) = (Arc::clone(&queue), done.clone(), Arc::clone(wake));
            thread::spawn(move || {
                loop {
                    let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((mail, missing)) = job else { break };
                    // After a panic the mail is processed again, and the hash is missing again.
                    let _ = catch_unwind(AssertUnwindSafe(|| missing.make()));
                    if done.send(mail).is_err() {
                        break;
                    }
                    wake();
                }
            });
        }
        Hashers { jobs, ready }
    }

    fn hash(&self, mail: InboxId, missing: MissingHash) {
        // The threads end only after this.
        let _ = self.jobs.send((mail, missing));
    }
}
