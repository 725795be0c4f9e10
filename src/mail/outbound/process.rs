//! Processes the outbox.
//!
//! A letter goes to each of its reader's addresses separately, so that one that is refused does not keep it from the
//! others. It is sent at least once, each time with the same Message-ID: its notices are marked as sent only after the
//! transport took it. A temporary error is tried again (see [`super::retry_at`]); a permanent one is not. A player
//! without a confirmed address gets no letter; for one whose every address is paused, notices are held.
//!
//! No letter waits for another reader's: several threads send, and a slow server occupies only one of them. The letters
//! to one reader leave in order, one at a time. After three temporary errors in a row nothing more is sent, because a
//! server that does not respond takes its half minute each time.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::bundle::bundle;
use super::context::{DeliveryReport, OutboxContext};
use super::prepare::{PreparedLetter, prepare};
use super::record::{Recorded, SendResult, hold, record};
use super::transport::{SendError, Transport};
use crate::store::{OutboxId, PlayerId, Store};

/// How many letters are taken from the store at once.
const BATCH: u32 = 50;
/// After this many temporary errors in a row, nothing more is sent.
const FAILURES_IN_A_ROW: u32 = 3;
/// While every sender waits for a server: how often new letters and the stop are checked for.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// A letter and the result at each of its recipients.
type SentLetter = (PreparedLetter, Vec<SendResult>);

/// Sends what is due, oldest first, and returns how many letters were taken; `log` is given each notice. It ends early
/// when `stopped` says so, with no letter half sent.
///
/// # Errors
/// The store's. A letter that was not taken is not an error here.
pub fn process_outbox(
    store: &mut dyn Store,
    outbox: &OutboxContext<'_>,
    stopped: &dyn Fn() -> bool,
    log: &mut dyn FnMut(&DeliveryReport<'_>),
) -> anyhow::Result<usize> {
    let transport = outbox.transport;
    let (queue, letters) = mpsc::channel::<PreparedLetter>();
    let (report, reports) = mpsc::channel::<SentLetter>();
    let letters = &Mutex::new(letters);
    thread::scope(|scope| {
        // Dropped with this closure, which ends the senders.
        let queue = queue;
        let start_sender = || {
            let report = report.clone();
            scope.spawn(move || send_letters(transport, letters, &report));
        };
        OutboxRun { store, outbox, log, sent: 0, failures: 0 }.run(stopped, &start_sender, &queue, &reports)
    })
}

/// Sends letters until the queue is dropped.
fn send_letters(transport: &Transport, letters: &Mutex<Receiver<PreparedLetter>>, report: &Sender<SentLetter>) {
    loop {
        let letter = letters.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(letter) = letter else { break };
        let results = send(transport, &letter);
        if report.send((letter, results)).is_err() {
            break;
        }
    }
}

/// Sends a letter to each of its recipients.
fn send(transport: &Transport, letter: &PreparedLetter) -> Vec<SendResult> {
    // The id without the token, which only the reader may see.
    let name = &letter.notices[0].message_id;
    let results = letter.recipients.iter().map(|to| {
        catch_unwind(AssertUnwindSafe(|| transport.send(&letter.mail, &to.envelope_sender, &to.address, name)))
            .unwrap_or_else(|_| Err(SendError::Temporary("sending it panicked".to_owned())))
    });
    results.collect()
}

/// A letter that is being sent.
struct Sending {
    letter: OutboxId,
    /// The player to whom it goes; `None` when it is for one address that is not a player's.
    reader: Option<PlayerId>,
}

/// Takes the next letter whose reader is not being sent another.
fn take_next(prepared: &mut VecDeque<PreparedLetter>, sending: &[Sending]) -> Option<PreparedLetter> {
    let is_free = |letter: &PreparedLetter| {
        let reader = letter.reader();
        reader.is_none() || sending.iter().all(|sending| sending.reader != reader)
    };
    let next = prepared.iter().position(is_free)?;
    prepared.remove(next)
}

/// The state of one call of [`process_outbox`].
struct OutboxRun<'a> {
    store: &'a mut dyn Store,
    outbox: &'a OutboxContext<'a>,
    log: &'a mut dyn FnMut(&DeliveryReport<'_>),
    sent: usize,
    /// Temporary errors in a row.
    failures: u32,
}

impl OutboxRun<'_> {
    /// Gives letters to the senders and records the results, until nothing is due.
    fn run(
        mut self,
        stopped: &dyn Fn() -> bool,
        start_sender: &dyn Fn(),
        queue: &Sender<PreparedLetter>,
        reports: &Receiver<SentLetter>,
    ) -> anyhow::Result<usize> {
        let concurrency = self.outbox.transport.concurrency();
        let (mut prepared, mut sending) = (VecDeque::new(), Vec::new());
        let mut senders = 0;
        loop {
            if stopped() || self.failures >= FAILURES_IN_A_ROW {
                prepared.clear();
            } else if prepared.is_empty() && sending.len() < concurrency {
                prepared = self.prepare(&sending)?;
            }
            while sending.len() < concurrency
                && let Some(letter) = take_next(&mut prepared, &sending)
            {
                sending.push(Sending { letter: letter.id(), reader: letter.reader() });
                if senders < sending.len() {
                    start_sender();
                    senders += 1;
                }
                queue.send(letter)?;
            }
            if sending.is_empty() {
                return Ok(self.sent);
            }
            if let Ok(first) = reports.recv_timeout(CHECK_INTERVAL) {
                // Those that were sent meanwhile share a commit.
                let sent: Vec<SentLetter> = std::iter::once(first).chain(reports.try_iter()).collect();
                sending.retain(|sending| sent.iter().all(|(letter, _)| letter.id() != sending.letter));
                self.record(&sent)?;
            }
        }
    }

    /// Prepares the letters that are due and are not being sent. What became of those that cannot be sent is recorded.
    fn prepare(&mut self, sending: &[Sending]) -> anyhow::Result<VecDeque<PreparedLetter>> {
        let now = (self.outbox.world.now)();
        bundle(self.store, now)?;
        let mut due = self.store.read()?.due_letters(now, BATCH)?;
        due.retain(|notices| {
            notices.first().is_some_and(|leading| sending.iter().all(|sending| sending.letter != leading.id))
        });
        let mut prepared = VecDeque::new();
        for notices in due {
            match prepare(self.store, self.outbox, &notices) {
                Ok(Some(letter)) => prepared.push_back(letter),
                Ok(None) => hold(self.store, &notices)?,
                Err(error) => self.record(&[(PreparedLetter::without_recipients(notices), vec![Err(error)])])?,
            }
        }
        Ok(prepared)
    }

    /// Records what became of letters, in one transaction, and logs it.
    fn record(&mut self, sent: &[SentLetter]) -> anyhow::Result<()> {
        let mut tx = self.store.write()?;
        let mut recorded = Vec::new();
        for (letter, results) in sent {
            recorded.push((letter, record(&mut *tx, self.outbox, letter, results)?));
        }
        tx.commit()?;
        for (letter, recorded) in recorded {
            self.report(letter, &recorded);
        }
        Ok(())
    }

    /// Counts and logs what was recorded of a letter.
    fn report(&mut self, letter: &PreparedLetter, Recorded { result, retry_at }: &Recorded) {
        match result {
            Ok(()) => (self.sent, self.failures) = (self.sent + 1, 0),
            Err(SendError::Temporary(_)) => self.failures += 1,
            Err(SendError::Permanent(_)) => self.failures = 0,
        }
        let to: Vec<String> = letter.recipients.iter().map(|recipient| recipient.address.clone()).collect();
        for notice in &letter.notices {
            (self.log)(&DeliveryReport { notice, to: &to, result: result.clone(), retry_at: *retry_at });
        }
    }
}
