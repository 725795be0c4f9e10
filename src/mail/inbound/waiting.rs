//! Waiting messages: their order, the hashing of their passwords, and the marker of the message in progress.
//!
//! Messages of one sender or about one board are processed in the order of arrival. Each pass computes the order from
//! the waiting messages and stores nothing, so the order is correct in every process and after any failure. Threads
//! hash the passwords of incoming mail, so that hashing does not delay other messages.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::numbers::BoardNumber;
use crate::service::{PasswordChecks, Passwords};
use crate::store::InboxId;
use crate::world::World;

/// The maximum number of waiting messages about a board, from people who do not play on it, that delay later messages
/// about the board. They delay later messages because their authors may be players who write from other addresses. A
/// larger number is a flood, which must not delay the board's players.
const STRANGERS: usize = 8;
/// The number of threads that hash passwords.
const THREADS: usize = 2;

/// The boards that a message is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct MailBoards {
    /// The boards of the answered letter. If the commands were read, also the boards that they name and on which the
    /// author plays.
    pub(crate) own: Vec<BoardNumber>,
    /// Other boards that the message's commands name.
    pub(crate) foreign: Vec<BoardNumber>,
}

/// The sender and the boards of a message, which determine its place in the order.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The address of the sender, in lower case; the message's own number if there is no sender.
    sender: String,
    boards: MailBoards,
}

impl Order {
    /// Returns the boards in [`MailBoards::own`].
    pub(crate) fn own_boards(&self) -> &[BoardNumber] {
        &self.boards.own
    }

    pub(crate) fn new(mail: InboxId, sender: Option<&str>, boards: MailBoards) -> Order {
        let sender = sender.map_or_else(|| mail.0.to_string(), str::to_ascii_lowercase);
        Order { sender, boards }
    }
}

/// The waiting messages that delay later ones.
#[derive(Default)]
pub(crate) struct Held {
    senders: HashSet<String>,
    boards: HashSet<BoardNumber>,
    /// For each board, the number of waiting messages that have it in [`MailBoards::foreign`].
    strangers: HashMap<BoardNumber, usize>,
}

impl Held {
    pub(crate) fn add(&mut self, mail: &Order) {
        self.senders.insert(mail.sender.clone());
        self.boards.extend(&mail.boards.own);
        for board in &mail.boards.foreign {
            *self.strangers.entry(*board).or_default() += 1;
        }
    }

    /// Returns whether a later message must also wait.
    pub(crate) fn holds(&self, mail: &Order) -> bool {
        let of_strangers = |board| self.strangers.get(board).is_some_and(|waiting| *waiting <= STRANGERS);
        let MailBoards { own, foreign } = &mail.boards;
        self.senders.contains(&mail.sender)
            || own.iter().chain(foreign).any(|board| self.boards.contains(board) || of_strangers(board))
    }
}

/// Wakes the worker that processes the inbox when passwords have been hashed.
pub(crate) type Wake = Arc<dyn Fn() + Send + Sync>;

/// A message and its hashed passwords, which are `None` if hashing them panicked.
type Done = (InboxId, Option<Passwords>);

struct Job {
    mail: InboxId,
    checks: PasswordChecks,
    world: World,
}

/// The hashing threads and their jobs. Dropping the value ends the threads.
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
            // Sending fails only after all threads have ended, and they end when the `Hashers` are dropped.
            if jobs.send(Job { mail, checks, world }).is_ok() {
                self.running.insert(mail);
            }
        }
        done
    }

    /// Discards the hashed passwords of a message, so that its passwords are hashed again.
    pub(crate) fn forget(&mut self, mail: InboxId) {
        self.done.remove(&mail);
    }

    pub(crate) fn is_hashing(&self, mail: InboxId) -> bool {
        self.running.contains(&mail)
    }

    /// Collects the passwords that the threads have hashed.
    pub(crate) fn collect(&mut self) {
        let ready: Vec<_> = self.threads.iter().flat_map(|(_, ready)| ready.try_iter()).collect();
        ready.into_iter().for_each(|(mail, passwords)| self.finish(mail, passwords));
    }

    /// Discards the passwords of messages that no longer wait.
    pub(crate) fn retain(&mut self, waits: impl Fn(InboxId) -> bool) {
        self.done.retain(|mail, _| waits(*mail));
    }

    /// Waits until a thread has hashed further passwords. Returns false if none has within this time, or if no
    /// passwords are being hashed.
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

/// The file with the number of the message in progress, which shows later which message crashed the process. Only one
/// process may open it at a time.
pub struct InProgressMarker {
    file: File,
    /// The number in the file.
    marked: Cell<i64>,
}

impl InProgressMarker {
    /// Opens this file; also returns the message that crashed the previous process.
    ///
    /// # Errors
    /// The file cannot be created, opened or read.
    pub fn open(file: &Path) -> io::Result<(InProgressMarker, Option<InboxId>)> {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(file)?;
        let mut bytes = [0; 8];
        // A short file is new, or was not written completely.
        let marked = match file.read_exact_at(&mut bytes, 0) {
            Ok(()) => i64::from_le_bytes(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
            Err(error) => return Err(error),
        };
        let marker = InProgressMarker { file, marked: Cell::new(marked) };
        marker.clear();
        Ok((marker, (marked != 0).then_some(InboxId(marked))))
    }

    pub(crate) fn set(&self, mail: InboxId) {
        self.write(mail.0);
    }

    pub(crate) fn clear(&self) {
        self.write(0);
    }

    fn write(&self, number: i64) {
        if self.marked.replace(number) == number {
            return;
        }
        // Processing continues: the marker is only needed to attribute a crash to its message.
        if let Err(error) = self.file.write_all_at(&number.to_le_bytes(), 0) {
            tracing::warn!(%error, "cannot mark the message that is being processed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(number: i64, sender: Option<&str>, own: &[u32], foreign: &[u32]) -> Order {
        let [own, foreign] = [own, foreign].map(|boards| boards.iter().copied().map(BoardNumber).collect());
        Order::new(InboxId(number), sender, MailBoards { own, foreign })
    }

    #[test]
    fn mail_waits_behind_its_sender_and_its_boards() {
        let mut held = Held::default();
        held.add(&order(1, Some("Alice@example.org"), &[7], &[]));
        for (mail, waits) in [
            (order(2, Some("alice@example.org"), &[], &[]), true),
            (order(2, Some("bob@example.org"), &[6, 7], &[]), true),
            (order(2, Some("bob@example.net"), &[], &[7]), true),
            (order(2, Some("bob@example.org"), &[6], &[5]), false),
            (order(2, None, &[], &[]), false),
        ] {
            assert_eq!(held.holds(&mail), waits, "{mail:?}");
        }
    }

    #[test]
    fn messages_without_a_sender_do_not_wait() {
        let mut held = Held::default();
        held.add(&order(1, None, &[], &[]));
        assert!(!held.holds(&order(2, None, &[], &[])));
    }

    #[test]
    fn a_few_strangers_delay_a_board_and_a_flood_of_them_does_not() {
        let mut held = Held::default();
        let reply = order(100, Some("alice@example.org"), &[7], &[]);
        for number in 1..=STRANGERS {
            held.add(&order(1, Some(&format!("{number}@example.net")), &[], &[7]));
            assert!(held.holds(&reply));
        }
        held.add(&order(99, Some("99@example.net"), &[], &[7]));
        assert!(!held.holds(&reply));
    }
}
