//! The socket that wakes the server.

use std::io::ErrorKind;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

use anyhow::Context;

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
        let _ = UnixDatagram::unbound().and_then(|socket| {
            socket.set_nonblocking(true)?;
            socket.send_to(b"!", &self.path)
        });
    }

    /// Wakes the server from a callback.
    pub(super) fn callback(self) -> Box<dyn Fn() + Send + Sync> {
        Box::new(move || self.wake())
    }

    /// A socket connected to the server's, which a signal handler can write to.
    pub(super) fn connected(&self) -> std::io::Result<UnixDatagram> {
        let socket = UnixDatagram::unbound()?;
        socket.connect(&self.path)?;
        Ok(socket)
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
