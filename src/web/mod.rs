//! The web's face: pages over HTTP, on loopback, behind a proxy that speaks TLS.
//!
//! It has a thread of its own with one event loop; what asks the database does so on a thread beside it, over one of a few
//! connections that the pages share. It changes nothing itself: the service does. Every page works without a script; the one
//! there is makes it quicker.

mod api;
mod board;
mod body;
mod challenge;
mod clicks;
mod client;
mod command_line;
mod events;
mod hooks;
mod hub;
mod limits;
mod lists;
mod login;
mod pages;
mod play;
mod pool;
mod settings;
mod unsubscribe;
mod visit;

pub use hooks::Hooks;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::compose::Composer;
use crate::config::Config;
use crate::store::Store;
use crate::world::World;
use hub::Hub;
use limits::Limits;
use pool::{Pool, with_store};
use visit::{Fields, Posted, Visit, Visitor};

/// How long stopping waits for requests that are under way.
const GRACE: Duration = Duration::from_secs(3);

/// What the pages are made from.
pub struct Site {
    config: Config,
    composer: Composer,
    stores: Pool,
    limits: Limits,
    /// Where changes are heard of.
    hub: Hub,
    /// Wakes who works off what the web has written.
    wake: Box<dyn Fn() + Send + Sync>,
    world: World,
}

impl Site {
    /// A site of these; the connections are for the pages alone. `wake` is called after each change.
    pub fn new(
        config: Config,
        composer: Composer,
        stores: Vec<Box<dyn Store>>,
        world: World,
        wake: Box<dyn Fn() + Send + Sync>,
    ) -> Site {
        let (stores, limits, hub) = (Pool::new(stores), Limits::default(), Hub::default());
        Site { config, composer, stores, limits, hub, wake, world }
    }

    /// After a commit: who waits for changes hears of them, and letters go out.
    fn written(&self) {
        self.hub.look();
        (self.wake)();
    }
}

/// A server at work.
pub struct Server {
    /// Where it listens, with the port that it was given when it asked for any.
    pub address: SocketAddr,
    site: Arc<Site>,
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
        let site = Arc::new(site);
        let service = router(Arc::clone(&site)).into_make_service_with_connect_info::<SocketAddr>();
        let listening = Arc::clone(&site);
        let thread = thread::Builder::new().name("web".to_owned()).spawn(move || {
            runtime.block_on(async {
                let told = stopped.clone();
                tokio::spawn(hub::listen(listening));
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
        Ok(Server { address, site, stop, thread })
    }

    /// Another has written, perhaps: who waits for changes hears of them.
    pub fn look(&self) {
        self.site.hub.look();
    }

    /// Takes no more requests, and answers those that are there, unless they take long.
    pub fn stop(self) {
        self.site.hub.stop();
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
        .route("/style.css", get(pages::file))
        .route("/script.js", get(pages::file))
        .route("/icon.svg", get(pages::file))
        .route("/help/{topic}", get(pages::help))
        .route("/games/{game}", get(lists::game))
        .route("/games/{game}/finished", get(lists::game_over))
        .route("/games/{game}/standings", get(lists::standings))
        .route("/games/{game}/challenge", get(challenge::form).post(challenge::challenge))
        .route("/players/{userid}", get(lists::player))
        .route("/players/{userid}/finished", get(lists::player_over))
        .route("/me", get(lists::mine))
        .route("/boards/{number}", get(board::now).post(play::act))
        .route("/boards/{number}/{ply}", get(board::then))
        .route("/boards/{number}/{ply}/{*line}", get(board::tried))
        .route("/boards/{number}/board.svg", get(board::svg))
        .route("/boards/{number}/board.png", get(board::png))
        .route("/boards/{number}/record.json", get(board::record))
        .route("/login", get(login::form).post(login::log_in))
        .route("/login/{token}", get(login::link).post(login::by_link))
        .route("/logout", post(login::log_out))
        .route("/signup", get(login::signup_form).post(login::sign_up))
        .route("/confirm/{userid}/{code}", get(login::confirm_form).post(login::confirm))
        .route("/settings", get(settings::form).post(settings::change))
        .route("/command", get(command_line::form).post(command_line::run))
        .route("/boards/{number}/events", get(events::board))
        .nest("/api/v1", api::router())
        .route("/api/v1/", any(api::nowhere))
        .route("/unsubscribe/{token}", get(unsubscribe::ask).post(unsubscribe::stop))
        .fallback(pages::nowhere)
        .layer(DefaultBodyLimit::max(body::MAX_BODY))
        .layer(middleware::from_fn(body::read_whole))
        .layer(middleware::from_fn_with_state(site.clone(), client::log))
        .with_state(site)
}

/// Makes the page of a visit, on a thread where it may wait for the database.
async fn at_desk(
    site: Arc<Site>,
    visitor: Visitor,
    make: impl FnOnce(&mut Visit<'_>) -> anyhow::Result<Page> + Send + 'static,
) -> Response {
    let work = move |site: &Site, store: &mut dyn Store| make(&mut Visit::open(site, store, visitor)?);
    match with_store(site, work).await {
        Ok(page) => page.into_response(),
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "a page failed");
            (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong here; try again later.\n").into_response()
        }
    }
}

/// The same with a form: nothing is done with one that is not of the session it comes with.
async fn at_desk_with(
    site: Arc<Site>,
    posted: Posted,
    make: impl FnOnce(&mut Visit<'_>, Fields) -> anyhow::Result<Page> + Send + 'static,
) -> Response {
    let Posted { visitor, fields } = posted;
    at_desk(site, visitor, move |visit| {
        if visit.player.is_some() && !visit.is_ours(&fields) {
            let message = "This form is of an earlier session, and nothing was done; go back, load its page again, and \
                           send it once more.";
            return visit.no(StatusCode::FORBIDDEN, message);
        }
        make(visit, fields)
    })
    .await
}

/// A page that is finished, or a file.
struct Page {
    status: StatusCode,
    kind: &'static str,
    body: Vec<u8>,
    more: Vec<(&'static str, String)>,
}

impl Page {
    fn html(status: StatusCode, html: String) -> Page {
        Page { status, kind: "text/html; charset=utf-8", body: html.into_bytes(), more: Vec::new() }
    }

    fn file(kind: &'static str, body: impl Into<Vec<u8>>) -> Page {
        Page { status: StatusCode::OK, kind, body: body.into(), more: Vec::new() }
    }

    /// Another page of ours, to be got.
    fn redirect(path: &str) -> Page {
        Page { status: StatusCode::SEE_OTHER, ..Page::file("text/plain", "") }.with("Location", path.to_owned())
    }

    fn with(mut self, header: &'static str, value: String) -> Page {
        self.more.push((header, value));
        self
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let headers = [
            ("Content-Type", self.kind),
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                 form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
            ),
            // Not "no-referrer": a browser would then not say where a form comes from.
            ("Referrer-Policy", "same-origin"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "private, no-cache"),
        ];
        let mut response = (self.status, headers, self.body).into_response();
        for (name, value) in self.more {
            // What no header can hold came from a client; it gets a page without it.
            if let Ok(value) = HeaderValue::try_from(value) {
                response.headers_mut().append(name, value);
            }
        }
        response
    }
}
