//! The threads of the LMTP server: one accepts connections, and each [`Session`] runs in a separate thread.
//!
//! A session ends when its peer closes it, is silent for [`Settings::idle`], takes [`STEP`] times as long for a command
//! or message, or does not read a reply. [`Server::stop`] also ends all sessions: it stores and acknowledges every
//! message that has arrived, and answers all other peers with 421. Messages that wait concurrently share one
//! transaction.

use std::collections::{HashMap, VecDeque};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::session::{Session, SessionLimits, Step};
use super::socket::{Connection, Listener};
use crate::config::LmtpAddress;
use crate::mail::inbound::receive::{BATCH_MAILS, BATCH_OCTETS, Numbers, RawMail, receive_all};
use crate::store::{MailSource, Store};
use crate::world::{Deadline, World};

/// The wait after a connection could not be accepted: the cause, for example too many open files, is likely to persist.
const ACCEPT_RETRY: Duration = Duration::from_millis(200);
/// The time limit of a command or a message, in multiples of [`Settings::idle`].
const STEP: u32 = 10;
/// The reply to connected peers when the server stops.
const STOPPING: &str = "421 4.3.2 The server is stopping; try again later.\r\n";

/// The settings of the server.
pub struct Settings {
    /// The server's own mail address. Only this recipient is accepted, with any extension after `+`.
    pub address: String,
    /// The maximum number of concurrent sessions.
    pub sessions: usize,
    /// A session ends if its peer sends nothing for this long.
    pub idle: Duration,
    /// Provides the time of arrival.
    pub world: World,
    /// Called after messages have been stored, once for one or more transactions.
    pub wake: Box<dyn Fn() + Send + Sync>,
}

/// A running LMTP server.
pub struct Server {
    shared: Arc<Shared>,
    address: LmtpAddress,
    /// The file of the socket, unless systemd created it.
    own_file: Option<PathBuf>,
    accepting: JoinHandle<()>,
}

struct Shared {
    address: String,
    idle: Duration,
    most: usize,
    committer: Committer,
    open: Mutex<Open>,
    ended: Condvar,
}

#[derive(Default)]
struct Open {
    stopping: bool,
    last: u64,
    /// A second handle of each session's socket, used to wake its thread.
    sessions: HashMap<u64, Connection>,
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server {
    /// Starts a server that listens at this address, and writes received messages to this store.
    ///
    /// # Errors
    /// The socket cannot be created, or the thread cannot be started.
    pub fn start(address: &LmtpAddress, settings: Settings, store: Box<dyn Store>) -> anyhow::Result<Server> {
        let (listener, bound) = Listener::bind(address)?;
        let own_file = match address {
            LmtpAddress::Unix(path) => Some(path.clone()),
            LmtpAddress::Loopback(_) | LmtpAddress::Passed => None,
        };
        let address = bound;
        let Settings { address: own, sessions, idle, world, wake } = settings;
        let committer = Committer::new(store, world, wake);
        let (open, ended) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { address: own, idle, most: sessions, committer, open, ended });
        let accepting = {
            let shared = Arc::clone(&shared);
            thread::Builder::new().name("lmtp-accept".to_owned()).spawn(move || accept(&listener, &shared))?
        };
        match &address {
            LmtpAddress::Unix(path) => tracing::info!(socket = %path.display(), "listening for LMTP"),
            LmtpAddress::Loopback(address) => tracing::info!(%address, "listening for LMTP"),
            LmtpAddress::Passed => {}
        }
        Ok(Server { shared, address, own_file, accepting })
    }

    /// Stops the server: stores every message that has arrived, and ends every session.
    pub fn stop(self) {
        {
            let mut open = self.shared.open();
            open.stopping = true;
            for connection in open.sessions.values() {
                let _ = connection.shut_down_reading();
            }
        }
        // A connection wakes the thread that accepts connections.
        let woken = Connection::to(&self.address).is_ok();
        let mut open = self.shared.open();
        while !open.sessions.is_empty() {
            open = self.shared.ended.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
        drop(open);
        if let Some(path) = &self.own_file {
            let _ = std::fs::remove_file(path);
        }
        // Do not wait for a thread that could not be woken: all sessions have ended, and their messages are stored.
        if woken {
            let _ = self.accepting.join();
        }
    }
}

/// Accepts connections and starts a session for each.
fn accept(listener: &Listener, shared: &Arc<Shared>) {
    loop {
        let connection = listener.accept();
        let mut open = shared.open();
        if open.stopping {
            return;
        }
        let (connection, second) = match connection.and_then(|connection| {
            connection.set_timeouts(shared.idle)?;
            let second = connection.try_clone()?;
            Ok((connection, second))
        }) {
            Ok(both) => both,
            Err(error) => {
                drop(open);
                tracing::warn!(%error, "cannot accept an LMTP connection");
                thread::sleep(ACCEPT_RETRY);
                continue;
            }
        };
        if open.sessions.len() >= shared.most {
            drop(open);
            tracing::warn!(most = shared.most, "too many LMTP sessions; a connection was refused");
            let _ = connection.write_all(b"421 4.3.2 Too many sessions; try again later.\r\n");
            continue;
        }
        open.last += 1;
        let id = open.last;
        open.sessions.insert(id, second);
        drop(open);
        let ending = Ending { shared: Arc::clone(shared), id };
        let spawned = thread::Builder::new().name(format!("lmtp-{id}")).spawn(move || {
            if let Err(error) = run_session(&connection, &ending.shared) {
                tracing::info!(session = ending.id, %error, "an LMTP session was interrupted");
            }
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "cannot start the thread of an LMTP session");
        }
    }
}

/// Removes a session from the list when dropped, even if the session panics.
struct Ending {
    shared: Arc<Shared>,
    id: u64,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.shared.open().sessions.remove(&self.id);
        self.shared.ended.notify_all();
    }
}

fn run_session(connection: &Connection, shared: &Shared) -> std::io::Result<()> {
    let mut session = Session::new(&shared.address, SessionLimits::default());
    let mut replies = String::new();
    let mut buffer = vec![0; 16 * 1024];
    let step_limit = shared.idle * STEP;
    let mut until = Deadline::after(step_limit);
    loop {
        while let Some(step) = session.step() {
            until = Deadline::after(step_limit);
            match step {
                Step::Reply(lines) => replies.push_str(&lines),
                Step::Note(note) => tracing::info!(note, "LMTP"),
                Step::Store(mail) => {
                    flush(connection, &mut replies, shared)?;
                    tracing::debug!(octets = mail.raw.len(), "a message waits to be stored");
                    session.stored(shared.committer.store_mail(RawMail::whole(mail.raw)));
                }
                Step::Close => return flush(connection, &mut replies, shared),
            }
        }
        flush(connection, &mut replies, shared)?;
        let read = connection.read(&mut buffer);
        if shared.open().stopping {
            return connection.write_all(STOPPING.as_bytes());
        }
        if until.left().is_none() {
            return connection.write_all(b"421 4.4.2 The command or message took too long.\r\n");
        }
        match read {
            Ok(0) => return Ok(()),
            Ok(octets) => session.push(&buffer[..octets]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return connection.write_all(b"421 4.4.2 The session was idle for too long.\r\n");
            }
            Err(error) => return Err(error),
        }
    }
}

/// Sends the replies, and then wakes the server for the stored messages, so that no reply waits while the server
/// processes messages.
fn flush(connection: &Connection, replies: &mut String, shared: &Shared) -> std::io::Result<()> {
    let sent = connection.write_all(replies.as_bytes());
    replies.clear();
    shared.committer.wake();
    sent
}

/// Stores the messages of all sessions.
pub(crate) struct Committer {
    waiting: Mutex<Waiting>,
    /// Notified after each transaction.
    stored: Condvar,
    world: World,
    wake: Box<dyn Fn() + Send + Sync>,
    /// Whether messages were stored since the last call of `wake`.
    wake_due: AtomicBool,
}

struct Waiting {
    queue: VecDeque<Queued>,
    /// `None` while a session uses the store.
    store: Option<Box<dyn Store>>,
}

/// A message that waits to be stored, and the result once it is known.
struct Queued {
    mail: RawMail,
    is_stored: Arc<OnceLock<bool>>,
}

impl Committer {
    /// Creates a committer with the function that wakes the server.
    pub(crate) fn new(store: Box<dyn Store>, world: World, wake: Box<dyn Fn() + Send + Sync>) -> Committer {
        let waiting = Waiting { queue: VecDeque::new(), store: Some(store) };
        Committer {
            waiting: Mutex::new(waiting),
            stored: Condvar::new(),
            world,
            wake,
            wake_due: AtomicBool::new(false),
        }
    }

    /// Stores a message; returns false if that fails.
    fn store_mail(&self, mail: RawMail) -> bool {
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
        // Catch a panic, because the other sessions still need the store.
        let is_stored = match catch_unwind(AssertUnwindSafe(|| receive_all(store, &mails, MailSource::Lmtp, now))) {
            Ok(Ok(Numbers { first, last })) => {
                let octets: usize = mails.iter().map(RawMail::len).sum();
                tracing::info!(messages = mails.len(), first, last, octets, "mail stored");
                true
            }
            Ok(Err(error)) => {
                tracing::error!(messages = mails.len(), %error, "cannot store mail; the sender is asked to try again");
                false
            }
            Err(_) => {
                tracing::error!(messages = mails.len(), "storing mail panicked; the sender is asked to try again");
                false
            }
        };
        if is_stored {
            self.wake_due.store(true, Ordering::Release);
        }
        for result in waiting {
            let _ = result.set(is_stored);
        }
    }

    /// Wakes the server if messages were stored since the last call.
    fn wake(&self) {
        if self.wake_due.swap(false, Ordering::AcqRel) {
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
