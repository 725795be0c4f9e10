//! The worker that sends letters.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::instance::Instance;
use super::queues::MAX_WAIT;

/// How long letters gather after the first is due, so that their commits are shared and turns seldom wait for them.
const GATHER: Duration = Duration::from_millis(20);

/// A thread that processes the outbox, with a database connection of its own, so that no inbound mail waits for a slow
/// mail server. It checks the outbox when it is notified, when a letter is due, and each second.
pub(super) struct LetterWorker {
    notify: Sender<()>,
    thread: JoinHandle<()>,
}

impl LetterWorker {
    /// Starts the worker; it sends no further letter once `stop` is set.
    pub(super) fn start(instance: &Instance, stop: &Arc<AtomicBool>) -> anyhow::Result<LetterWorker> {
        let mut instance = Instance::open(&instance.data, instance.world)?;
        let stop = Arc::clone(stop);
        let (notify, notified) = mpsc::channel();
        let thread =
            thread::Builder::new().name("letters".to_owned()).spawn(move || run(&mut instance, &stop, &notified))?;
        Ok(LetterWorker { notify, thread })
    }

    /// Makes it check the outbox at once.
    pub(super) fn notify(&self) {
        // The thread is gone only when it panicked, which `stop` reports.
        let _ = self.notify.send(());
    }

    /// Waits until it has ended.
    pub(super) fn stop(self) {
        drop(self.notify);
        if self.thread.join().is_err() {
            tracing::error!("sending letters panicked");
        }
    }
}

fn run(instance: &mut Instance, stop: &AtomicBool, notified: &Receiver<()>) {
    loop {
        let sent = instance.process_outbox(&|| stop.load(Ordering::Relaxed));
        if let Err(error) = &sent {
            tracing::error!(error = format!("{error:#}"), "processing the outbox failed; it is tried again");
        }
        let wait = match sent {
            // What is due and was not sent is likely to fail again, or the mail server rests.
            Ok(0) | Err(_) if instance.letter_is_due().unwrap_or(true) => MAX_WAIT,
            Ok(_) | Err(_) => instance.wait_for(|tx| tx.next_due()),
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
