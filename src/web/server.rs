//! The web server: it listens, serves the site in a separate thread, and stops on request.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use tokio::sync::watch;
use tokio::time::timeout;

use super::pool::MAX_THREADS;
use super::site::Site;
use super::{connections, routes, site};

/// The longest wait for pending requests when stopping.
const GRACE: Duration = Duration::from_secs(3);

/// A running server.
pub struct Server {
    /// The address on which the server listens, with the actual port if the configured port is 0.
    pub address: SocketAddr,
    site: Arc<Site>,
    stop: watch::Sender<()>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Starts a server on this address.
    ///
    /// # Errors
    /// The server cannot listen on the address.
    pub fn start(address: SocketAddr, site: Site) -> anyhow::Result<Server> {
        let failed = || format!("cannot listen for HTTP on {address}");
        let listener = TcpListener::bind(address).with_context(failed)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_io().enable_time().max_blocking_threads(MAX_THREADS).build()?;
        let (stop, stopped) = watch::channel(());
        let site = Arc::new(site);
        let serving = serve(Arc::clone(&site), listener, stopped);
        let thread = thread::Builder::new().name("web".to_owned()).spawn(move || runtime.block_on(serving))?;
        tracing::info!(%address, "listening for HTTP");
        Ok(Server { address, site, stop, thread })
    }

    /// Notifies open event streams of possible changes by another process.
    pub fn notify(&self) {
        self.site.hub.notify();
    }

    /// Stops accepting requests, and waits a short time for pending ones.
    pub fn stop(self) {
        self.site.hub.stop();
        drop(self.stop);
        if self.thread.join().is_err() {
            tracing::error!("the web server panicked");
        }
    }
}

/// Serves the site until the sender of `stopped` is dropped.
async fn serve(site: Arc<Site>, listener: TcpListener, stopped: watch::Receiver<()>) {
    let router = routes::router(Arc::clone(&site));
    tokio::spawn(site::run(site));
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::error!(%error, "cannot serve pages");
            return;
        }
    };
    let served = tokio::spawn(connections::serve(listener, router, stopped.clone()));
    connections::until_closed(stopped).await;
    match timeout(GRACE, served).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "the web server failed"),
        Err(_) => tracing::info!("stopping without answering some pending requests"),
    }
}
