//! A worker of a server: a thread with a database connection of its own, which can be notified.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use super::instance::Instance;

/// What a worker does until nobody can notify it any more; it begins nothing new once the flag is set.
pub(super) type Work = fn(&mut Instance, &AtomicBool, &Receiver<()>);

/// A worker of a server.
pub(super) struct Worker {
    name: &'static str,
    notify: Sender<()>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts a worker.
    pub(super) fn start(
        name: &'static str,
        work: Work,
        instance: &Instance,
        stop: &Arc<AtomicBool>,
    ) -> anyhow::Result<Worker> {
        let mut instance = instance.another()?;
        let stop = Arc::clone(stop);
        let (notify, notified) = mpsc::channel();
        let thread =
            thread::Builder::new().name(name.to_owned()).spawn(move || work(&mut instance, &stop, &notified))?;
        Ok(Worker { name, notify, thread })
    }

    /// Tells it that something may have changed.
    pub(super) fn notify(&self) {
        // The thread is gone only when it panicked, which `stop` reports.
        let _ = self.notify.send(());
    }

    /// Waits until it has ended.
    pub(super) fn stop(self) {
        drop(self.notify);
        if self.thread.join().is_err() {
            tracing::error!(worker = self.name, "a worker panicked");
        }
    }
}
