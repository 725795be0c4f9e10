//! Client connections: their number, and timeouts for slow clients.
//!
//! The server closes connections whose clients send half a request or do not read the response. Connections use only a
//! part of the file descriptors of the process, so that mail and the database always have some.

use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use futures_util::future::{Either, select};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Sleep, sleep};
use tower_service::Service;

/// The timeout for a request's head, and for an idle persistent connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The timeout for a client to read the response.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// The pause after the system refuses to accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);
/// The maximum number of connections, regardless of the available descriptors.
const MAX_CONNECTIONS: u64 = 4_000;
/// The minimum number of connections, regardless of the available descriptors.
const MIN_CONNECTIONS: u64 = 16;
/// The descriptors reserved for mail, the database and webhooks.
const RESERVED_DESCRIPTORS: u64 = 200;

/// Returns the connection limit. Raises the process's soft limit of descriptors if necessary and possible.
fn max_connections() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(u64::MAX).min(MAX_CONNECTIONS + RESERVED_DESCRIPTORS);
    let mut limit = current.unwrap_or(u64::MAX);
    if limit < wanted && setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok() {
        limit = wanted;
    }
    let connections = limit.saturating_sub(RESERVED_DESCRIPTORS).clamp(MIN_CONNECTIONS, MAX_CONNECTIONS);
    usize::try_from(connections).unwrap_or(usize::MAX)
}

/// Serves connections until the sender of `stopped` is dropped. Then waits until all pending requests have a response.
pub async fn serve(listener: TcpListener, router: Router, stopped: watch::Receiver<()>) {
    let most = max_connections();
    let places = Arc::new(Semaphore::new(most));
    let accepting = accept(listener, router, stopped.clone(), Arc::clone(&places));
    select(pin!(accepting), pin!(until_closed(stopped))).await;
    // Wait for all connections: each of them releases its permit when it ends.
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    let _ = places.acquire_many(most).await;
}

async fn accept(listener: TcpListener, router: Router, stopped: watch::Receiver<()>, places: Arc<Semaphore>) {
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, peer)) => {
                tokio::spawn(connection(stream, peer, router.clone(), stopped.clone(), place));
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Serves one connection. Ignores its errors, because the client causes them.
async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    stopped: watch::Receiver<()>,
    _place: OwnedSemaphorePermit,
) {
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().call(request)
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let mut served = pin!(builder.serve_connection(TokioIo::new(Stream { stream, stalled: None }), service));
    if let Either::Right(_) = select(served.as_mut(), pin!(until_closed(stopped))).await {
        served.as_mut().graceful_shutdown();
        let _ = served.await;
    }
}

/// Waits until the sender of the channel is dropped.
pub async fn until_closed(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}

/// A connection that fails if its client reads none of the pending data for [`WRITE_TIMEOUT`].
struct Stream {
    stream: TcpStream,
    /// The timer of a stalled write.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl Stream {
    /// Returns the result of a write. Returns an error if the client has read nothing for [`WRITE_TIMEOUT`].
    fn patiently(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        stalled.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.patiently(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.patiently(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream as Client;
    use std::thread;

    use axum::routing::get;

    use super::*;

    /// Serves a page while `act` runs as the client, in another thread. The clock of the runtime is paused, and
    /// advances only when the runtime is idle.
    fn while_serving(act: impl FnOnce(SocketAddr) + Send + 'static) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let long = || async { "x".repeat(50_000_000) };
            let router = Router::new().route("/", get(|| async { "hello" })).route("/long", get(long));
            let (stop, stopped) = watch::channel(());
            let client = thread::spawn(move || {
                act(address);
                drop(stop);
            });
            serve(listener, router, stopped).await;
            client.join().unwrap();
        });
    }

    fn rest(mut client: &Client) -> String {
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    /// Returns the response to a complete request on a new connection. Retries, because the paused clock may advance
    /// between connecting and sending, and the request then times out.
    fn answered(address: SocketAddr) -> String {
        let answers = (0..10_000).map(|_| {
            let mut client = Client::connect(address).unwrap();
            let _ = client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            rest(&client)
        });
        answers.into_iter().find(|answer| answer.starts_with("HTTP/1.1 200")).unwrap_or_default()
    }

    #[test]
    fn incomplete_requests_time_out() {
        while_serving(|address| {
            for begun in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n"] {
                let mut client = Client::connect(address).unwrap();
                let _ = client.write_all(begun.as_bytes());
                let answer = rest(&client);
                assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{begun:?}: {answer}");
            }
            let answer = answered(address);
            assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello"), "{answer}");
        });
    }

    #[test]
    fn unread_responses_time_out() {
        while_serving(|address| {
            let mut client = Client::connect(address).unwrap();
            client.write_all(b"GET /long HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
            // The client keeps the connection open. If the server did not close it, the server would never stop, and
            // the test would hang.
            assert!(answered(address).ends_with("hello"));
            std::mem::forget(client);
        });
    }
}
