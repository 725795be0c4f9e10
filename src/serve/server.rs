//! The main loops of a server, for its own database and for a read-only copy or replica.

use std::ffi::c_int;
use std::fs::TryLockError;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use chrono::{DateTime, Utc};
use signal_hook::SigId;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::checks::{EVERY_DAY, RunningCheck};
use super::control_socket::{Answer, Question, Waker, wait};
use super::instance::Instance;
use super::monitor::Monitor;
use super::progress::MailStep;
use super::queues::MAX_WAIT;
use super::watchdog::LastCheck;
use super::workers::{Workers, start_web};
use crate::clock::Span;
use crate::config::ConfigError;
use crate::mail::inbound::maildir::Maildir;
use crate::mail::outbound;
use crate::store::StoreError;

/// The number of processed items after which the database is checkpointed without waiting for a pause. A checkpoint
/// erases deleted data and truncates the log, and takes as long as processing several messages.
const MOST_BEFORE_CHECKPOINT: usize = 1_000;
/// The maximum time between a signal to stop and the end of the process.
const STOPPING: Duration = Duration::from_secs(4);

impl Instance {
    /// Processes the queues until SIGTERM or SIGINT. Logs errors and retries.
    ///
    /// # Errors
    /// Another server is running on this data directory, the server cannot be set up, or its database is damaged. The
    /// integrity check runs at the start, and once a day when no work is due.
    pub fn serve(&mut self, log: &dyn LogLevel) -> anyhow::Result<()> {
        let _serving = self.lock_exclusively()?;
        outbound::close_outgoing(&self.data);
        self.check_file()?;
        self.take_over_leases()?;
        for risk in self.store.unsafe_settings()? {
            tracing::warn!(%risk, "the database may lose acknowledged mail");
        }
        self.forget_old()?;
        let mut daily = DailyWork { begun_at: (self.world.now)(), check: None };
        self.read_marker()?;
        // Register the flag before the socket exists, so that a server that can be woken can also be stopped. Register
        // it before the waker, so that the flag is set when the main loop wakes up.
        let stop = Arc::new(AtomicBool::new(false));
        let mut signals = register_for_stop(|signal| signal_hook::flag::register(signal, Arc::clone(&stop)))?;
        let waker = self.waker();
        let socket = waker.bind()?;
        signals.extend(register_for_stop(|signal| signal_hook::low_level::pipe::register(signal, waker.connected()?))?);
        let stopped = stop_in_time(&waker)?;
        self.see_clocks()?;
        let workers = Workers::start(self, &stop)?;
        let mut maildir = self.config.receive.maildir.clone().map(Maildir::new);
        tracing::info!(data = %self.data.display(), address = self.config.address, "serving");
        let mut damage = None;
        while !stop.load(Ordering::Relaxed) && damage.is_none() {
            let failures = self.process_once(maildir.as_mut(), &workers, &stop);
            // After a failure, an immediate retry is likely to fail too.
            let pause = if !failures.is_empty() { MAX_WAIT } else { self.wait_until(self.next_clock) };
            socket.set_read_timeout(Some(pause))?;
            // The loop checks the queues again after a wake-up, a timeout or a signal.
            let idle = !wait(&socket, |question| answer(question, log));
            if (idle || self.since_checkpoint > MOST_BEFORE_CHECKPOINT)
                && let Err(error) = self.checkpoint()
            {
                tracing::error!(%error, "the checkpoint of the database failed; retrying");
            }
            if idle {
                daily.begin_if_due(self);
            }
            damage = failures.into_iter().find(is_damage).or_else(|| daily.damage());
        }
        workers.stop();
        if let Err(error) = self.give_up_leases() {
            tracing::warn!(%error, "cannot release the leases of this node; they will expire");
        }
        // Keep ignoring further signals until the workers have stored every acknowledged message.
        for signal in signals {
            signal_hook::low_level::unregister(signal);
        }
        waker.remove();
        drop(stopped);
        // If the log file was deleted, SQLite still has it open. Copy its committed data to the database file before
        // closing it.
        if damage.as_ref().is_none_or(is_removed_log)
            && let Err(error) = self.store.checkpoint()
        {
            tracing::error!(%error, "cannot copy the log of the database to its file");
        }
        tracing::info!("stopped");
        damage.map_or(Ok(()), Err)
    }

    /// Reads the Maildir, processes due work, and notifies the workers. Logs and returns the errors.
    fn process_once(
        &mut self,
        maildir: Option<&mut Maildir>,
        workers: &Workers,
        stop: &AtomicBool,
    ) -> Vec<anyhow::Error> {
        let taken = maildir.map_or(Ok(()), |maildir| maildir.poll(&mut *self.store, self.world));
        self.progress.tried(MailStep::Storing, taken.is_err(), (self.world.now)());
        // After a signal, stop even if mail keeps arriving.
        let processed = self.process_incoming(&|| workers.notify(), &|| !stop.load(Ordering::Relaxed));
        if !matches!(processed, Ok(1..)) {
            // A worker may have to handle the event that woke the main loop.
            workers.notify();
        }
        let failures: Vec<_> = [taken, processed.map(drop)].into_iter().filter_map(Result::err).collect();
        for error in &failures {
            tracing::error!(error = format!("{error:#}"), "processing the queues failed; retrying");
        }
        failures
    }
}

/// The daily work of a server: erasing old data, and the integrity check, which runs in a separate thread.
struct DailyWork {
    begun_at: DateTime<Utc>,
    check: Option<RunningCheck>,
}

impl DailyWork {
    /// Begins the work if a day has passed since it last began.
    fn begin_if_due(&mut self, instance: &mut Instance) {
        let now = (instance.world.now)();
        if Span::last(EVERY_DAY, now).contains(self.begun_at) {
            return;
        }
        self.begun_at = now;
        if let Err(error) = instance.forget_old() {
            tracing::error!(error = format!("{error:#}"), "cannot erase old data; retrying in a day");
        }
        self.check = instance.begin_check().inspect_err(log_failed_check).ok();
    }

    /// Returns the damage that a finished check has found.
    fn damage(&mut self) -> Option<anyhow::Error> {
        let error = self.check.take_if(|check| check.is_finished())?.result().err()?;
        if is_damage(&error) {
            return Some(error);
        }
        log_failed_check(&error);
        None
    }
}

fn log_failed_check(error: &anyhow::Error) {
    tracing::error!(error = format!("{error:#}"), "cannot check the database; retrying in a day");
}

/// Returns whether the database is unusable: its file or log is damaged, missing or replaced, or a newer program has
/// upgraded it.
fn is_damage(error: &anyhow::Error) -> bool {
    use StoreError::{Damaged, Empty, Foreign, ForeignSchema, LogRemoved, Missing, TooNew};
    matches!(
        error.downcast_ref(),
        Some(Damaged(_) | Empty(_) | Foreign { .. } | ForeignSchema(_) | LogRemoved(_) | Missing(_) | TooNew { .. })
    )
}

fn is_removed_log(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(StoreError::LogRemoved(_)))
}

/// Starts a thread that exits the program some time after SIGTERM or SIGINT, unless the returned sender is dropped
/// first. Exiting loses no data: acknowledged messages are stored, and the next server does the remaining work.
fn stop_in_time(waker: &Waker) -> anyhow::Result<Sender<()>> {
    let (mut signalled, signal) = UnixStream::pair()?;
    register_for_stop(|number| signal_hook::low_level::pipe::register(number, signal.try_clone()?))?;
    let (stopped, waits) = mpsc::channel();
    let waker = waker.clone();
    thread::Builder::new().name("stopping".to_owned()).spawn(move || {
        if signalled.read_exact(&mut [0]).is_ok() && waits.recv_timeout(STOPPING) == Err(RecvTimeoutError::Timeout) {
            waker.remove();
            tracing::error!("exiting although some work hangs; no data are lost");
            process::exit(0);
        }
    })?;
    Ok(stopped)
}

/// Registers an action for each signal that stops the server.
fn register_for_stop(action: impl FnMut(c_int) -> io::Result<SigId>) -> io::Result<Vec<SigId>> {
    [SIGTERM, SIGINT].into_iter().map(action).collect()
}

impl Instance {
    /// Serves the pages, the API, health and metrics until SIGTERM or SIGINT, without processing queues.
    ///
    /// # Errors
    /// No pages are configured, or the server cannot listen on an address.
    pub fn serve_read_only(&self) -> anyhow::Result<()> {
        let (mut signalled, signal) = UnixStream::pair()?;
        register_for_stop(|number| signal_hook::low_level::pipe::register(number, signal.try_clone()?))?;
        signalled.set_read_timeout(Some(MAX_WAIT))?;
        let needs = "turnpost.toml: `serve --read-only` serves the pages, so [web] needs `listen`";
        let web = start_web(self)?.ok_or_else(|| ConfigError::Wrong(needs.to_owned()))?;
        let monitor = Monitor::start(self, LastCheck::default())?;
        tracing::info!(data = %self.data.display(), read_only = true, "serving");
        while signalled.read(&mut [0]).is_err() {
            // Another process may have changed the database.
            web.notify();
        }
        web.stop();
        if let Some(monitor) = monitor {
            monitor.stop();
        }
        tracing::info!("stopped");
        Ok(())
    }
}

/// The log of this process, with an adjustable level.
pub trait LogLevel {
    /// Returns the level, such as `info`, or `info,turnpost::web=debug`.
    fn level(&self) -> String;

    /// Sets the level.
    ///
    /// # Errors
    /// A message if the level is invalid.
    fn set_level(&self, level: &str) -> Result<(), String>;
}

/// Answers a command's question to this server.
pub(crate) fn answer(question: Question, log: &dyn LogLevel) -> Answer {
    if let Question::SetLogLevel(level) = question {
        let old = log.level();
        log.set_level(&level)?;
        tracing::warn!(old, new = level, "the level of the log was changed");
    }
    Ok(log.level())
}

impl Instance {
    /// Sets the log level of the server on this data directory to `new`, unless `new` is `None`. Returns the resulting
    /// level, or `None` if no server is running.
    ///
    /// # Errors
    /// The server does not answer, or rejects the level.
    pub fn log_level(&self, new: Option<String>) -> anyhow::Result<Option<String>> {
        let serving = self.lock_file("serve.lock")?;
        match serving.try_lock_shared() {
            Ok(()) => return Ok(None),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error).context("cannot lock serve.lock"),
        }
        let answer = self.waker().ask(&new.map_or(Question::LogLevel, Question::SetLogLevel))?;
        answer.map(Some).map_err(anyhow::Error::msg)
    }
}
