//! The worker that makes backups.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::instance::Instance;
use crate::backup::{Backup, Looked, Schedule};

/// How often the schedule is looked at.
const LOOK: Duration = Duration::from_secs(60);

/// A thread that makes backups on a schedule, with a database connection of its own.
pub(super) struct BackupWorker {
    stop: Sender<()>,
    working: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl BackupWorker {
    /// Starts the worker if backups are configured.
    pub(super) fn start(instance: &Instance) -> anyhow::Result<Option<BackupWorker>> {
        if instance.config.backup.directory.is_none() {
            return Ok(None);
        }
        let mut instance = instance.another()?;
        let (stop, stopped) = mpsc::channel();
        let working = Arc::new(AtomicBool::new(true));
        let flag = Arc::clone(&working);
        let thread =
            thread::Builder::new().name("backups".to_owned()).spawn(move || run(&mut instance, &flag, &stopped))?;
        Ok(Some(BackupWorker { stop, working, thread }))
    }

    /// Waits until it has ended, unless it is making a backup: that is not waited for, and the next server removes what
    /// is left of it.
    pub(super) fn stop(self) {
        drop(self.stop);
        if !self.working.load(Ordering::SeqCst) && self.thread.join().is_err() {
            tracing::error!("making backups panicked");
        }
    }
}

fn run(instance: &mut Instance, working: &AtomicBool, stopped: &Receiver<()>) {
    let mut schedule = Schedule::default();
    loop {
        let Instance { data, config, world, store, .. } = &mut *instance;
        match schedule.look(Backup { data, config, world: *world }, store) {
            Ok(looked) => log(looked),
            Err(error) => tracing::error!(%error, "the schedule of backups cannot be followed; it is tried again"),
        }
        working.store(false, Ordering::SeqCst);
        if stopped.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
        working.store(true, Ordering::SeqCst);
    }
}

fn log(Looked { made, old }: Looked) {
    match made {
        Some(Ok((file, proved))) => {
            let (boards, entries) = (proved.contents.boards, proved.contents.entries);
            tracing::info!(file = %file.display(), bytes = proved.bytes, boards, entries, "backup made and proved");
            for missing in proved.missing {
                tracing::warn!(file = %missing.display(), "the configuration names a file that is not there");
            }
        }
        Some(Err(error)) => tracing::error!(%error, "no backup was made; it is tried again"),
        None => {}
    }
    if let Some(age) = old {
        tracing::error!(hours = age.num_hours(), "the last proved backup is old");
    }
}
