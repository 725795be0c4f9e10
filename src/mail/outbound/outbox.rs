//! Processes the outbox.
//!
//! Due notices for the same player are bound into one letter before it is composed, so that every attempt sends the
//! same letter. A notice with a code or a link is sent in a separate letter. Notices for an unreachable player are
//! held, and bound once the player is reachable again.
//!
//! A letter is sent to each of its reader's addresses separately, so that a refused address does not affect the others.
//! It is sent at least once, always with the same Message-ID: its notices are marked as sent only after the transport
//! accepted it. On SQLite, the transaction that marks them does not wait for the disk: after a power failure, the
//! letters that were sent last may be sent again. Temporary errors are retried (see [`super::retry_at`]), permanent
//! ones are not. A player without a confirmed address receives no letter; notices are held while every address of a
//! player is paused.
//!
//! Over SMTP, no letter waits for another reader's letter: several threads send, and a slow transfer occupies only one
//! of them. The letters of one reader are sent in order, one at a time. Letters are composed concurrently, over several
//! connections. Sending stops after three consecutive temporary errors, because an unresponsive server delays each
//! letter by half a minute. It also stops while the mail server is paused (see [`super::Relay`]) or the administrator
//! holds all letters.
//!
//! Several nodes can send from one database. A reader's letters are leased to the sending node, from before they are
//! composed until the last result is recorded (see `store::leases`).

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::letter::{PreparedLetter, SendError, SentLetter, reader, work};
use super::prepare::{DeliveryReport, OutboxContext, letters_at_once, out_of_reach, prepare_all};
use super::record::{Recorded, hold, record};
use super::relay::Relay;
use super::transport::Senders;
use crate::service::NoticeKind;
use crate::store::{
    self, Lease, OutboxId, OutboxNotice, PlayerId, Store, Transaction, Work, write_unsynced, write_with_retries,
};
use crate::world::Deadline;

/// How many letters to read from the store in one call.
const BATCH: u32 = 50;
/// Sending stops after this many consecutive temporary errors.
const FAILURES_IN_A_ROW: u32 = 3;
/// How long to wait for the letters in flight when the program stops.
const STOPPING: Duration = Duration::from_secs(2);
/// The maximum number of notices to bind in one call.
const MOST_BOUND: u32 = 5_000;
/// The maximum number of notices in a letter. Each may add a drawing of its board.
const MAX_NOTICES: usize = 40;

/// Sends the due letters, oldest first, and returns how many the transport accepted; `log` receives a report on each
/// notice. One thread composes letters over `store`, and one over each of the `further` connections. Once `stopped`
/// returns true, no further letter is sent, and the letters in flight get a short time to finish; the next call sends
/// the unfinished ones again.
///
/// # Errors
/// Returns errors of the store, or of a thread that cannot be started. A refused letter is not an error here.
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
    OutboxRun { store, further, outbox, log, leased, begun: false, was_last: false, senders, sent: 0, failures: 0 }
        .run(stopped)
}

/// Returns the due letters that no node is sending.
fn due(
    tx: &Transaction<'_>,
    outbox: &OutboxContext<'_>,
    senders: &Senders,
    now: DateTime<Utc>,
) -> store::Result<Vec<Vec<OutboxNotice>>> {
    let mut due = tx.due_letters(now, BATCH, outbox.node)?;
    due.retain(|notices| senders.letters().all(|letter| letter.id() != notices[0].id));
    Ok(due)
}

/// The state of one call of [`process_outbox`].
struct OutboxRun<'a> {
    store: &'a mut dyn Store,
    /// Further connections for composing letters concurrently.
    further: &'a mut [Box<dyn Store>],
    outbox: &'a OutboxContext<'a>,
    log: &'a mut dyn FnMut(&DeliveryReport<'_>),
    /// The leased letters that wait for a sender, each as a list of its notices.
    leased: VecDeque<Vec<OutboxNotice>>,
    /// Whether this call has already leased a batch.
    begun: bool,
    /// Whether the last batch contained all due letters. Letters that become due later wake the worker.
    was_last: bool,
    senders: Senders,
    sent: usize,
    /// Consecutive temporary errors.
    failures: u32,
}

impl OutboxRun<'_> {
    /// Hands letters to the senders and records the results, until no letter is due.
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
            } else if self.failures >= FAILURES_IN_A_ROW || self.is_paused() {
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
                if self.was_last && self.senders.count() == 0 && self.leased.is_empty() {
                    return Ok(self.sent);
                }
            }
        }
    }

    /// Returns whether another batch may be leased.
    fn has_time(&self) -> bool {
        !self.begun || self.outbox.until.is_none_or(|until| until.left().is_some())
    }

    fn is_paused(&self) -> bool {
        self.outbox.transport.relay().is_some_and(|relay| relay.is_paused((self.outbox.world.now)()))
    }

    /// Prepares letters, and hands them to the senders, while senders are free. Records the result of an unsendable
    /// letter before handing over the next letter. If recording fails, only the few letters in flight must be sent
    /// again.
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
                    Ok(None) => hold(self.store, &notices, self.outbox)?,
                    Err(error) => {
                        self.record(&[(PreparedLetter::without_recipients(notices).into(), vec![Err(error)])])?;
                    }
                }
            }
        }
    }

    /// Takes at most `most` letters, one for each reader to whom no other letter is being sent.
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

    /// Binds notices, and leases the due letters.
    fn lease(&mut self) -> store::Result<()> {
        let OutboxRun { store, outbox, senders, .. } = self;
        let now = (outbox.world.now)();
        let tx = store.glance()?;
        // Most calls find no letter, and must not block other writers.
        tx.read_ahead(|tx| {
            drop((tx.letters_held_at(), tx.loose_notices(now, 1), tx.due_letters(now, BATCH, outbox.node)));
        })?;
        if tx.letters_held_at()?.is_some()
            || tx.loose_notices(now, 1)?.is_empty() && due(&tx, outbox, senders, now)?.is_empty()
        {
            return Ok(());
        }
        drop(tx);
        let (leased, was_last) = write_with_retries(&mut **store, |tx| -> store::Result<_> {
            bundle(tx, now)?;
            let due = due(tx, outbox, senders, now)?;
            let was_last = due.len() < BATCH as usize;
            let Some(node) = outbox.node else { return Ok((due.into(), was_last)) };
            let lease = Lease::of(node, now);
            let works: Vec<Work> = due.iter().map(|notices| work(notices)).collect();
            let taken = tx.take_leases(&works, &lease, now)?;
            Ok((due.into_iter().filter(|notices| taken.contains(&work(notices))).collect::<VecDeque<_>>(), was_last))
        })?;
        (self.leased, self.was_last) = (leased, was_last);
        Ok(())
    }

    /// Releases the leases of letters that wait for a sender.
    fn give_back(&mut self) -> store::Result<()> {
        if self.leased.is_empty() {
            return Ok(());
        }
        let OutboxRun { store, outbox, leased, senders, .. } = self;
        write_with_retries(&mut **store, |tx| -> store::Result<_> {
            for work in leased.iter().map(|notices| work(notices)) {
                if senders.letters().all(|sending| sending.work() != work) {
                    outbox.release(tx, &work)?;
                }
            }
            Ok(())
        })?;
        leased.clear();
        Ok(())
    }

    /// Records the results of letters in one transaction, and logs them. Ignores a failure if another node has taken
    /// over the letter.
    fn record(&mut self, sent: &[SentLetter]) -> anyhow::Result<()> {
        let OutboxRun { store, outbox, leased, senders, .. } = self;
        let write = |tx: &mut Transaction<'_>| -> store::Result<_> {
            let notices = || sent.iter().flat_map(|(letter, _)| &letter.notices);
            tx.read_ahead(|tx| {
                notices().for_each(|notice| drop(tx.causing_mail(notice.id)));
                sent.iter().for_each(|(letter, _)| drop(tx.letter(letter.id())));
            })?;
            let mut causes = notices().map(|notice| tx.causing_mail(notice.id)).collect::<store::Result<Vec<_>>>()?;
            let gone = sent.iter().map(|(letter, _)| Ok(tx.letter(letter.id())?.is_empty()));
            let gone = gone.collect::<store::Result<Vec<bool>>>()?;
            let (mut recorded, mut done) = (Vec::new(), Vec::new());
            for ((letter, results), is_gone) in sent.iter().zip(gone) {
                let causes = causes.drain(..letter.notices.len()).collect();
                if is_gone {
                    tracing::warn!(letter = letter.id().0, "the player of a letter was removed while it was sent");
                    continue;
                }
                let work = letter.work();
                let is_ours = |tx: &Transaction<'_>| outbox.node.map_or(Ok(true), |node| tx.has_lease(&work, node));
                if results.iter().any(Result::is_err) && !is_ours(tx)? {
                    tracing::warn!(
                        letter = letter.id().0,
                        "another node has taken over a letter that could not be sent here"
                    );
                    continue;
                }
                recorded.push((letter, record(tx, outbox, letter, results, causes, &mut done)?));
                let waits = leased.iter().any(|notices| self::work(notices) == work);
                if !waits && senders.letters().all(|sending| sending.work() != work) {
                    outbox.release(tx, &work)?;
                }
            }
            tx.letters_sent(&done, (outbox.world.now)())?;
            Ok(recorded)
        };
        // If a crash of the machine undoes this transaction, the letters are sent again, with the same Message-IDs.
        let all_sent = sent.iter().all(|(_, results)| results.iter().all(Result::is_ok));
        let recorded =
            if all_sent { write_unsynced(&mut **store, write)? } else { write_with_retries(&mut **store, write)? };
        for (letter, recorded) in recorded {
            self.report(letter, &recorded);
        }
        Ok(())
    }

    /// Counts and logs the recorded result of a letter.
    fn report(&mut self, letter: &PreparedLetter, Recorded { result, retry_at, causes }: &Recorded) {
        match result {
            // The letter was not sent to the server, and the log already explains why.
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

/// Binds the due notices into letters.
fn bundle(tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<()> {
    let mut letters: Vec<(Option<PlayerId>, Vec<OutboxId>)> = Vec::new();
    let loose = tx.loose_notices(now, MOST_BOUND)?;
    tx.read_ahead(|tx| {
        for player in loose.iter().filter_map(|notice| notice.player.as_ref()) {
            drop(tx.addresses(player.id));
        }
    })?;
    for notice in loose {
        if notice.address.is_none() && out_of_reach(tx, &notice)? {
            tx.hold(&[notice.id])?;
            tracing::info!(notice = notice.id.0, "held: every address of its reader is paused");
            continue;
        }
        let reader_of_notice = reader_of_notice(tx, &notice)?;
        match letters.iter_mut().find(|(of, ids)| of.is_some() && *of == reader_of_notice && ids.len() < MAX_NOTICES) {
            Some((_, ids)) => ids.push(notice.id),
            None => letters.push((reader_of_notice, vec![notice.id])),
        }
    }
    let mut letters: Vec<Vec<OutboxId>> = letters.into_iter().map(|(_, ids)| ids).collect();
    // The notices of a letter are read in the order of their numbers, and the first one identifies the letter.
    letters.iter_mut().for_each(|ids| ids.sort_by_key(|id| id.0));
    tx.bind_letters(&letters, now)
}

/// Returns the player whose letters may include a notice; `None` if the notice needs a separate letter.
fn reader_of_notice(tx: &Transaction<'_>, notice: &OutboxNotice) -> store::Result<Option<PlayerId>> {
    if NoticeKind::of(notice).is_some_and(NoticeKind::is_sent_alone) {
        return Ok(None);
    }
    let player = notice.player.as_ref().map(|player| player.id);
    let (Some(address), Some(id)) = (&notice.address, player) else { return Ok(player) };
    let known = tx.addresses(id)?;
    let own = known.iter().any(|known| known.confirmed_at.is_some() && known.address.eq_ignore_ascii_case(address));
    Ok(player.filter(|_| own && NoticeKind::of(notice) == Some(NoticeKind::Answer)))
}
