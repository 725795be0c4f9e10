//! A connection to a server, with a timeout for each response. The calling thread drives the connection.
//!
//! TCP detects the loss of a machine, but not a hanging server, whose kernel still acknowledges every packet.

use std::collections::VecDeque;
use std::error::Error as _;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::maybe_done;
use tokio::runtime::{self, Runtime};
use tokio::task::yield_now;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Config, Connection, Error, Notification, Socket, Statement};

use super::request::{Answer, Request};
use super::tls::{Encrypted, Tls};
use crate::store::{Result, StoreError};

/// The timeout of a statement. Waiting for locks takes at most 10 seconds of it; the rest is for reports on large
/// databases.
pub(crate) const ANSWER: Duration = Duration::from_secs(120);
/// The timeout for closing the connection.
const GOODBYE: Duration = Duration::from_secs(1);

pub(crate) struct Client {
    runtime: Runtime,
    /// `None` while the connection is being closed.
    requests: Option<tokio_postgres::Client>,
    stream: Stream,
}

/// The messages from the server.
struct Stream {
    connection: Connection<Socket, Encrypted<Socket>>,
    notifications: VecDeque<Notification>,
    /// Whether the connection has ended or a response timed out. The connection is then unusable, because a late
    /// response would be taken for the response to the next statement.
    is_broken: bool,
}

impl Client {
    /// Connects within the timeout `most`.
    pub(crate) fn connect(config: &Config, tls: Tls, most: Duration) -> Result<Client> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| StoreError::Failed(format!("cannot create an event loop: {error}")))?;
        let connected = runtime.block_on(async { timeout(most, config.connect(tls)).await });
        let connected = connected.map_err(|_| late(most)).and_then(|done| done.map_err(|error| failed(&error)));
        let (requests, connection) = match connected {
            Ok(connected) => connected,
            Err(error) => {
                // Do not wait for the runtime, because one of its threads may still be resolving the address.
                runtime.shutdown_background();
                return Err(error);
            }
        };
        let stream = Stream { connection, notifications: VecDeque::new(), is_broken: false };
        Ok(Client { runtime, requests: Some(requests), stream })
    }

    /// Returns whether the connection is known to be unusable.
    pub(crate) fn is_closed(&self) -> bool {
        self.stream.is_broken || self.requests.as_ref().is_none_or(tokio_postgres::Client::is_closed)
    }

    pub(crate) fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.ask(ANSWER, async |requests| requests.prepare(sql).await)
    }

    /// Sends requests together, and waits for all answers, at most for the time `most`. Returns the first error.
    pub(crate) fn send(&mut self, all: &[Request], most: Duration) -> Result<Vec<Answer>> {
        self.ask(most, async |requests| {
            let mut sent: Vec<_> = all.iter().map(|request| Box::pin(maybe_done(request.send(requests)))).collect();
            // Polling a request for the first time puts it in the queue to the server.
            poll_fn(|cx| {
                match sent.iter_mut().fold(false, |waits, sent| waits | sent.as_mut().poll(cx).is_pending()) {
                    true => Poll::Pending,
                    false => Poll::Ready(()),
                }
            })
            .await;
            sent.iter_mut().filter_map(|sent| sent.as_mut().take_output()).collect()
        })
    }

    /// Checks whether the server has closed the connection since it was last used.
    pub(crate) fn detect_close(&mut self) {
        let Client { runtime, stream, .. } = self;
        let ended = runtime.block_on(async {
            yield_now().await;
            poll_fn(|cx| Poll::Ready(stream.read(cx).is_ready())).await
        });
        stream.is_broken |= ended;
    }

    /// Waits for a notification, at most for the time `most`.
    pub(crate) fn notification(&mut self, most: Duration) -> Result<Option<Notification>> {
        let Client { runtime, stream, .. } = self;
        let next = poll_fn(|cx| {
            let read = stream.read(cx);
            match stream.notifications.pop_front() {
                Some(next) => Poll::Ready(Ok(Some(next))),
                None => read.map_ok(|()| None),
            }
        });
        runtime.block_on(async { timeout(most, next).await }).unwrap_or(Ok(None)).map_err(|error| failed(&error))
    }

    fn ask<T>(
        &mut self,
        most: Duration,
        request: impl AsyncFnOnce(&tokio_postgres::Client) -> std::result::Result<T, Error>,
    ) -> Result<T> {
        let Client { runtime, requests, stream } = self;
        let requests = requests.as_ref().filter(|_| !stream.is_broken);
        let requests = requests.ok_or_else(|| StoreError::Unreachable("the connection is closed".to_owned()))?;
        let asked = async { timeout(most, stream.until(request(requests))).await };
        runtime.block_on(asked).map_or_else(
            |_| {
                stream.is_broken = true;
                Err(late(most))
            },
            |answer| answer.map_err(|error| failed(&error)),
        )
    }
}

impl Drop for Client {
    /// Closes the connection. This waits for the network.
    fn drop(&mut self) {
        let Client { runtime, requests, stream } = self;
        *requests = None;
        if !stream.is_broken {
            let _ = runtime.block_on(async { timeout(GOODBYE, poll_fn(|cx| stream.read(cx))).await });
        }
    }
}

impl Stream {
    /// Sends queued requests and reads messages. Returns `Ready` when the connection has ended.
    fn read(&mut self, cx: &mut Context<'_>) -> Poll<std::result::Result<(), Error>> {
        loop {
            match self.connection.poll_message(cx) {
                Poll::Ready(Some(Ok(AsyncMessage::Notification(notification)))) => {
                    self.notifications.push_back(notification);
                }
                // Ignore the server's notices about our own statements.
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(error)),
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Drives the connection until a request is complete.
    async fn until<T>(
        &mut self,
        asked: impl Future<Output = std::result::Result<T, Error>>,
    ) -> std::result::Result<T, Error> {
        let mut asked = pin!(asked);
        poll_fn(|cx| match self.read(cx) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            // Poll the request even if the connection has ended: it then returns an error.
            Poll::Ready(Ok(())) | Poll::Pending => asked.as_mut().poll(cx),
        })
        .await
    }
}

fn late(most: Duration) -> StoreError {
    StoreError::Unreachable(format!("PostgreSQL did not answer within {} seconds", most.as_secs()))
}

/// The error code that the SQL function `refuse_when_moved` raises. The message of the error is the new location.
const MOVED: &str = "TPMVD";
/// The error code that the SQL function `refuse_while_older_programs_work` raises. The message of the error is the
/// number of connections of older programs.
const OLDER: &str = "TPOLD";

/// The error code that the SQL function `require_rows` raises.
const NO_ROWS: &str = "TPROW";

/// Converts an error of PostgreSQL. The result does not contain the statement's parameters, because they may be
/// private.
pub(crate) fn failed(error: &Error) -> StoreError {
    let Some(refusal) = error.as_db_error() else {
        let why = error.source().map_or_else(String::new, |source| format!(": {source}"));
        return if error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>()) {
            StoreError::Unreachable(format!("{error}{why}"))
        } else {
            StoreError::Failed(format!("{error}{why}"))
        };
    };
    let (code, message) = (refusal.code(), refusal.message());
    let broken = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    let conflicts = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    if code.code() == MOVED {
        StoreError::Moved(message.to_owned())
    } else if code.code() == OLDER {
        StoreError::OlderAtWork(message.to_owned())
    } else if code.code() == NO_ROWS {
        StoreError::Failed(message.to_owned())
    } else if *code == SqlState::LOCK_NOT_AVAILABLE {
        StoreError::Busy
    } else if conflicts.contains(code) {
        StoreError::Conflict
    } else if broken.contains(code) || code.code().starts_with("08") {
        StoreError::Unreachable(message.to_owned())
    } else if [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED].contains(code) {
        StoreError::Damaged(message.to_owned())
    } else if *code == SqlState::INVALID_CATALOG_NAME {
        StoreError::NoSuchDatabase(message.to_owned())
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE || code.code().starts_with("28") {
        StoreError::Denied(message.to_owned())
    } else {
        StoreError::Failed(format!("{message} ({})", code.code()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread::{self, JoinHandle};

    use super::*;
    use crate::store::postgres::url::{Certificates, PostgresUrl};

    /// Starts a server that hangs before or after the greeting. The thread of the server ends when the client
    /// disconnects.
    fn silent(greets: bool) -> (String, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("postgresql://turnpost@{}/games?sslmode=disable", listener.local_addr().unwrap());
        let server = move || {
            let (mut peer, _): (TcpStream, _) = listener.accept().unwrap();
            if greets {
                // The messages `AuthenticationOk` and `ReadyForQuery`.
                peer.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I").unwrap();
            }
            let _ = peer.read_to_end(&mut Vec::new());
        };
        (url, thread::spawn(server))
    }

    fn connect(url: &str, most: Duration) -> Result<Client> {
        let url: PostgresUrl = url.parse().unwrap();
        Client::connect(&url.config, Tls::of(&Certificates::Any).unwrap(), most)
    }

    #[test]
    fn waiting_for_a_hanging_server_times_out() {
        let (url, server) = silent(false);
        assert!(matches!(connect(&url, Duration::from_millis(10)), Err(StoreError::Unreachable(_))));
        server.join().unwrap();
        let (url, server) = silent(true);
        let mut client = connect(&url, Duration::from_secs(60)).unwrap();
        assert!(!client.is_closed());
        let late = client.send(&[Request::batch("SELECT 1")], Duration::from_millis(10));
        assert!(matches!(late, Err(StoreError::Unreachable(_))));
        // The late response must not be taken for the response to another request.
        assert!(client.is_closed());
        assert!(matches!(client.prepare("SELECT 2"), Err(StoreError::Unreachable(_))));
        drop(client);
        server.join().unwrap();
    }

    #[test]
    fn the_connection_survives_a_wait_without_notifications() {
        let (url, server) = silent(true);
        let mut client = connect(&url, Duration::from_secs(60)).unwrap();
        assert!(client.notification(Duration::ZERO).unwrap().is_none());
        assert!(client.notification(Duration::from_millis(1)).unwrap().is_none());
        assert!(!client.is_closed());
        drop(client);
        server.join().unwrap();
    }
}
