//! The worker that sends letters.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::instance::Instance;
use super::progress::WorkQueue;
use super::queues::MAX_WAIT;
use crate::store;

/// How long letters gather after the first is due, so that their commits are shared and turns seldom wait for them.
const GATHER: Duration = Duration::from_millis(20);
/// The most cores that compose letters: with more, each would have less than one of those that can be sent at a time.
const CORES: usize = 16;

/// Processes the outbox, so that no inbound mail waits for a slow mail server: when it is notified, when a letter is due, and
/// each second. No further letter is sent once `stop` is set.
pub(super) fn send_letters(instance: &mut Instance, stop: &AtomicBool, notified: &Receiver<()>) {
    if let Err(error) = compose_on_cores(instance) {
        tracing::warn!(%error, "letters are composed on fewer cores");
    }
    loop {
        let sent = instance.process_outbox(&|| stop.load(Ordering::Relaxed));
        match &sent {
            // Letters that are still due have to wait, for example while the mail server rests.
            Ok(_) => instance.progress.made(WorkQueue::Letters),
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), "processing the outbox failed; it is tried again");
            }
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

/// Opens a connection for each core but the first, over which letters are composed.
fn compose_on_cores(instance: &mut Instance) -> store::Result<()> {
    let cores = thread::available_parallelism().map_or(1, usize::from).min(CORES);
    while instance.composing.len() + 1 < cores {
        instance.composing.push(instance.open_store()?);
    }
    Ok(())
}
