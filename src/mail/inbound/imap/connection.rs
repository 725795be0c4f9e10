//! The plain or TLS socket. Each operation ends within its time limit, even if the peer sends one octet at a time.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::mail::oauth::OAuthError;
use crate::world::Deadline;

/// The time limit of each of these: resolving the host, connecting to one address, the TLS handshake, and sending a
/// command.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for trying all addresses of the host.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(120);

/// A plain or TLS connection to a server.
pub(crate) struct Connection {
    stream: Stream,
}

enum Stream {
    Plain(TimedSocket),
    Tls(Box<StreamOwned<ClientConnection, TimedSocket>>),
}

/// A socket whose reads and writes fail after its deadline.
struct TimedSocket {
    socket: TcpStream,
    until: Deadline,
}

impl TimedSocket {
    fn left(&self) -> io::Result<Duration> {
        self.until.left().ok_or_else(|| ErrorKind::TimedOut.into())
    }
}

impl Read for TimedSocket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(Some(self.left()?))?;
        self.socket.read(buffer).map_err(|error| match error.kind() {
            // Some systems report a timeout as `WouldBlock`.
            ErrorKind::WouldBlock => ErrorKind::TimedOut.into(),
            _ => error,
        })
    }
}

impl Write for TimedSocket {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(self.left()?))?;
        self.socket.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

impl Connection {
    /// Connects to the first of the host's addresses that accepts a connection.
    pub(crate) fn connect(host: &str, port: u16) -> Result<Connection, ImapError> {
        let addresses =
            resolve(host, port).map_err(|error| ImapError::temporary(format!("cannot resolve {host}: {error}")))?;
        let until = Deadline::after(CONNECT_TIMEOUT);
        let mut last = None;
        for address in addresses {
            let Some(left) = until.left() else { break };
            match TcpStream::connect_timeout(&address, left.min(TIMEOUT)) {
                Ok(socket) => {
                    // Send each short command immediately, because the client waits for the response.
                    socket.set_nodelay(true)?;
                    return Ok(Connection { stream: Stream::Plain(TimedSocket { socket, until }) });
                }
                Err(error) => last = Some(error),
            }
        }
        let why = last.map_or("the host has no address".to_owned(), |error| error.to_string());
        Err(ImapError::temporary(format!("cannot connect to {host}, port {port}: {why}")))
    }

    /// Returns a second handle of the socket, to interrupt a thread that waits for data.
    pub(crate) fn handle(&self) -> io::Result<TcpStream> {
        match &self.stream {
            Stream::Plain(socket) => socket.socket.try_clone(),
            Stream::Tls(stream) => stream.sock.socket.try_clone(),
        }
    }

    /// Switches to TLS. The certificate must be the host's, signed by an authority in `ca_file`, or by default by one
    /// that the system trusts.
    pub(crate) fn encrypted(self, host: &str, ca_file: Option<&Path>) -> Result<Connection, ImapError> {
        let Stream::Plain(mut socket) = self.stream else { return Ok(self) };
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| ImapError::permanent(format!("{host:?} is not a valid name in a certificate")))?;
        let mut connection = ClientConnection::new(config(ca_file)?, name)
            .map_err(|error| ImapError::permanent(format!("cannot set up TLS: {error}")))?;
        socket.until = Deadline::after(TIMEOUT);
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(|error| {
                match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                    Some(rustls::Error::InvalidCertificate(why)) => ImapError::permanent(format!(
                        "the certificate of {host} is refused: {why}. Is the host correct? For a private \
                         authority, set ca_file"
                    )),
                    _ => ImapError::temporary(format!("TLS with {host} failed: {error}")),
                }
            })?;
        }
        Ok(Connection { stream: Stream::Tls(Box::new(StreamOwned::new(connection, socket))) })
    }

    /// Reads received octets; `None` if nothing arrives within this time.
    pub(crate) fn read(&mut self, buffer: &mut [u8], time: Duration) -> Result<Option<usize>, ImapError> {
        self.set_deadline(Deadline::after(time));
        let read = match &mut self.stream {
            Stream::Plain(socket) => socket.read(buffer),
            Stream::Tls(stream) => stream.read(buffer),
        };
        match read {
            Ok(0) => Err(ImapError::temporary("the server closed the connection")),
            Ok(octets) => Ok(Some(octets)),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) =>
            {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), ImapError> {
        self.set_deadline(Deadline::after(TIMEOUT));
        match &mut self.stream {
            Stream::Plain(socket) => socket.write_all(bytes)?,
            Stream::Tls(stream) => {
                stream.write_all(bytes)?;
                stream.flush()?;
            }
        }
        Ok(())
    }

    fn set_deadline(&mut self, until: Deadline) {
        match &mut self.stream {
            Stream::Plain(socket) => socket.until = until,
            Stream::Tls(stream) => stream.sock.until = until,
        }
    }
}

/// Resolves a host in a separate thread, because the system's resolver has no time limit.
fn resolve(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let (result, resolved) = mpsc::channel();
    let host = host.to_owned();
    thread::Builder::new().name("resolver".to_owned()).spawn(move || {
        let addresses = (host.as_str(), port).to_socket_addrs();
        let _ = result.send(addresses.map(Iterator::collect));
    })?;
    resolved.recv_timeout(TIMEOUT).map_err(|_| io::Error::from(ErrorKind::TimedOut))?
}

fn config(ca_file: Option<&Path>) -> Result<Arc<ClientConfig>, ImapError> {
    let mut roots = RootCertStore::empty();
    match ca_file {
        Some(file) => {
            let wrong = |why: &dyn std::fmt::Display| {
                ImapError::permanent(format!("ca_file {} contains no valid certificates: {why}", file.display()))
            };
            for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))? {
                let certificate = certificate.map_err(|error| wrong(&error))?;
                roots.add(certificate).map_err(|error| wrong(&error))?;
            }
            if roots.is_empty() {
                return Err(wrong(&"it is empty"));
            }
        }
        // Skip certificates of the system that rustls does not support.
        None => {
            let loaded = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(loaded.certs);
            if roots.is_empty() {
                return Err(ImapError::permanent(
                    "the system has no CA certificates: install ca-certificates, or configure ca_file",
                ));
            }
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ImapError::permanent(format!("cannot set up TLS: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImapError {
    /// Retrying is useless until the administrator fixes the cause. Frequent attempts might lock the account.
    #[error("{0}")]
    Permanent(String),
    /// The server refuses the login with a password, or with an access token that may have expired early.
    #[error("{0}")]
    LoginRefused(String),
    /// No access token is available until the administrator acts. A retry may follow soon, because it only checks
    /// whether a token is available.
    #[error("{0}")]
    Unauthorized(String),
    /// A later attempt may succeed.
    #[error("{0}")]
    Temporary(String),
}

impl ImapError {
    pub(crate) fn permanent(text: impl Into<String>) -> ImapError {
        ImapError::Permanent(text.into())
    }

    pub(crate) fn temporary(text: impl Into<String>) -> ImapError {
        ImapError::Temporary(text.into())
    }
}

impl From<OAuthError> for ImapError {
    fn from(error: OAuthError) -> ImapError {
        match error {
            OAuthError::Permanent(why) => ImapError::Unauthorized(why),
            OAuthError::Temporary(why) => ImapError::Temporary(why),
        }
    }
}

impl From<std::io::Error> for ImapError {
    fn from(error: std::io::Error) -> ImapError {
        ImapError::Temporary(format!("the connection was lost: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_peer_that_sends_single_octets_cannot_prolong_a_read() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        // The peer sends until the socket is closed.
        let sender = thread::spawn(move || while peer.write_all(b"x").is_ok() {});
        let mut timed = TimedSocket { socket, until: Deadline::after(Duration::from_millis(50)) };
        let error = io::copy(&mut timed, &mut io::sink()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(timed);
        sender.join().unwrap();
    }
}
