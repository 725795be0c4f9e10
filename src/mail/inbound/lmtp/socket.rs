//! The sockets of the LMTP server: Unix or TCP.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use listenfd::ListenFd;

use crate::config::{ConfigError, LmtpAddress};

/// How long to wait for a peer that does not read a reply.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) enum Listener {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl Listener {
    /// Listens at this address; also returns the actual address, which differs for port 0 and for a socket from
    /// systemd.
    pub(crate) fn bind(address: &LmtpAddress) -> anyhow::Result<(Listener, LmtpAddress)> {
        match address {
            LmtpAddress::Unix(path) => {
                let listener =
                    bind_unix(path).with_context(|| format!("cannot create the socket {}", path.display()))?;
                Ok((Listener::Unix(listener), address.clone()))
            }
            LmtpAddress::Loopback(at) => {
                let listener = TcpListener::bind(at).with_context(|| format!("cannot listen on {at}"))?;
                let at = listener.local_addr()?;
                Ok((Listener::Tcp(listener), LmtpAddress::Loopback(at)))
            }
            LmtpAddress::Passed => Listener::passed(),
        }
    }

    /// Returns the single socket that systemd passed to this process (sd_listen_fds).
    fn passed() -> anyhow::Result<(Listener, LmtpAddress)> {
        let mut passed = ListenFd::from_env();
        let count = passed.len();
        if count != 1 {
            let why =
                format!("lmtp = \"systemd\" requires one socket, and systemd passed {count}: see turnpost.socket");
            return Err(ConfigError::Wrong(why).into());
        }
        if let Ok(Some(listener)) = passed.take_unix_listener(0) {
            let address = listener.local_addr()?;
            let path = address.as_pathname().context("the socket from systemd has no path")?;
            let address = LmtpAddress::Unix(path.to_owned());
            return Ok((Listener::Unix(listener), address));
        }
        let listener = passed.take_tcp_listener(0)?.context("the socket from systemd is not suitable for LMTP")?;
        let at = listener.local_addr()?;
        // As for configured addresses, only loopback is allowed, because everyone who can connect is trusted.
        if !at.ip().is_loopback() {
            let why = format!("the socket from systemd, {at}, can be reached from other machines");
            return Err(ConfigError::Wrong(why).into());
        }
        Ok((Listener::Tcp(listener), LmtpAddress::Loopback(at)))
    }

    pub(crate) fn accept(&self) -> std::io::Result<Connection> {
        match self {
            Listener::Unix(listener) => listener.accept().map(|(stream, _)| Connection::Unix(stream)),
            Listener::Tcp(listener) => listener.accept().map(|(stream, _)| Connection::Tcp(stream)),
        }
    }
}

/// Creates the socket under a temporary name, so that its mode is set before anyone can connect. Replaces the socket of
/// a killed server, but no other file.
fn bind_unix(path: &Path) -> anyhow::Result<UnixListener> {
    match std::fs::symlink_metadata(path) {
        Ok(old) => anyhow::ensure!(old.file_type().is_socket(), "another file has this name"),
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

pub(crate) enum Connection {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Connection {
    pub(crate) fn to(address: &LmtpAddress) -> std::io::Result<Connection> {
        match address {
            LmtpAddress::Unix(path) => UnixStream::connect(path).map(Connection::Unix),
            LmtpAddress::Loopback(address) => TcpStream::connect(address).map(Connection::Tcp),
            LmtpAddress::Passed => Err(ErrorKind::AddrNotAvailable.into()),
        }
    }

    pub(crate) fn try_clone(&self) -> std::io::Result<Connection> {
        match self {
            Connection::Unix(stream) => stream.try_clone().map(Connection::Unix),
            Connection::Tcp(stream) => stream.try_clone().map(Connection::Tcp),
        }
    }

    /// Limits how long a read or a write waits for the peer.
    pub(crate) fn set_timeouts(&self, idle: Duration) -> std::io::Result<()> {
        match self {
            Connection::Unix(stream) => {
                stream.set_read_timeout(Some(idle))?;
                stream.set_write_timeout(Some(WRITE_TIMEOUT))
            }
            Connection::Tcp(stream) => {
                // Send each short reply immediately, because the peer waits for it.
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(idle))?;
                stream.set_write_timeout(Some(WRITE_TIMEOUT))
            }
        }
    }

    /// Shuts down reading, which wakes a reading thread.
    pub(crate) fn shut_down_reading(&self) -> std::io::Result<()> {
        match self {
            Connection::Unix(stream) => stream.shutdown(Shutdown::Read),
            Connection::Tcp(stream) => stream.shutdown(Shutdown::Read),
        }
    }

    pub(crate) fn read(&self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Connection::Unix(stream) => (&mut &*stream).read(buffer),
            Connection::Tcp(stream) => (&mut &*stream).read(buffer),
        }
    }

    pub(crate) fn write_all(&self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Connection::Unix(stream) => (&mut &*stream).write_all(bytes),
            Connection::Tcp(stream) => (&mut &*stream).write_all(bytes),
        }
    }
}
