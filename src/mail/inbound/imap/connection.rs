//! The socket, plain or by TLS. No operation lasts longer than its timeout.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::error::ImapError;

/// How long a server may take to accept a connection, for each step of TLS, and to read what we send.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A connection to a server, plain or by TLS.
pub(super) struct Connection {
    stream: Stream,
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Connection {
    /// Connects to the first of the host's addresses that accepts.
    pub(super) fn connect(host: &str, port: u16) -> Result<Connection, ImapError> {
        let addresses = (host, port)
            .to_socket_addrs()
            .map_err(|error| ImapError::temporary(format!("the address of {host} is not found: {error}")))?;
        let mut last = None;
        for address in addresses {
            match TcpStream::connect_timeout(&address, TIMEOUT) {
                Ok(socket) => {
                    // Commands are short, and each one's response is waited for.
                    socket.set_nodelay(true)?;
                    socket.set_read_timeout(Some(TIMEOUT))?;
                    socket.set_write_timeout(Some(TIMEOUT))?;
                    return Ok(Connection { stream: Stream::Plain(socket) });
                }
                Err(error) => last = Some(error),
            }
        }
        let why = last.map_or("it has no address".to_owned(), |error| error.to_string());
        Err(ImapError::temporary(format!("no connection to {host}, port {port}: {why}")))
    }

    /// A second handle of the socket, to interrupt a thread that waits for it.
    pub(super) fn handle(&self) -> std::io::Result<TcpStream> {
        self.socket().try_clone()
    }

    /// Continues by TLS. The certificate must be the host's, signed by an authority of the file or else of the system.
    pub(super) fn encrypted(self, host: &str, ca_file: Option<&Path>) -> Result<Connection, ImapError> {
        let Stream::Plain(mut socket) = self.stream else { return Ok(self) };
        socket.set_read_timeout(Some(TIMEOUT))?;
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| ImapError::permanent(format!("{host:?} cannot be the name in a certificate")))?;
        let mut connection = ClientConnection::new(config(ca_file)?, name)
            .map_err(|error| ImapError::permanent(format!("TLS cannot be set up: {error}")))?;
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(|error| {
                match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                    Some(rustls::Error::InvalidCertificate(why)) => ImapError::permanent(format!(
                        "the certificate of {host} is refused: {why}. Is the host right? A private authority is \
                         named by ca_file"
                    )),
                    _ => ImapError::temporary(format!("no TLS with {host}: {error}")),
                }
            })?;
        }
        Ok(Connection { stream: Stream::Tls(Box::new(StreamOwned::new(connection, socket))) })
    }

    /// Reads what has arrived; `None` when nothing arrives in this time.
    pub(super) fn read(&mut self, buffer: &mut [u8], time: Duration) -> Result<Option<usize>, ImapError> {
        self.socket().set_read_timeout(Some(time))?;
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

    /// Sends these octets.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), ImapError> {
        match &mut self.stream {
            Stream::Plain(socket) => socket.write_all(bytes)?,
            Stream::Tls(stream) => {
                stream.write_all(bytes)?;
                stream.flush()?;
            }
        }
        Ok(())
    }

    fn socket(&self) -> &TcpStream {
        match &self.stream {
            Stream::Plain(socket) => socket,
            Stream::Tls(stream) => &stream.sock,
        }
    }
}

fn config(ca_file: Option<&Path>) -> Result<Arc<ClientConfig>, ImapError> {
    let mut roots = RootCertStore::empty();
    match ca_file {
        Some(file) => {
            let wrong = |why: &dyn std::fmt::Display| {
                ImapError::permanent(format!("ca_file {} holds no certificates: {why}", file.display()))
            };
            for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))? {
                let certificate = certificate.map_err(|error| wrong(&error))?;
                roots.add(certificate).map_err(|error| wrong(&error))?;
            }
            if roots.is_empty() {
                return Err(wrong(&"there is none in it"));
            }
        }
        // Some of the system's certificates may no longer be supported.
        None => {
            let loaded = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(loaded.certs);
            if roots.is_empty() {
                return Err(ImapError::permanent(
                    "the system has no certificates of authorities: install ca-certificates, or name a ca_file",
                ));
            }
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ImapError::permanent(format!("TLS cannot be set up: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
