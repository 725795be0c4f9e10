//! Health and metrics over HTTP on a separate address, for administrators and monitoring systems.
//!
//! - `/health` succeeds if the process answers.
//! - `/ready` succeeds if the database answers, the server is not under maintenance, and no worker is stalled.
//! - `/metrics` returns the metrics in the text format of Prometheus.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use chrono::{DateTime, Utc};
use prometheus::core::Collector;
use prometheus::proto::MetricFamily;
use prometheus::{IntGauge, IntGaugeVec, Opts, TEXT_FORMAT, TextEncoder};
use tokio::sync::watch;
use tokio::time::timeout;

use super::instance::{Instance, data_bytes};
use super::progress::{Standstill, WatchedQueue, WorkQueue};
use super::watchdog::LastCheck;
use crate::backup::LastBackup;
use crate::clock::rfc3339;
use crate::config;
use crate::metrics;
use crate::service::administration;
use crate::store::{self, Counts, Queue, Stop, Store};
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
    last_check: LastCheck,
}

impl Monitor {
    /// Starts the server if it is configured.
    pub(crate) fn start(instance: &Instance, last_check: LastCheck) -> anyhow::Result<Option<Monitor>> {
        let Some(address) = instance.config.metrics.listen else { return Ok(None) };
        let listener = TcpListener::bind(address).with_context(|| format!("cannot listen for metrics on {address}"))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let watched = Arc::new(Watched {
            data: instance.data.clone(),
            backup: instance.config.backup.clone(),
            world: instance.world,
            store: Mutex::new(instance.open_store()?),
            last_check,
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
    // When the runtime shuts down, it drops pending requests.
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

    /// Returns an error with a line for each stalled worker.
    fn stalled(&self) -> Result<(), String> {
        let line = |queue: WorkQueue, Standstill { since, oldest, .. }: Standstill| {
            let (worker, work) = (queue.worker(), queue.work());
            let (since, oldest) = (rfc3339(since), rfc3339(oldest));
            format!("the worker for {worker} has made no progress since {since}: {work} has waited since {oldest}")
        };
        let queues = self.last_check.queues().into_iter();
        let lines: Vec<_> = queues.filter_map(|watched| Some(line(watched.queue, watched.stalled()?))).collect();
        if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
    }
}

/// Reads the counts and the maintenance state from the database. The error says why the database did not answer.
async fn state(watched: &Arc<Watched>) -> Result<(Counts, Option<Stop>), String> {
    let asked = Arc::clone(watched);
    match timeout(PATIENCE, tokio::task::spawn_blocking(move || asked.state())).await {
        Ok(Ok(state)) => state.map_err(|error| error.to_string()),
        Ok(Err(_)) => Err("the database query panicked".to_owned()),
        Err(_) => Err(format!("the database did not answer within {} seconds", PATIENCE.as_secs())),
    }
}

/// `GET /ready`: returns whether the server is working.
async fn ready(State(watched): State<Arc<Watched>>) -> Response {
    let maintained = |stop: Stop| format!("maintenance since {}: {}", rfc3339(stop.from), stop.reason);
    let state = state(&watched).await.and_then(|(_, stop)| stop.map_or(Ok(()), |stop| Err(maintained(stop))));
    match state.and_then(|()| watched.stalled()) {
        Ok(()) => "ready\n".into_response(),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, why + "\n").into_response(),
    }
}

/// `GET /metrics`: returns all metrics. If the database does not answer, omits its metrics.
async fn scrape(State(watched): State<Arc<Watched>>) -> Response {
    let state = state(&watched).await;
    let counts =
        state.map(|(counts, _)| counts).inspect_err(|why| tracing::error!(why, "metrics of the database are missing"));
    let gauges = Gauges::at((watched.world.now)()).process().database(counts.ok());
    let gauges = gauges.workers(&watched.last_check.queues()).data(data_bytes(&watched.data));
    let mut families = gauges.backups(&LastBackup::read(&watched.data), &watched.backup).collected();
    families.extend(metrics::gather());
    match TextEncoder::new().encode_to_string(&families) {
        Ok(text) => ([(CONTENT_TYPE, TEXT_FORMAT)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

/// The gauges collected so far.
pub(crate) struct Gauges {
    families: Vec<MetricFamily>,
    now: DateTime<Utc>,
}

impl Gauges {
    pub(crate) fn at(now: DateTime<Utc>) -> Gauges {
        Gauges { families: Vec::new(), now }
    }

    pub(crate) fn collected(self) -> Vec<MetricFamily> {
        self.families
    }

    fn add(&mut self, name: &str, help: &str, value: i64) {
        let gauge = IntGauge::new(name, help).expect("the name is valid");
        gauge.set(value);
        self.families.extend(gauge.collect());
    }

    fn add_labelled(&mut self, name: &str, help: &str, label: &str, values: &[(String, i64)]) {
        let gauge = IntGaugeVec::new(Opts::new(name, help), &[label]).expect("the name is valid");
        for (of, value) in values {
            gauge.with_label_values(&[of]).set(*value);
        }
        // Prometheus rejects families without values.
        self.families.extend(gauge.collect().into_iter().filter(|_| !values.is_empty()));
    }

    fn add_age(&mut self, name: &str, help: &str, since: Option<DateTime<Utc>>) {
        let age = since.map_or(0, |since| (self.now - since).num_seconds().max(0));
        self.add(name, help, age);
    }

    fn add_queue(&mut self, name: &str, what: &str, Queue { count, oldest }: Queue) {
        self.add(&format!("turnpost_{name}"), &format!("{what}."), count.into());
        let help = format!("Age of the oldest: {what}.");
        self.add_age(&format!("turnpost_{name}_oldest_seconds"), &help, oldest);
    }

    pub(crate) fn process(mut self) -> Gauges {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        self.add_labelled("turnpost_build_info", "The version of turnpost.", "version", &[(version, 1)]);
        if let Some(bytes) = resident_memory() {
            self.add("process_resident_memory_bytes", "Resident memory.", bytes);
        }
        self
    }

    pub(crate) fn workers(mut self, queues: &[WatchedQueue]) -> Gauges {
        let seconds = |standstill: Standstill| (self.now - standstill.since).num_seconds().max(0);
        let value = |watched: &WatchedQueue| watched.stalled().map_or(0, seconds);
        let values: Vec<_> = queues.iter().map(|watched| (watched.queue.worker().to_owned(), value(watched))).collect();
        let help = "Time since a stalled worker's last progress; 0 for other workers.";
        self.add_labelled("turnpost_worker_stalled_seconds", help, "worker", &values);
        self
    }

    /// Adds gauges of the last verified backup and of the backup schedule.
    pub(crate) fn backups(mut self, last: &LastBackup, config: &config::Backup) -> Gauges {
        if last.verified_at.is_some() {
            self.add_age("turnpost_backup_age_seconds", "Age of the last verified backup.", last.verified_at);
        }
        if config.directory.is_some() {
            let every = i64::from(config.every) * 3_600;
            self.add("turnpost_backup_interval_seconds", "Interval between scheduled backups.", every);
        }
        self
    }

    pub(crate) fn data(mut self, bytes: u64) -> Gauges {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.add("turnpost_data_bytes", "Size of all files in the data directory.", bytes);
        self
    }

    /// Adds gauges of the database. `counts` is `None` if the database did not answer.
    pub(crate) fn database(mut self, counts: Option<Counts>) -> Gauges {
        let readable = i64::from(counts.is_some());
        self.add("turnpost_database_readable", "1 if the database answered, otherwise 0.", readable);
        let Some(counts) = counts else { return self };
        let boards: Vec<_> = counts.boards.into_iter().map(|(game, boards)| (game, i64::from(boards))).collect();
        self.add_labelled("turnpost_boards_in_progress", "Boards in progress.", "game", &boards);
        self.add_queue("turns_waiting", "Boards awaiting a move", counts.turns);
        self.add("turnpost_players", "Registered players, without computer players.", counts.players.into());
        self.add("turnpost_open_challenges", "Challenges that anyone can accept.", counts.open_challenges.into());
        self.add_queue("messages_waiting", "Incoming messages to process", counts.messages_waiting);
        self.add_queue("letters_due", "Due letters", counts.letters_due);
        self.add_queue("letters_retried", "Failed letters awaiting a retry", counts.letters_retried);
        self.add("turnpost_letters_given_up", "Letters abandoned after failures.", counts.letters_given_up.into());
        self.add("turnpost_addresses_paused", "Addresses whose letters are paused.", counts.addresses_paused.into());
        self.add("turnpost_messages_quarantined", "Quarantined messages.", counts.messages_quarantined.into());
        let bytes = i64::try_from(counts.database_bytes).unwrap_or(i64::MAX);
        self.add("turnpost_database_bytes", "Size of the database file.", bytes);
        self
    }
}

/// Returns the resident memory of this process in bytes; `None` if the system does not report it.
fn resident_memory() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1_024)
}
