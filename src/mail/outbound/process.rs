//! Processes the outbox.
//!
//! A letter goes to each of its reader's addresses separately, so that one that is refused does not keep it from the
//! others. It is sent at least once, each time with the same Message-ID: its notices are marked as sent only after the
//! transport took it. A temporary error is tried again (see [`super::retry_at`]); a permanent one is not. A player
//! without a confirmed address gets no letter; for one whose every address is paused, notices are held.
//!
//! No letter waits for another reader's: several threads send, and a slow server occupies only one of them. The letters
//! to one reader leave in order, one at a time. After three temporary errors in a row nothing more is sent, because a
//! server that does not respond takes its half minute each time; nor while the mail server rests (see [`super::Relay`]) or
//! the administrator lets none leave.

use std::collections::VecDeque;
use std::time::Duration;

use super::bundle::bundle;
use super::context::{DeliveryReport, OutboxContext};
use super::prepare::{PreparedLetter, prepare};
use super::record::{Recorded, hold, record};
use super::relay::Relay;
use super::senders::{Senders, SentLetter};
use crate::store::Store;
use crate::world::Deadline;

/// How many letters are taken from the store at once.
const BATCH: u32 = 50;
/// After this many temporary errors in a row, nothing more is sent.
const FAILURES_IN_A_ROW: u32 = 3;
/// How long letters that are being sent are waited for when they are to stop.
const STOPPING: Duration = Duration::from_secs(2);

/// Sends what is due, oldest first, and returns how many letters were taken; `log` is given each notice. When `stopped` says
/// so, no further letter is sent, and those that are being sent are waited for shortly; one that is not done then is sent
/// again by the next call.
///
/// # Errors
/// The store's. A letter that was not taken is not an error here.
pub fn process_outbox(
    store: &mut dyn Store,
    outbox: &OutboxContext<'_>,
    stopped: &dyn Fn() -> bool,
    log: &mut dyn FnMut(&DeliveryReport<'_>),
) -> anyhow::Result<usize> {
    outbox.transport.relay().into_iter().for_each(Relay::read);
    let senders = Senders::new(outbox.transport);
    OutboxRun { store, outbox, log, senders, sent: 0, failures: 0 }.run(stopped)
}

/// Takes the next letter whose reader is not being sent another.
fn take_next(prepared: &mut VecDeque<PreparedLetter>, senders: &Senders) -> Option<PreparedLetter> {
    let next = prepared.iter().position(|letter| !senders.is_sending_to(letter.reader()))?;
    prepared.remove(next)
}

/// The state of one call of [`process_outbox`].
struct OutboxRun<'a> {
    store: &'a mut dyn Store,
    outbox: &'a OutboxContext<'a>,
    log: &'a mut dyn FnMut(&DeliveryReport<'_>),
    senders: Senders,
    sent: usize,
    /// Temporary errors in a row.
    failures: u32,
}

impl OutboxRun<'_> {
    /// Gives letters to the senders and records the results, until nothing is due.
    fn run(mut self, stopped: &dyn Fn() -> bool) -> anyhow::Result<usize> {
        let mut prepared = VecDeque::new();
        let mut stopping = None;
        loop {
            let concurrency = self.outbox.transport.concurrency();
            if stopped() {
                let until = stopping.get_or_insert_with(|| Deadline::after(STOPPING));
                if until.left().is_none() {
                    return Ok(self.sent);
                }
                prepared.clear();
            } else if self.failures >= FAILURES_IN_A_ROW || self.rests() {
                prepared.clear();
            } else if prepared.is_empty() && self.senders.count() < concurrency {
                prepared = self.prepare()?;
            }
            while self.senders.count() < concurrency
                && let Some(letter) = take_next(&mut prepared, &self.senders)
            {
                self.senders.send(letter)?;
            }
            if self.senders.count() == 0 {
                return Ok(self.sent);
            }
            let sent = self.senders.wait();
            if !sent.is_empty() {
                self.record(&sent)?;
            }
        }
    }

    /// Whether the mail server is given nothing now.
    fn rests(&self) -> bool {
        self.outbox.transport.relay().is_some_and(|relay| relay.rests((self.outbox.world.now)()))
    }

    /// Prepares the letters that are due and are not being sent. What became of those that cannot be sent is recorded.
    fn prepare(&mut self) -> anyhow::Result<VecDeque<PreparedLetter>> {
        let now = (self.outbox.world.now)();
        if self.store.read()?.letters_held_at()?.is_some() {
            return Ok(VecDeque::new());
        }
        bundle(self.store, now)?;
        let mut due = self.store.read()?.due_letters(now, BATCH)?;
        due.retain(|notices| {
            notices.first().is_some_and(|leading| self.senders.letters().all(|letter| letter.id() != leading.id))
        });
        let mut prepared = VecDeque::new();
        for notices in due {
            match prepare(self.store, self.outbox, &notices) {
                Ok(Some(letter)) => prepared.push_back(letter),
                Ok(None) => hold(self.store, &notices)?,
                Err(error) => {
                    self.record(&[(PreparedLetter::without_recipients(notices).into(), vec![Err(error)])])?;
                }
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
    fn report(&mut self, letter: &PreparedLetter, Recorded { result, retry_at, causes }: &Recorded) {
        match result {
            Ok(()) => (self.sent, self.failures) = (self.sent + 1, 0),
            Err(error) if error.is_permanent() => self.failures = 0,
            Err(_) => self.failures += 1,
        }
        let to: Vec<String> = letter.recipients.iter().map(|recipient| recipient.address.clone()).collect();
        for (notice, mail) in letter.notices.iter().zip(causes) {
            (self.log)(&DeliveryReport { notice, mail: *mail, to: &to, result: result.clone(), retry_at: *retry_at });
        }
    }
}
