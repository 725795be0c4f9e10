//! The socket that wakes the server, and by which it is asked.

use std::io::ErrorKind;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// How long an answer is waited for: the server may be in the middle of something.
const ANSWER: Duration = Duration::from_secs(20);
/// How long to wait for an asker whose socket is full.
const UNREAD: Duration = Duration::from_secs(1);
/// The most bytes of a question or an answer.
const MOST_BYTES: usize = 4_096;

/// What a command asks of the server.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Question {
    /// The level of its log.
    LogLevel,
    /// To change it to this.
    SetLogLevel(String),
}

/// The answer, or why it was refused.
pub(super) type Answer = Result<String, String>;

/// The path of the socket, and the ways to use it.
#[derive(Clone)]
pub(super) struct Waker {
    path: PathBuf,
}

impl Waker {
    /// The waker of the server on this data directory.
    pub(super) fn of(data: &Path) -> Waker {
        Waker { path: data.join("serve.sock") }
    }

    /// Wakes the server, if there is one. Errors do not matter: the server checks its queues each second.
    pub(super) fn wake(&self) {
        let _ = self.connected().and_then(|socket| socket.send(b"!"));
    }

    /// Wakes the server from a callback, by one socket, since a sender waits for each call. The first call connects it: the
    /// server's own socket is not there before.
    pub(super) fn callback(self) -> Box<dyn Fn() + Send + Sync> {
        let socket = OnceLock::new();
        Box::new(move || {
            if let Some(socket) = socket.get_or_init(|| self.connected().ok()) {
                let _ = socket.send(b"!");
            }
        })
    }

    /// A socket connected to the server's, which a signal handler can write to.
    pub(super) fn connected(&self) -> std::io::Result<UnixDatagram> {
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        socket.connect(&self.path)?;
        Ok(socket)
    }

    /// Asks the server, which must be there, and waits for its answer.
    pub(super) fn ask(&self, question: &Question) -> anyhow::Result<Answer> {
        // The answer needs an address: a socket beside the server's, which no other process has.
        let own = Waker { path: self.path.with_file_name(format!("ask-{}.sock", std::process::id())) };
        let socket = own.bind()?;
        let asked = || {
            socket.set_write_timeout(Some(ANSWER))?;
            socket.set_read_timeout(Some(ANSWER))?;
            socket.send_to(&serde_json::to_vec(question)?, &self.path)?;
            let mut answer = [0; MOST_BYTES];
            let length = socket.recv(&mut answer)?;
            Ok::<_, std::io::Error>(serde_json::from_slice(&answer[..length])?)
        };
        let answer = asked();
        own.remove();
        answer.with_context(|| format!("the server at {} does not answer", self.path.display()))
    }

    /// Creates the socket that the server waits at.
    pub(super) fn bind(&self) -> anyhow::Result<UnixDatagram> {
        let path = &self.path;
        // A server that was killed left it behind: the lock proves that there is no other.
        if let Err(error) = std::fs::remove_file(path)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(error).with_context(|| format!("cannot remove the old {}", path.display()));
        }
        UnixDatagram::bind(path).with_context(|| format!("cannot make the socket {}", path.display()))
    }

    /// Removes the socket.
    pub(super) fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Waits at the server's socket until it is woken, and lets a question be answered. Tells whether anything came; it did not
/// when the time is over or a signal came.
pub(super) fn wait(socket: &UnixDatagram, answer: impl FnOnce(Question) -> Answer) -> bool {
    let mut bytes = [0; MOST_BYTES];
    let Ok((length, asker)) = socket.recv_from(&mut bytes) else { return false };
    if let Ok(question) = serde_json::from_slice(&bytes[..length]) {
        reply(socket, &asker, &answer(question));
    }
    true
}

/// Answers whoever asked, unless they have left.
fn reply(socket: &UnixDatagram, asker: &SocketAddr, answer: &Answer) {
    let Some(path) = asker.as_pathname() else { return };
    if let Ok(answer) = serde_json::to_vec(answer) {
        let _ = socket.set_write_timeout(Some(UNREAD)).and_then(|()| socket.send_to(&answer, path));
    }
}
