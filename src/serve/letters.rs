//! The worker that sends letters.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::instance::Instance;
use super::progress::WorkQueue;
use super::queues::MAX_WAIT;
use crate::store;

/// The delay after the first letter is due, to send several letters with one commit and without delaying turns.
const GATHER: Duration = Duration::from_millis(20);
/// The most cores for composing letters. With more, each core would get too few letters of a batch.
const CORES: usize = 16;

/// Processes the outbox after notifications, when a letter is due, and every second. Incoming mail therefore does not
/// wait for a slow mail server. Sends no further letters after `stop` is set.
pub(crate) fn send_letters(instance: &mut Instance, stop: &AtomicBool, notified: &Receiver<()>) {
    if let Err(error) = compose_on_cores(instance) {
        tracing::warn!(%error, "composing letters on fewer cores");
    }
    loop {
        let sent = instance.process_outbox(&|| stop.load(Ordering::Relaxed));
        match &sent {
            // The remaining letters wait for a later time, for example during a pause of the mail server.
            Ok(_) => instance.progress.made(WorkQueue::Letters),
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), "processing the outbox failed; retrying");
            }
        }
        let wait = match sent {
            // Due letters that were not sent will probably fail again, or the mail server is paused.
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

/// Opens connections for composing letters, one for each core but the first.
fn compose_on_cores(instance: &mut Instance) -> store::Result<()> {
    let cores = thread::available_parallelism().map_or(1, usize::from).min(CORES);
    while instance.composing.len() + 1 < cores {
        instance.composing.push(instance.open_store()?);
    }
    Ok(())
}
