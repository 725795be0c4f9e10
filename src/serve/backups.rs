//! The backup worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::instance::Instance;
use crate::backup::{Backup, Looked, Schedule};

/// The interval between checks of the schedule.
const LOOK: Duration = Duration::from_secs(60);

/// A thread that makes scheduled backups, with a separate database connection.
pub(crate) struct BackupWorker {
    stop: Sender<()>,
    working: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl BackupWorker {
    /// Starts the worker if backups are configured.
    pub(crate) fn start(instance: &Instance) -> anyhow::Result<Option<BackupWorker>> {
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

    /// Waits until the worker has ended, except during a backup. The next server deletes the files of an unfinished
    /// backup.
    pub(crate) fn stop(self) {
        drop(self.stop);
        if !self.working.load(Ordering::SeqCst) && self.thread.join().is_err() {
            tracing::error!("the backup worker panicked");
        }
    }
}

fn run(instance: &mut Instance, working: &AtomicBool, stopped: &Receiver<()>) {
    let mut schedule = Schedule::default();
    loop {
        let Instance { data, config, world, store, .. } = &mut *instance;
        match schedule.look(Backup { data, config, world: *world }, store) {
            Ok(looked) => log(looked),
            Err(error) => tracing::error!(%error, "cannot check the backup schedule; retrying"),
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
                tracing::warn!(file = %missing.display(), "a configured file does not exist, so the backup lacks it");
            }
        }
        Some(Err(error)) => tracing::error!(%error, "the backup failed; retrying"),
        None => {}
    }
    if let Some(age) = old {
        tracing::error!(hours = age.num_hours(), "the last proved backup is old");
    }
}
