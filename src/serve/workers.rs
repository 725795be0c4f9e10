//! The workers of a server: letters, computer players, web pages, webhooks, LMTP, IMAP, leases, backups and metrics.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::instance::{Instance, data_bytes};
use super::leases::keep_leases;
use super::monitor::Monitor;
use super::progress::WorkQueue;
use super::queues::MAX_WAIT;
use super::robots::play;
use super::watchdog::watch_workers;
use super::worker::Worker;
use crate::backup::{Backup, LastBackup, Schedule, ScheduleResult};
use crate::mail::inbound::{imap, lmtp};
use crate::mail::oauth::AccessTokens;
use crate::mail::outbound::Relay;
use crate::store::{self, Store};
use crate::web::{self, Host};

/// The number of database connections for web pages.
const PAGES: usize = 4;
/// The delay after a notification. Several letters that become due together are then sent with one commit.
const GATHER: Duration = Duration::from_millis(20);
/// The maximum number of cores for composing letters. With more, each core would get too few letters of a batch.
const CORES: usize = 16;
/// The interval between checks whether a backup is due.
const SCHEDULE_INTERVAL: Duration = Duration::from_secs(60);

/// The workers of a server, with separate database connections.
pub(crate) struct Workers {
    lmtp: Option<lmtp::Server>,
    imap: Option<imap::Worker>,
    web: Option<web::Server>,
    webhooks: Option<web::Webhooks>,
    letters: Worker,
    robots: Worker,
    node: Option<Worker>,
    backups: Option<BackupWorker>,
    monitor: Option<Monitor>,
    watch: Worker,
}

impl Workers {
    /// Starts the configured workers.
    pub(crate) fn start(instance: &Instance, stop: &Arc<AtomicBool>) -> anyhow::Result<Workers> {
        let node = keep_leases(instance)?;
        let (watch, last_check) = watch_workers(instance, node.is_some())?;
        Ok(Workers {
            node,
            lmtp: start_lmtp(instance)?,
            imap: start_imap(instance)?,
            web: start_web(instance)?,
            webhooks: start_webhooks(instance)?,
            letters: start_worker("letters", send_letters, instance, stop)?,
            robots: start_worker("robots", play, instance, stop)?,
            backups: BackupWorker::start(instance)?,
            monitor: Monitor::start(instance, last_check)?,
            watch,
        })
    }

    /// Notifies the workers of possible changes.
    pub(crate) fn notify(&self) {
        if let Some(web) = &self.web {
            web.notify();
        }
        if let Some(webhooks) = &self.webhooks {
            webhooks.notify();
        }
        self.letters.notify();
        self.robots.notify();
    }

    /// Stops the workers. Afterwards, every acknowledged message is stored.
    pub(crate) fn stop(self) {
        let Workers { lmtp, imap, web, webhooks, letters, robots, node, backups, monitor, watch } = self;
        watch.stop();
        robots.stop();
        if let Some(web) = web {
            web.stop();
        }
        if let Some(webhooks) = webhooks {
            webhooks.stop();
        }
        if let Some(lmtp) = lmtp {
            lmtp.stop();
        }
        if let Some(imap) = imap {
            imap.stop();
        }
        if let Some(monitor) = monitor {
            monitor.stop();
        }
        if let Some(backups) = backups {
            backups.stop();
        }
        // Stop this worker late, because a slow mail server may delay it.
        letters.stop();
        if let Some(node) = node {
            node.stop();
        }
    }
}

fn start_lmtp(instance: &Instance) -> anyhow::Result<Option<lmtp::Server>> {
    let receive = &instance.config.receive;
    let Some(address) = &receive.lmtp else { return Ok(None) };
    let settings = lmtp::Settings {
        address: instance.config.address.clone(),
        sessions: receive.sessions,
        idle: Duration::from_secs(receive.idle),
        world: instance.world,
        wake: instance.waker().callback(),
    };
    lmtp::Server::start(address, settings, instance.open_store()?).map(Some)
}

fn start_imap(instance: &Instance) -> anyhow::Result<Option<imap::Worker>> {
    let Some(config) = &instance.config.receive.imap else { return Ok(None) };
    let (store, wake) = (instance.open_store()?, instance.waker().callback());
    let (tokens, node) = (AccessTokens::of(&instance.config), instance.node.clone());
    Ok(Some(imap::Worker::start(config.clone(), tokens, store, node, instance.world, wake)?))
}

pub(crate) fn start_web(instance: &Instance) -> anyhow::Result<Option<web::Server>> {
    let Some(address) = instance.config.web.listen else { return Ok(None) };
    let Instance { config, composer, .. } = instance.another()?;
    let mut stores: Vec<Box<dyn Store>> = Vec::new();
    for _ in 0..PAGES {
        stores.push(instance.open_store()?);
    }
    let site = web::Site::new(config, composer, stores, instance.world, Box::new(WebHost::of(instance)));
    web::Server::start(address, site).map(Some)
}

/// Starts the worker for webhooks. It has a separate thread, because the programs that receive webhooks may be slow.
fn start_webhooks(instance: &Instance) -> anyhow::Result<Option<web::Webhooks>> {
    if instance.config.web.listen.is_none() {
        return Ok(None);
    }
    let (store, progress) = (instance.open_store()?, Arc::clone(&instance.progress));
    let recorded = Box::new(move || progress.made(WorkQueue::Webhooks));
    web::Webhooks::start(instance.config.clone(), store, instance.node.clone(), instance.world, recorded).map(Some)
}

/// The function that a worker's thread runs. It returns when the sender of notifications is dropped, and starts nothing
/// new after the flag is set.
pub(crate) type Work = fn(&mut Instance, &AtomicBool, &Receiver<()>);

fn start_worker(name: &'static str, work: Work, instance: &Instance, stop: &Arc<AtomicBool>) -> anyhow::Result<Worker> {
    let (mut instance, stop) = (instance.another()?, Arc::clone(stop));
    Ok(Worker::start(name, move |notified| work(&mut instance, &stop, notified))?)
}

/// Processes the outbox after notifications, when a letter is due, and every second. This runs in a separate thread, so
/// that incoming mail does not wait for a slow mail server. Sends no further letters after `stop` is set.
pub(crate) fn send_letters(instance: &mut Instance, stop: &AtomicBool, notified: &Receiver<()>) {
    if let Err(error) = compose_on_cores(instance) {
        tracing::warn!(%error, "composing letters on fewer cores");
    }
    loop {
        let sent = instance.process_outbox(&|| stop.load(Ordering::Relaxed));
        match &sent {
            // The remaining letters wait for a later time, for example because the mail server does not answer.
            Ok(_) => instance.progress.made(WorkQueue::Letters),
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), "processing the outbox failed; retrying");
            }
        }
        let due = instance.next_letter();
        let is_due = due.as_ref().map_or(true, |due| due.is_some_and(|due| due <= (instance.world.now)()));
        let wait = match sent {
            // If a due letter is still unsent, another attempt would probably fail, or sending is paused.
            Ok(0) | Err(_) if is_due => MAX_WAIT,
            Ok(_) | Err(_) => instance.wait_until(due.ok().flatten()),
        };
        match notified.recv_timeout(wait) {
            Err(RecvTimeoutError::Disconnected) => break,
            Ok(()) => {
                thread::sleep(GATHER);
                while notified.try_recv().is_ok() {}
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Opens connections for composing letters, one for each core but the first.
fn compose_on_cores(instance: &mut Instance) -> store::Result<()> {
    let cores = thread::available_parallelism().map_or(1, usize::from).min(CORES);
    while instance.composing.len() + 1 < cores {
        instance.composing.push(instance.open_store()?);
    }
    Ok(())
}

/// A thread that creates scheduled backups, with a separate database connection.
pub(crate) struct BackupWorker {
    worker: Worker,
    working: Arc<AtomicBool>,
}

impl BackupWorker {
    /// Starts the worker if backups are configured.
    pub(crate) fn start(instance: &Instance) -> anyhow::Result<Option<BackupWorker>> {
        if instance.config.backup.directory.is_none() {
            return Ok(None);
        }
        let mut instance = instance.another()?;
        let working = Arc::new(AtomicBool::new(true));
        let flag = Arc::clone(&working);
        let worker = Worker::start("backups", move |stopped| make_backups(&mut instance, &flag, stopped))?;
        Ok(Some(BackupWorker { worker, working }))
    }

    /// Stops the worker. Waits until it has ended, except during a backup. The next scheduled backup deletes the files
    /// of an unfinished one.
    pub(crate) fn stop(self) {
        if !self.working.load(Ordering::SeqCst) {
            self.worker.stop();
        }
    }
}

fn make_backups(instance: &mut Instance, working: &AtomicBool, stopped: &Receiver<()>) {
    let mut schedule = Schedule::default();
    loop {
        let Instance { data, config, world, store, .. } = &mut *instance;
        match schedule.run(Backup { data, config, world: *world }, &mut **store) {
            Ok(result) => log_backup(result),
            Err(error) => tracing::error!(%error, "cannot check the backup schedule; retrying"),
        }
        working.store(false, Ordering::SeqCst);
        if stopped.recv_timeout(SCHEDULE_INTERVAL) != Err(RecvTimeoutError::Timeout) {
            break;
        }
        working.store(true, Ordering::SeqCst);
    }
}

fn log_backup(ScheduleResult { made, old }: ScheduleResult) {
    match made {
        Some(Ok((file, verified))) => {
            let (boards, entries) = (verified.contents.boards, verified.contents.entries);
            tracing::info!(file = %file.display(), bytes = verified.bytes, boards, entries, "backup created and verified");
            for missing in verified.missing {
                tracing::warn!(file = %missing.display(), "a configured file does not exist, so the backup lacks it");
            }
        }
        Some(Err(error)) => tracing::error!(%error, "the backup failed; retrying"),
        None => {}
    }
    if let Some(age) = old {
        tracing::error!(hours = age.num_hours(), "the last verified backup is old");
    }
}

/// The functions of the server that the web pages use.
pub(crate) struct WebHost {
    data: PathBuf,
    wake: Box<dyn Fn() + Send + Sync>,
    read_only: bool,
}

impl WebHost {
    pub(crate) fn of(instance: &Instance) -> WebHost {
        WebHost { data: instance.data.clone(), wake: instance.waker().callback(), read_only: instance.read_only }
    }
}

impl Host for WebHost {
    fn wake(&self) {
        (self.wake)();
    }

    fn mail_works_again(&self) -> io::Result<()> {
        Relay::forget(&self.data)
    }

    fn last_backup(&self) -> Option<(DateTime<Utc>, PathBuf)> {
        let LastBackup { verified_at, file, .. } = LastBackup::read(&self.data);
        verified_at.zip(file)
    }

    fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn data_bytes(&self) -> u64 {
        data_bytes(&self.data)
    }
}
