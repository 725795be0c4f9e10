//! The threads that hash the passwords of incoming mail, so that hashing delays no other turn.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::service::{PasswordChecks, Passwords};
use crate::store::InboxId;
use crate::world::World;

/// The number of threads: as many as hashes are computed concurrently.
const THREADS: usize = 2;

/// Wakes the processing of the inbox when passwords have been hashed.
pub(crate) type Wake = Arc<dyn Fn() + Send + Sync>;

/// The message and its hashed passwords; `None` after a panic.
type Done = (InboxId, Option<Passwords>);

struct Job {
    mail: InboxId,
    checks: PasswordChecks,
    world: World,
}

/// The hashing threads and their jobs. Dropping this ends the threads.
pub(crate) struct Hashers {
    wake: Wake,
    /// A job queue and a result queue; `None` before the first job.
    threads: Option<(Sender<Job>, Receiver<Done>)>,
    running: HashSet<InboxId>,
    /// The hashed passwords of messages that still wait.
    done: HashMap<InboxId, Arc<Passwords>>,
}

impl Hashers {
    pub(crate) fn new(wake: Wake) -> Hashers {
        Hashers { wake, threads: None, running: HashSet::new(), done: HashMap::new() }
    }

    /// Returns the hashed passwords of a message; starts hashing them and returns `None` if they are not ready.
    pub(crate) fn passwords(&mut self, mail: InboxId, checks: PasswordChecks, world: World) -> Option<Arc<Passwords>> {
        let done = self.done.get(&mail).cloned();
        if done.is_none() {
            let (jobs, _) = self.threads.get_or_insert_with(|| start(&self.wake));
            // Sending fails only after both threads have ended, which happens after this.
            if jobs.send(Job { mail, checks, world }).is_ok() {
                self.running.insert(mail);
            }
        }
        done
    }

    /// Discards the passwords of a message because they have changed.
    pub(crate) fn forget(&mut self, mail: InboxId) {
        self.done.remove(&mail);
    }

    /// Returns whether passwords of a message are being hashed.
    pub(crate) fn is_hashing(&self, mail: InboxId) -> bool {
        self.running.contains(&mail)
    }

    /// Collects the hashed passwords.
    pub(crate) fn collect(&mut self) {
        let ready: Vec<_> = self.threads.iter().flat_map(|(_, ready)| ready.try_iter()).collect();
        ready.into_iter().for_each(|(mail, passwords)| self.finish(mail, passwords));
    }

    /// Discards the passwords of messages that no longer wait.
    pub(crate) fn retain(&mut self, waits: impl Fn(InboxId) -> bool) {
        self.done.retain(|mail, _| waits(*mail));
    }

    /// Waits for further hashed passwords, for at most this time. Returns whether there are any.
    pub(crate) fn wait(&mut self, most: Duration) -> bool {
        let Some((_, ready)) = self.threads.as_ref().filter(|_| !self.running.is_empty()) else { return false };
        match ready.recv_timeout(most) {
            Ok((mail, passwords)) => self.finish(mail, passwords),
            Err(_) => return false,
        }
        true
    }

    /// Records the result of a job. After a panic, the message is prepared again.
    fn finish(&mut self, mail: InboxId, passwords: Option<Passwords>) {
        self.running.remove(&mail);
        self.done.extend(passwords.map(|passwords| (mail, Arc::new(passwords))));
    }
}

fn start(wake: &Wake) -> (Sender<Job>, Receiver<Done>) {
    let (jobs, queue) = channel::<Job>();
    let (done, ready) = channel();
    let queue = Arc::new(Mutex::new(queue));
    for _ in 0..THREADS {
        let (queue, done, wake) = (Arc::clone(&queue), done.clone(), Arc::clone(wake));
        thread::spawn(move || {
            loop {
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(Job { mail, checks, world }) = job else { break };
                let passwords = catch_unwind(AssertUnwindSafe(|| checks.make(world))).ok();
                if done.send((mail, passwords)).is_err() {
                    break;
                }
                wake();
            }
        });
    }
    (jobs, ready)
}
