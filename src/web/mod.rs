//! The web's face: pages over HTTP, on loopback, behind a proxy that speaks TLS.
//!
//! It has a thread of its own with one event loop; what asks the database does so on a thread beside it, over a
//! connection that the pages share. It changes nothing itself: the desk does.

mod board;
mod client;
mod lists;
mod pages;
mod unsubscribe;

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::command;
use crate::compose::Composer;
use crate::config::Config;
use crate::desk::{Answer, Origin, Refused, Request};
use crate::store::Store;
use crate::world::World;

/// The most octets of a request's body that are taken.
const MAX_BODY: usize = 64 * 1024;
/// How long stopping waits for requests that are under way.
const GRACE: Duration = Duration::from_secs(3);

/// What the pages are made from.
pub struct Site {
    /// What the configuration says.
    pub config: Config,
    /// The templates.
    pub composer: Composer,
    /// A database connection for the pages alone.
    pub store: Mutex<Box<dyn Store>>,
    /// Time and randomness.
    pub world: World,
}

/// A server at work.
pub struct Server {
    /// Where it listens, with the port that it was given when it asked for any.
    pub address: SocketAddr,
    stop: watch::Sender<()>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Listens at this address.
    ///
    /// # Errors
    /// The address cannot be listened at.
    pub fn start(address: SocketAddr, site: Site) -> anyhow::Result<Server> {
        let failed = || format!("cannot listen for HTTP at {address}");
        let listener = TcpListener::bind(address).with_context(failed)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let (stop, stopped) = watch::channel(());
        let service = router(Arc::new(site)).into_make_service_with_connect_info::<SocketAddr>();
        let thread = thread::Builder::new().name("web".to_owned()).spawn(move || {
            runtime.block_on(async {
                let told = stopped.clone();
                let served = tokio::spawn(async move {
                    let listener = tokio::net::TcpListener::from_std(listener)?;
                    axum::serve(listener, service).with_graceful_shutdown(until_gone(stopped)).await
                });
                until_gone(told).await;
                match timeout(GRACE, served).await {
                    Ok(Ok(Ok(()))) => {}
                    Ok(ended) => tracing::error!(?ended, "serving pages ended"),
                    Err(_) => tracing::info!("somebody is in the middle of a request, and is not waited for"),
                }
            });
        })?;
        tracing::info!(%address, "listening for HTTP");
        Ok(Server { address, stop, thread })
    }

    /// Takes no more requests, and answers those that are there, unless they take long.
    pub fn stop(self) {
        drop(self.stop);
        if self.thread.join().is_err() {
            tracing::error!("serving pages panicked");
        }
    }
}

/// Waits until nobody is left who could send anything.
async fn until_gone(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}

fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", get(pages::home))
        .route("/style.css", get(pages::style))
        .route("/icon.svg", get(pages::icon))
        .route("/help/{topic}", get(pages::help))
        .route("/games/{game}", get(lists::game))
        .route("/games/{game}/finished", get(lists::game_over))
        .route("/games/{game}/standings", get(lists::standings))
        .route("/players/{userid}", get(lists::player))
        .route("/players/{userid}/finished", get(lists::player_over))
        .route("/boards/{number}", get(board::now))
        .route("/boards/{number}/{ply}", get(board::then))
        .route("/boards/{number}/board.svg", get(board::svg))
        .route("/boards/{number}/board.png", get(board::png))
        .route("/boards/{number}/record.json", get(board::record))
        .route("/unsubscribe/{token}", get(unsubscribe::ask).post(unsubscribe::stop))
        .fallback(pages::nowhere)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn_with_state(site.clone(), client::log))
        .with_state(site)
}

/// Does something with the site on a thread where it may wait for the database.
async fn at_desk(
    site: Arc<Site>,
    work: impl FnOnce(&Site, &mut dyn Store) -> anyhow::Result<Page> + Send + 'static,
) -> Response {
    let done = tokio::task::spawn_blocking(move || {
        let mut store = site.store.lock().unwrap_or_else(PoisonError::into_inner);
        work(&site, &mut **store)
    });
    match done.await.map_err(anyhow::Error::from).and_then(|done| done) {
        Ok(page) => page.into_response(),
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "a page failed");
            (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong here; try again later.\n").into_response()
        }
    }
}

/// Answers a line of the command language for somebody who has not said who he is.
fn ask(site: &Site, store: &mut dyn Store, line: &str) -> anyhow::Result<Result<Answer, Refused>> {
    let line = match command::parse(line) {
        Ok(line) => line,
        Err(error) => return Ok(Err(Refused::from(error))),
    };
    let request = Request { line, from: Origin::Visitor, comment: None, now: (site.world.now)() };
    let mut ledger = store.read()?;
    Ok(site.config.desk(site.world).answer(&mut *ledger, &request)?)
}

/// A page that is finished, or a file.
struct Page {
    status: StatusCode,
    kind: &'static str,
    body: Vec<u8>,
}

impl Page {
    fn html(status: StatusCode, html: String) -> Page {
        Page { status, kind: "text/html; charset=utf-8", body: html.into_bytes() }
    }

    fn file(kind: &'static str, body: impl Into<Vec<u8>>) -> Page {
        Page { status: StatusCode::OK, kind, body: body.into() }
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let headers = [
            ("Content-Type", self.kind),
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                 base-uri 'none'",
            ),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-cache"),
        ];
        (self.status, headers, self.body).into_response()
    }
}
