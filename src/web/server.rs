//! The server: it listens, serves the site on a thread of its own, and stops.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use tokio::sync::watch;
use tokio::time::timeout;

use super::pool::MAX_THREADS;
use super::site::Site;
use super::{connections, hub_reader, routes};

/// How long stopping waits for requests in progress.
const GRACE: Duration = Duration::from_secs(3);

/// A running server.
pub struct Server {
    /// The address at which it listens, with the actual port when any was asked for.
    pub address: SocketAddr,
    site: Arc<Site>,
    stop: watch::Sender<()>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Starts a server at this address.
    ///
    /// # Errors
    /// The address cannot be listened at.
    pub fn start(address: SocketAddr, site: Site) -> anyhow::Result<Server> {
        let failed = || format!("cannot listen for HTTP at {address}");
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

    /// Tells the server that another process may have made changes, which open streams show then.
    pub fn notify(&self) {
        self.site.hub.notify();
    }

    /// Accepts no more requests, and answers those in progress unless they take long.
    pub fn stop(self) {
        self.site.hub.stop();
        drop(self.stop);
        if self.thread.join().is_err() {
            tracing::error!("serving pages panicked");
        }
    }
}

/// Serves the site until `stopped` is closed.
async fn serve(site: Arc<Site>, listener: TcpListener, stopped: watch::Receiver<()>) {
    let router = routes::router(Arc::clone(&site));
    tokio::spawn(hub_reader::run(site));
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::error!(%error, "no pages are served");
            return;
        }
    };
    let served = tokio::spawn(connections::serve(listener, router, stopped.clone()));
    connections::until_closed(stopped).await;
    match timeout(GRACE, served).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "serving pages ended"),
        Err(_) => tracing::info!("requests in progress are abandoned"),
    }
}
