//! A worker of a server: a thread with a separate database connection, which waits for notifications.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use super::instance::Instance;

/// The function of a worker. It returns when the sender is dropped, and starts nothing new after the flag is set.
pub(crate) type Work = fn(&mut Instance, &AtomicBool, &Receiver<()>);

pub(crate) struct Worker {
    name: &'static str,
    notify: Sender<()>,
    thread: JoinHandle<()>,
}

impl Worker {
    pub(crate) fn start(
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

    /// Notifies the worker of possible changes.
    pub(crate) fn notify(&self) {
        // This fails only after a panic of the thread; `stop` reports it.
        let _ = self.notify.send(());
    }

    /// Waits until the worker has ended.
    pub(crate) fn stop(self) {
        drop(self.notify);
        if self.thread.join().is_err() {
            tracing::error!(worker = self.name, "a worker panicked");
        }
    }
}
