//! The threads that hash the passwords of mail, so that nobody else's turn waits for it.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::service::{PasswordChecks, Passwords};
use crate::store::InboxId;
use crate::world::World;

/// How many threads hash: as many as hashes are computed at a time.
const THREADS: usize = 2;

/// Wakes whoever processes the inbox when passwords are hashed.
pub(super) type Wake = Arc<dyn Fn() + Send + Sync>;

/// The mail whose passwords were hashed; none after a panic.
type Done = (InboxId, Option<Passwords>);

struct Job {
    mail: InboxId,
    checks: PasswordChecks,
    world: World,
}

/// The threads that hash, and what they are doing. They end when this is dropped.
pub(super) struct Hashers {
    wake: Wake,
    /// The threads' ends of two channels; `None` before the first job.
    threads: Option<(Sender<Job>, Receiver<Done>)>,
    running: HashSet<InboxId>,
    /// The hashed passwords of mail that still waits.
    done: HashMap<InboxId, Arc<Passwords>>,
}

impl Hashers {
    pub(super) fn new(wake: Wake) -> Hashers {
        Hashers { wake, threads: None, running: HashSet::new(), done: HashMap::new() }
    }

    /// Returns the hashed passwords of a mail; `None` while they are being hashed, which begins now.
    pub(super) fn passwords(&mut self, mail: InboxId, checks: PasswordChecks, world: World) -> Option<Arc<Passwords>> {
        let done = self.done.get(&mail).cloned();
        if done.is_none() {
            let (jobs, _) = self.threads.get_or_insert_with(|| start(&self.wake));
            // It fails only when both threads have ended, which they do after this.
            if jobs.send(Job { mail, checks, world }).is_ok() {
                self.running.insert(mail);
            }
        }
        done
    }

    /// Forgets the passwords of a mail, since they have changed.
    pub(super) fn forget(&mut self, mail: InboxId) {
        self.done.remove(&mail);
    }

    /// Returns whether passwords of a mail are being hashed.
    pub(super) fn is_hashing(&self, mail: InboxId) -> bool {
        self.running.contains(&mail)
    }

    /// Takes in the passwords that have been hashed.
    pub(super) fn collect(&mut self) {
        let ready: Vec<_> = self.threads.iter().flat_map(|(_, ready)| ready.try_iter()).collect();
        ready.into_iter().for_each(|(mail, passwords)| self.finish(mail, passwords));
    }

    /// Forgets the passwords of all mail but this.
    pub(super) fn retain(&mut self, waits: impl Fn(InboxId) -> bool) {
        self.done.retain(|mail, _| waits(*mail));
    }

    /// Waits until further passwords are hashed, but not longer than this. Returns whether they are.
    pub(super) fn wait(&mut self, most: Duration) -> bool {
        let Some((_, ready)) = self.threads.as_ref().filter(|_| !self.running.is_empty()) else { return false };
        match ready.recv_timeout(most) {
            Ok((mail, passwords)) => self.finish(mail, passwords),
            Err(_) => return false,
        }
        true
    }

    /// After a panic there are no passwords, and the mail is prepared again.
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
