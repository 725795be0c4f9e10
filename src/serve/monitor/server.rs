//! The HTTP server of health and metrics.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus::{TEXT_FORMAT, TextEncoder};
use tokio::sync::watch;
use tokio::time::timeout;

use super::gauges::Gauges;
use super::watch::{LastLook, shown};
use crate::backup::LastBackup;
use crate::config;
use crate::metrics;
use crate::serve::data_size::data_bytes;
use crate::serve::instance::Instance;
use crate::serve::progress::{Standstill, WorkQueue};
use crate::service::administration;
use crate::store::{self, Counts, Stop, Store};
use crate::web::{connections, require_one_host};
use crate::world::World;

/// The timeout for the database.
const PATIENCE: Duration = Duration::from_secs(5);

/// The running HTTP server.
pub(crate) struct Monitor {
    stop: watch::Sender<()>,
    thread: JoinHandle<()>,
}

/// The state that all requests share.
struct Watched {
    data: PathBuf,
    backup: config::Backup,
    world: World,
    store: Mutex<Box<dyn Store>>,
    last_look: LastLook,
}

impl Monitor {
    /// Starts the server if it is configured.
    pub(crate) fn start(instance: &Instance, last_look: LastLook) -> anyhow::Result<Option<Monitor>> {
        let Some(address) = instance.config.metrics.listen else { return Ok(None) };
        let listener = TcpListener::bind(address).with_context(|| format!("cannot listen for metrics on {address}"))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let watched = Arc::new(Watched {
            data: instance.data.clone(),
            backup: instance.config.backup.clone(),
            world: instance.world,
            store: Mutex::new(instance.open_store()?),
            last_look,
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let (stop, stopped) = watch::channel(());
        let thread = thread::Builder::new().name("metrics".to_owned()).spawn(move || {
            if let Err(error) = runtime.block_on(serve(watched, listener, stopped)) {
                tracing::error!(%error, "the metrics server failed");
            }
            // Do not wait for a database that does not answer.
            runtime.shutdown_background();
        })?;
        tracing::info!(%address, "listening for metrics");
        Ok(Some(Monitor { stop, thread }))
    }

    /// Stops the server and drops pending requests.
    pub(crate) fn stop(self) {
        drop(self.stop);
        if self.thread.join().is_err() {
            tracing::error!("the metrics server panicked");
        }
    }
}

async fn serve(watched: Arc<Watched>, listener: TcpListener, stopped: watch::Receiver<()>) -> std::io::Result<()> {
    let routes = Router::new()
        .route("/health", get(async || "healthy\n"))
        .route("/ready", get(ready))
        .route("/metrics", get(scrape))
        .layer(middleware::from_fn(require_one_host))
        .with_state(watched);
    let listener = tokio::net::TcpListener::from_std(listener)?;
    // Pending requests end with the runtime.
    tokio::spawn(connections::serve(listener, routes, stopped.clone()));
    connections::until_closed(stopped).await;
    Ok(())
}

impl Watched {
    fn state(&self) -> store::Result<(Counts, Option<Stop>)> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let tx = store.read()?;
        Ok((administration::counts(&tx, (self.world.now)())?, administration::maintenance(&tx)?))
    }

    /// Fails if workers are stalled; the error has a line for each.
    fn stalled(&self) -> Result<(), String> {
        let line = |queue: WorkQueue, Standstill { since, oldest, .. }: Standstill| {
            let (worker, work) = (queue.worker(), queue.work());
            let (since, oldest) = (shown(since), shown(oldest));
            format!("the worker for {worker} has made no progress since {since}: {work} has waited since {oldest}")
        };
        let queues = self.last_look.queues().into_iter();
        let lines: Vec<_> = queues.filter_map(|watched| Some(line(watched.queue, watched.stalled()?))).collect();
        if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
    }
}

/// Reads the counts and the maintenance from the database; the error explains a missing answer.
async fn state(watched: &Arc<Watched>) -> Result<(Counts, Option<Stop>), String> {
    let asked = Arc::clone(watched);
    match timeout(PATIENCE, tokio::task::spawn_blocking(move || asked.state())).await {
        Ok(Ok(state)) => state.map_err(|error| error.to_string()),
        Ok(Err(_)) => Err("the database query panicked".to_owned()),
        Err(_) => Err(format!("the database did not answer within {} seconds", PATIENCE.as_secs())),
    }
}

/// Answers whether the server is working.
async fn ready(State(watched): State<Arc<Watched>>) -> Response {
    let maintained = |stop: Stop| format!("maintenance since {}: {}", shown(stop.from), stop.reason);
    let state = state(&watched).await.and_then(|(_, stop)| stop.map_or(Ok(()), |stop| Err(maintained(stop))));
    match state.and_then(|()| watched.stalled()) {
        Ok(()) => "ready\n".into_response(),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, why + "\n").into_response(),
    }
}

/// Answers with all metrics, without those of the database if it does not answer.
async fn scrape(State(watched): State<Arc<Watched>>) -> Response {
    let state = state(&watched).await;
    let counts =
        state.map(|(counts, _)| counts).inspect_err(|why| tracing::error!(why, "metrics of the database are missing"));
    let gauges = Gauges::at((watched.world.now)()).process().database(counts.ok());
    let gauges = gauges.workers(&watched.last_look.queues()).data(data_bytes(&watched.data));
    let mut families = gauges.backups(&LastBackup::read(&watched.data), &watched.backup).collected();
    families.extend(metrics::gather());
    match TextEncoder::new().encode_to_string(&families) {
        Ok(text) => ([(CONTENT_TYPE, TEXT_FORMAT)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}
