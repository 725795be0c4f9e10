//! One thread of a server, with the channel that notifies and stops it.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

pub(crate) struct Worker {
    name: &'static str,
    notify: Sender<()>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts a thread for `work`, which must return when the sender of notifications is dropped.
    pub(crate) fn start(name: &'static str, work: impl FnOnce(&Receiver<()>) + Send + 'static) -> io::Result<Worker> {
        let (notify, notified) = mpsc::channel();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(&notified))?;
        Ok(Worker { name, notify, thread })
    }

    /// Notifies the worker of possible changes.
    pub(crate) fn notify(&self) {
        // This fails only after a panic of the thread; `stop` reports it.
        let _ = self.notify.send(());
    }

    /// Stops the worker, and waits until it has ended.
    pub(crate) fn stop(self) {
        drop(self.notify);
        if self.thread.join().is_err() {
            tracing::error!(worker = self.name, "a worker panicked");
        }
    }
}
