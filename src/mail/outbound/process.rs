//! Processes the outbox.
//!
//! A letter goes to each of its reader's addresses separately, so that one that is refused does not keep it from the
//! others. It is sent at least once, each time with the same Message-ID: its notices are marked as sent only after the
//! transport took it. A temporary error is tried again (see [`super::retry_at`]); a permanent one is not. A player
//! without a confirmed address gets no letter; for one whose every address is paused, notices are held.
//!
//! No letter waits for another reader's: several threads send, and a slow server occupies only one of them. The letters to
//! one reader leave in order, one at a time. A server composes several at once, each over a connection of its own. After
//! three temporary errors in a row nothing more is sent, because a server that does not respond takes its half minute each
//! time; nor while the mail server rests (see [`super::Relay`]) or the administrator lets none leave.
//!
//! Several nodes may send from one database. The letters to a reader are leased to the node that sends them, from before
//! they are composed until what became of the last of them is recorded (see `store::leases`).

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::bundle::bundle;
use super::context::{DeliveryReport, OutboxContext};
use super::parallel::{letters_at_once, prepare_all};
use super::prepared_letter::{PreparedLetter, SentLetter, reader, work};
use super::record::{Recorded, hold, record};
use super::relay::Relay;
use super::send_error::SendError;
use super::senders::Senders;
use crate::store::{self, Lease, OutboxNotice, Store, Transaction, write_beside};
use crate::world::Deadline;

/// How many letters are taken from the store at once.
const BATCH: u32 = 50;
/// After this many temporary errors in a row, nothing more is sent.
const FAILURES_IN_A_ROW: u32 = 3;
/// How long letters that are being sent are waited for when they are to stop.
const STOPPING: Duration = Duration::from_secs(2);

/// Sends what is due, oldest first, and returns how many letters were taken; `log` is given each notice. Letters are
/// composed on a core for each of the `further` connections, and on one more. When `stopped` says so, no further letter is
/// sent, and those that are being sent are waited for shortly; one that is not done then is sent again by the next call.
///
/// # Errors
/// The store's. A letter that was not taken is not an error here.
pub fn process_outbox(
    store: &mut dyn Store,
    further: &mut [Box<dyn Store>],
    outbox: &OutboxContext<'_>,
    stopped: &dyn Fn() -> bool,
    log: &mut dyn FnMut(&DeliveryReport<'_>),
) -> anyhow::Result<usize> {
    outbox.transport.relay().into_iter().for_each(Relay::read);
    let senders = Senders::new(outbox.transport);
    let leased = VecDeque::new();
    OutboxRun { store, further, outbox, log, leased, begun: false, senders, sent: 0, failures: 0 }.run(stopped)
}

/// The letters that are due, and that no node is sending.
fn due(
    tx: &Transaction<'_>,
    outbox: &OutboxContext<'_>,
    senders: &Senders,
    now: DateTime<Utc>,
) -> store::Result<Vec<Vec<OutboxNotice>>> {
    let mut due = tx.due_letters(now, BATCH, Some(outbox.node))?;
    due.retain(|notices| senders.letters().all(|letter| letter.id() != notices[0].id));
    Ok(due)
}

/// The state of one call of [`process_outbox`].
struct OutboxRun<'a> {
    store: &'a mut dyn Store,
    /// Over these, letters are composed beside those that are composed over the first.
    further: &'a mut [Box<dyn Store>],
    outbox: &'a OutboxContext<'a>,
    log: &'a mut dyn FnMut(&DeliveryReport<'_>),
    /// The letters that wait for a sender, as their notices; their readers are leased.
    leased: VecDeque<Vec<OutboxNotice>>,
    /// Whether a batch was leased before.
    begun: bool,
    senders: Senders,
    sent: usize,
    /// Temporary errors in a row.
    failures: u32,
}

impl OutboxRun<'_> {
    /// Gives letters to the senders and records the results, until nothing is due.
    fn run(mut self, stopped: &dyn Fn() -> bool) -> anyhow::Result<usize> {
        let mut stopping = None;
        loop {
            let concurrency = self.outbox.transport.concurrency();
            if stopped() {
                let until = stopping.get_or_insert_with(|| Deadline::after(STOPPING));
                if until.left().is_none() {
                    return Ok(self.sent);
                }
                self.give_back()?;
            } else if self.failures >= FAILURES_IN_A_ROW || self.rests() {
                self.give_back()?;
            } else if self.leased.is_empty() && self.senders.count() < concurrency && self.has_time() {
                self.begun = true;
                self.lease()?;
            }
            self.send(concurrency)?;
            if self.senders.count() == 0 {
                return Ok(self.sent);
            }
            let sent = self.senders.wait();
            if !sent.is_empty() {
                self.record(&sent)?;
            }
        }
    }

    /// Returns whether another batch may be leased.
    fn has_time(&self) -> bool {
        !self.begun || self.outbox.until.is_none_or(|until| until.left().is_some())
    }

    /// Whether the mail server is given nothing now.
    fn rests(&self) -> bool {
        self.outbox.transport.relay().is_some_and(|relay| relay.rests((self.outbox.world.now)()))
    }

    /// Prepares letters while there are senders for them, which send meanwhile those before. What became of one that cannot
    /// be sent is recorded before the next leaves: when that fails, as few letters as can be are on their way, and sent again.
    fn send(&mut self, concurrency: usize) -> anyhow::Result<()> {
        loop {
            let free = concurrency.saturating_sub(self.senders.count());
            let letters = self.take_next(free.min(letters_at_once(self.further)));
            if letters.is_empty() {
                return Ok(());
            }
            let prepared = prepare_all(self.store, self.further, self.outbox, &letters);
            for (notices, prepared) in letters.into_iter().zip(prepared) {
                match prepared {
                    Ok(Some(letter)) => self.senders.send(letter)?,
                    Ok(None) => hold(self.store, &notices, self.outbox.node)?,
                    Err(error) => {
                        self.record(&[(PreparedLetter::without_recipients(notices).into(), vec![Err(error)])])?;
                    }
                }
            }
        }
    }

    /// Takes the next letters, at most so many: one to each reader who is not being sent another.
    fn take_next(&mut self, most: usize) -> Vec<Vec<OutboxNotice>> {
        let (mut taken, mut left) = (Vec::new(), VecDeque::new());
        let mut readers = HashSet::new();
        for notices in self.leased.drain(..) {
            let reader = reader(&notices);
            let waits = self.senders.is_sending_to(reader) || reader.is_some_and(|reader| readers.contains(&reader));
            if taken.len() == most || waits {
                left.push_back(notices);
            } else {
                readers.extend(reader);
                taken.push(notices);
            }
        }
        self.leased = left;
        taken
    }

    /// Bundles notices, and leases the letters that are due.
    fn lease(&mut self) -> store::Result<()> {
        let OutboxRun { store, outbox, senders, .. } = self;
        let now = (outbox.world.now)();
        let tx = store.read()?;
        // Most calls find nothing, and must not make other writers wait.
        if tx.letters_held_at()?.is_some()
            || tx.loose_notices(now, 1)?.is_empty() && due(&tx, outbox, senders, now)?.is_empty()
        {
            return Ok(());
        }
        drop(tx);
        let lease = Lease::of(outbox.node, now);
        let leased = write_beside(&mut **store, |tx| -> store::Result<_> {
            bundle(tx, now)?;
            let mut leased = VecDeque::new();
            for notices in due(tx, outbox, senders, now)? {
                if tx.take_lease(&work(&notices), &lease, now)? {
                    leased.push_back(notices);
                }
            }
            Ok(leased)
        })?;
        self.leased = leased;
        Ok(())
    }

    /// Leaves the letters that wait for a sender to whoever is next.
    fn give_back(&mut self) -> store::Result<()> {
        if self.leased.is_empty() {
            return Ok(());
        }
        let OutboxRun { store, outbox, leased, senders, .. } = self;
        write_beside(&mut **store, |tx| -> store::Result<_> {
            for work in leased.iter().map(|notices| work(notices)) {
                if senders.letters().all(|sending| sending.work() != work) {
                    tx.release_lease(&work, outbox.node)?;
                }
            }
            Ok(())
        })?;
        leased.clear();
        Ok(())
    }

    /// Records what became of letters, in one transaction, and logs it. A failure counts for nothing when another node has
    /// taken the letter over.
    fn record(&mut self, sent: &[SentLetter]) -> anyhow::Result<()> {
        let OutboxRun { store, outbox, leased, senders, .. } = self;
        let any_failed = sent.iter().any(|(_, results)| results.iter().any(Result::is_err));
        let recorded = write_beside(&mut **store, |tx| -> store::Result<_> {
            // A failure may pause an address, and no other node may take over the letter meanwhile.
            if any_failed {
                tx.needs_exclusive()?;
            }
            let mut recorded = Vec::new();
            for (letter, results) in sent {
                let work = letter.work();
                if results.iter().any(Result::is_err) && !tx.has_lease(&work, outbox.node)? {
                    tracing::warn!(
                        letter = letter.id().0,
                        "another node has taken over a letter that was not sent here"
                    );
                    continue;
                }
                recorded.push((letter, record(tx, outbox, letter, results)?));
                let waits = leased.iter().any(|notices| self::work(notices) == work);
                if !waits && senders.letters().all(|sending| sending.work() != work) {
                    tx.release_lease(&work, outbox.node)?;
                }
            }
            Ok(recorded)
        })?;
        for (letter, recorded) in recorded {
            self.report(letter, &recorded);
        }
        Ok(())
    }

    /// Counts and logs what was recorded of a letter.
    fn report(&mut self, letter: &PreparedLetter, Recorded { result, retry_at, causes }: &Recorded) {
        match result {
            // Nothing was tried, and the administrator was told why.
            Err(SendError::Unauthorized(_)) => return,
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
