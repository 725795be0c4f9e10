//! The socket for waking and querying the server.

use std::io::ErrorKind;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// How long a command waits for the server's answer; the server may be busy.
const ANSWER: Duration = Duration::from_secs(20);
/// How long the server tries to send an answer if the command does not read from its socket.
const UNREAD: Duration = Duration::from_secs(1);
/// The longest question or answer, in bytes.
const MOST_BYTES: usize = 4_096;

/// A command's question to the server.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Question {
    /// Asks for the log level.
    LogLevel,
    /// Changes the log level.
    SetLogLevel(String),
}

/// The server's answer, or the reason why it rejected the question.
pub(crate) type Answer = Result<String, String>;

/// The path of the server's socket.
#[derive(Clone)]
pub(crate) struct Waker {
    path: PathBuf,
}

impl Waker {
    pub(crate) fn of(data: &Path) -> Waker {
        Waker { path: data.join("serve.sock") }
    }

    /// Wakes the server, if one is running. Ignores errors, because the server checks its queues every second.
    pub(crate) fn wake(&self) {
        let _ = self.connected().and_then(|socket| socket.send(b"!"));
    }

    /// Returns a callback that wakes the server. It reuses one socket for speed, and connects it at the first call
    /// because the server creates its own socket later.
    pub(crate) fn callback(self) -> Box<dyn Fn() + Send + Sync> {
        let socket = OnceLock::new();
        Box::new(move || {
            if let Some(socket) = socket.get_or_init(|| self.connected().ok()) {
                let _ = socket.send(b"!");
            }
        })
    }

    /// Creates a socket that is connected to the server's socket. A signal handler can use it.
    pub(crate) fn connected(&self) -> std::io::Result<UnixDatagram> {
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        socket.connect(&self.path)?;
        Ok(socket)
    }

    /// Sends a question to the running server, and waits for the answer.
    pub(crate) fn ask(&self, question: &Question) -> anyhow::Result<Answer> {
        // The server sends its answer to a socket with a unique name in the same directory.
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

    /// Creates a socket at this path.
    pub(crate) fn bind(&self) -> anyhow::Result<UnixDatagram> {
        let path = &self.path;
        // Remove the socket of a killed server. The lock proves that no other server is running.
        if let Err(error) = std::fs::remove_file(path)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(error).with_context(|| format!("cannot remove the old {}", path.display()));
        }
        UnixDatagram::bind(path).with_context(|| format!("cannot create the socket {}", path.display()))
    }

    pub(crate) fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Waits for a wake-up or a question, and answers the question. Returns false after a timeout or a signal.
pub(crate) fn wait(socket: &UnixDatagram, answer: impl FnOnce(Question) -> Answer) -> bool {
    let mut bytes = [0; MOST_BYTES];
    let Ok((length, asker)) = socket.recv_from(&mut bytes) else { return false };
    if let Ok(question) = serde_json::from_slice(&bytes[..length]) {
        reply(socket, &asker, &answer(question));
    }
    true
}

/// Sends an answer. Ignores errors, because the process that asked may have ended.
fn reply(socket: &UnixDatagram, asker: &SocketAddr, answer: &Answer) {
    let Some(path) = asker.as_pathname() else { return };
    if let Ok(answer) = serde_json::to_vec(answer) {
        let _ = socket.set_write_timeout(Some(UNREAD)).and_then(|()| socket.send_to(&answer, path));
    }
}
