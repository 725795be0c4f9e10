//! The sockets and threads around [`Session`]: one thread accepts, one keeps mails, and each session has its own.
//!
//! What ends a session, besides its peer: silence for as long as [`Settings::idle`], a reply that the peer does not take,
//! and [`Server::stop`], which lets every mail that was handed to the committer be kept and answered, and tells 421 to
//! everybody else.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;

use super::committer::{self, Queued};
use super::session::{Limits, Session, Step};
use crate::config::LmtpAddress;
use crate::mail::inbound::Taken;
use crate::store::Store;
use crate::world::World;

/// How long a peer may leave a reply unread.
const WRITE: Duration = Duration::from_secs(10);
/// After an accept that failed: what fails (no file descriptor left, say) is likely to fail again.
const PAUSE: Duration = Duration::from_millis(200);
const STOPPING: &str = "421 4.3.2 The server is stopping; try again later.\r\n";

/// What the sessions need to know.
pub struct Settings {
    /// The server's address: recipients are it, with any extension.
    pub address: String,
    /// The most sessions at a time.
    pub sessions: usize,
    /// The longest silence.
    pub idle: Duration,
    /// The time of arrival.
    pub world: World,
    /// Called when mail has been kept.
    pub wake: Box<dyn Fn() + Send>,
}

/// A listener at work.
pub struct Server {
    shared: Arc<Shared>,
    address: LmtpAddress,
    accepting: JoinHandle<()>,
    committing: JoinHandle<()>,
}

struct Shared {
    address: String,
    idle: Duration,
    most: usize,
    open: Mutex<Open>,
    ended: Condvar,
}

#[derive(Default)]
struct Open {
    stopping: bool,
    last: u64,
    /// A second handle of each session's socket, to wake its thread by.
    sessions: HashMap<u64, Connection>,
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server {
    /// Listens, and keeps what comes in this store.
    ///
    /// # Errors
    /// The socket cannot be made.
    pub fn start(address: &LmtpAddress, settings: Settings, mut store: Box<dyn Store>) -> anyhow::Result<Server> {
        let (listener, address) = Listener::bind(address)?;
        let Settings { address: own, sessions, idle, world, wake } = settings;
        let shared =
            Arc::new(Shared { address: own, idle, most: sessions, open: Mutex::default(), ended: Condvar::new() });
        // Each session waits for its mail before it reads on, so that no more can be queued than there are sessions.
        let (queue, queued) = sync_channel(sessions);
        let committing = thread::Builder::new()
            .name("lmtp-commit".to_owned())
            .spawn(move || committer::run(&queued, &mut *store, world, &*wake))?;
        let accepting = {
            let shared = Arc::clone(&shared);
            thread::Builder::new().name("lmtp-accept".to_owned()).spawn(move || accept(&listener, &shared, &queue))?
        };
        match &address {
            LmtpAddress::Unix(path) => tracing::info!(socket = %path.display(), "listening for LMTP"),
            LmtpAddress::Loopback(address) => tracing::info!(%address, "listening for LMTP"),
        }
        Ok(Server { shared, address, accepting, committing })
    }

    /// Where it listens; of port 0, the port that was given.
    pub fn address(&self) -> &LmtpAddress {
        &self.address
    }

    /// Ends every session, and returns when each mail that was promised is on disk.
    pub fn stop(self) {
        {
            let mut open = self.shared.open();
            open.stopping = true;
            for connection in open.sessions.values() {
                let _ = connection.shut_down_reading();
            }
        }
        // The thread that waits for a connection is woken by one.
        let woken = Connection::to(&self.address).is_ok();
        let mut open = self.shared.open();
        while !open.sessions.is_empty() {
            open = self.shared.ended.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
        drop(open);
        if let LmtpAddress::Unix(path) = &self.address {
            let _ = std::fs::remove_file(path);
        }
        // Every session is over, and with it what it had queued. The committer ends with the last who could queue
        // more, which is the accepting thread; where that could not be woken, both are left alone.
        if woken {
            let _ = self.accepting.join();
            let _ = self.committing.join();
        }
    }
}

fn accept(listener: &Listener, shared: &Arc<Shared>, queue: &SyncSender<Queued>) {
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
                tracing::warn!(%error, "an LMTP connection was not accepted");
                thread::sleep(PAUSE);
                continue;
            }
        };
        if open.sessions.len() >= shared.most {
            drop(open);
            tracing::warn!(most = shared.most, "too many LMTP sessions; one was turned away");
            let _ = connection.write_all(b"421 4.3.2 Too many sessions; try again later.\r\n");
            continue;
        }
        open.last += 1;
        let id = open.last;
        open.sessions.insert(id, second);
        drop(open);
        let ending = Ending { shared: Arc::clone(shared), id };
        let queue = queue.clone();
        let spawned = thread::Builder::new().name(format!("lmtp-{id}")).spawn(move || {
            if let Err(error) = converse(&connection, &ending.shared, queue) {
                tracing::info!(session = ending.id, %error, "an LMTP session broke off");
            }
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "no thread for an LMTP session");
        }
    }
}

/// Takes a session off the list, however it ended.
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

fn converse(connection: &Connection, shared: &Shared, queue: SyncSender<Queued>) -> std::io::Result<()> {
    let mut session = Session::new(&shared.address, Limits::default());
    let mut replies = String::new();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        while let Some(step) = session.step() {
            match step {
                Step::Reply(lines) => replies.push_str(&lines),
                Step::Note(note) => tracing::info!(note, "LMTP"),
                Step::Keep(mail) => {
                    flush(connection, &mut replies)?;
                    let (tell, told) = sync_channel(1);
                    let octets = mail.raw.len();
                    let queued = queue.send(Queued { mail: Taken::whole(mail.raw), tell }).is_ok();
                    tracing::debug!(octets, "mail waits to be kept");
                    session.kept(queued && told.recv().unwrap_or(false));
                }
                Step::Close => return flush(connection, &mut replies),
            }
        }
        flush(connection, &mut replies)?;
        let read = connection.read(&mut buffer);
        if shared.open().stopping {
            return connection.write_all(STOPPING.as_bytes());
        }
        match read {
            Ok(0) => return Ok(()),
            Ok(octets) => session.push(&buffer[..octets]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return connection.write_all(b"421 4.4.2 Nothing was said for too long.\r\n");
            }
            Err(error) => return Err(error),
        }
    }
}

fn flush(connection: &Connection, replies: &mut String) -> std::io::Result<()> {
    connection.write_all(replies.as_bytes())?;
    replies.clear();
    Ok(())
}

enum Listener {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl Listener {
    fn bind(address: &LmtpAddress) -> anyhow::Result<(Listener, LmtpAddress)> {
        match address {
            LmtpAddress::Unix(path) => {
                let listener = bind_unix(path).with_context(|| format!("cannot make the socket {}", path.display()))?;
                Ok((Listener::Unix(listener), address.clone()))
            }
            LmtpAddress::Loopback(at) => {
                let listener = TcpListener::bind(at).with_context(|| format!("cannot listen on {at}"))?;
                let at = listener.local_addr()?;
                Ok((Listener::Tcp(listener), LmtpAddress::Loopback(at)))
            }
        }
    }

    fn accept(&self) -> std::io::Result<Connection> {
        match self {
            Listener::Unix(listener) => listener.accept().map(|(stream, _)| Connection::Unix(stream)),
            Listener::Tcp(listener) => listener.accept().map(|(stream, _)| Connection::Tcp(stream)),
        }
    }
}

/// Under another name first, so that nobody finds it before it has its mode; and over the one that a killed serve left
/// behind, but over nothing else.
fn bind_unix(path: &Path) -> anyhow::Result<UnixListener> {
    match std::fs::symlink_metadata(path) {
        Ok(old) => anyhow::ensure!(old.file_type().is_socket(), "there is something else in its place"),
        Err(error) => anyhow::ensure!(error.kind() == ErrorKind::NotFound, error),
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let _ = std::fs::remove_file(&new);
    let listener = UnixListener::bind(&new)?;
    std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o660))?;
    std::fs::rename(&new, path)?;
    Ok(listener)
}

enum Connection {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Connection {
    fn to(address: &LmtpAddress) -> std::io::Result<Connection> {
        match address {
            LmtpAddress::Unix(path) => UnixStream::connect(path).map(Connection::Unix),
            LmtpAddress::Loopback(address) => TcpStream::connect(address).map(Connection::Tcp),
        }
    }

    fn try_clone(&self) -> std::io::Result<Connection> {
        match self {
            Connection::Unix(stream) => stream.try_clone().map(Connection::Unix),
            Connection::Tcp(stream) => stream.try_clone().map(Connection::Tcp),
        }
    }

    fn set_timeouts(&self, idle: Duration) -> std::io::Result<()> {
        match self {
            Connection::Unix(stream) => {
                stream.set_read_timeout(Some(idle))?;
                stream.set_write_timeout(Some(WRITE))
            }
            Connection::Tcp(stream) => {
                // Replies are short, and the peer waits for each.
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(idle))?;
                stream.set_write_timeout(Some(WRITE))
            }
        }
    }

    fn shut_down_reading(&self) -> std::io::Result<()> {
        match self {
            Connection::Unix(stream) => stream.shutdown(Shutdown::Read),
            Connection::Tcp(stream) => stream.shutdown(Shutdown::Read),
        }
    }

    fn read(&self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Connection::Unix(stream) => (&mut &*stream).read(buffer),
            Connection::Tcp(stream) => (&mut &*stream).read(buffer),
        }
    }

    fn write_all(&self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Connection::Unix(stream) => (&mut &*stream).write_all(bytes),
            Connection::Tcp(stream) => (&mut &*stream).write_all(bytes),
        }
    }
}
