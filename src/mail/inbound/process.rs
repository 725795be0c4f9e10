//! Processes the inbox.
//!
//! A pass considers the waiting messages, oldest first. In a read transaction, it prepares each message: it determines
//! which passwords must be hashed, and which boards the message is about. A message is eligible when its passwords have
//! been hashed and no earlier message of its sender or about its boards waits (`waiting`). One write transaction
//! processes all eligible messages of a pass. Each message has a savepoint, which covers its changes, the answers to it
//! and its verdict: they are written completely or not at all, and undoing the changes of one message does not affect
//! the others.
//!
//! The state that a worker holds between passes only saves work. Losing it at any time is harmless, because the
//! database determines which messages wait.
//!
//! Several nodes may find the same message. The transaction that processes the message is the only writer, and skips
//! messages that already have a verdict.
//!
//! A message whose processing panics or crashes the process is retried, and quarantined after [`ATTEMPTS`] attempts;
//! its text is retained. If the store fails while a message is processed, the message is retried without limit.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::InboxContext;
use super::attempt::{ATTEMPTS, Eligible, Outcome, ReadMail, attempt, panicked, quarantine_after, read_ahead};
use super::pipeline::{HeaderAuthor, Preparation, prepare, read_mail};
use super::waiting::{Hashers, Held, InProgressMarker, MailBoards, Order, Wake};
use crate::service::{ServiceError, administration};
use crate::store::{self, InboxId, InboxMail, Store, StoreError, Transaction, Verdict};

/// The maximum number of messages in one transaction, which blocks other writers; each may be a megabyte.
const BATCH: usize = 32;
/// How many waiting messages to list in one query.
const IDS: u32 = 1_000;
/// The maximum number of times that one call of [`InboxWorker::process`] prepares the messages. It prepares them again
/// if a password has changed in the meantime.
const PREPARED: u32 = 4;
/// How long to postpone a message if the store failed while the message was processed.
const RETRY: TimeDelta = TimeDelta::minutes(1);

/// A processed message, for the log.
#[derive(Clone, Debug)]
pub struct ProcessedMail {
    /// The number of the message.
    pub id: InboxId,
    /// The result for the log and the administrator.
    pub verdict: Verdict,
    /// The time of arrival.
    pub received_at: DateTime<Utc>,
}

/// The worker that processes the inbox.
pub struct InboxWorker {
    /// The sender and the boards of each waiting message that this worker has prepared.
    known: HashMap<InboxId, Order>,
    /// The threads that hash passwords. If `None`, the thread that processes messages also hashes passwords.
    hashers: Option<Hashers>,
    /// Postponed messages, and the period for which each is postponed. Setting the clock back also ends this period.
    later: HashMap<InboxId, Range<DateTime<Utc>>>,
    marker: Option<InProgressMarker>,
}

/// The result of processing a batch.
struct Pass {
    closed: Vec<ProcessedMail>,
    /// Whether a message must be prepared again.
    stale: bool,
}

impl InboxWorker {
    /// Creates a worker; it calls `wake` when the passwords of a waiting message have been hashed.
    pub fn new(wake: Wake) -> InboxWorker {
        InboxWorker { hashers: Some(Hashers::new(wake)), ..InboxWorker::without_threads() }
    }

    /// Creates a worker that hashes passwords in the thread that processes the message.
    pub fn without_threads() -> InboxWorker {
        InboxWorker { known: HashMap::new(), hashers: None, later: HashMap::new(), marker: None }
    }

    /// Sets the file to which this worker writes the number of the message in progress.
    pub fn mark_with(&mut self, marker: InProgressMarker) {
        self.marker = Some(marker);
    }

    /// Returns whether any waiting message is new to this worker: neither prepared nor postponed.
    ///
    /// # Errors
    /// Returns errors of the store.
    pub fn is_due(&mut self, store: &mut dyn Store) -> store::Result<bool> {
        let (tx, mut last) = (store.glance()?, InboxId(0));
        loop {
            let waiting = tx.waiting_after(last, IDS)?;
            if waiting.iter().any(|mail| !self.known.contains_key(mail)) {
                return Ok(true);
            }
            match waiting.last() {
                Some(id) => last = *id,
                None => return Ok(false),
            }
        }
    }

    /// Waits until a thread has hashed further passwords. Returns false if none has within this time, or if no
    /// passwords are being hashed.
    pub fn wait(&mut self, most: Duration) -> bool {
        self.hashers.as_mut().is_some_and(|hashers| hashers.wait(most))
    }

    /// Processes one batch of waiting messages, oldest first, in one transaction, and returns how many received a
    /// verdict; `log` receives each of them after the commit. A message whose processing panicked changes nothing. It
    /// waits for the next call and is not counted, unless it is quarantined.
    ///
    /// # Errors
    /// Returns errors of the store. The transaction is then rolled back, and its messages wait.
    pub fn process(
        &mut self,
        store: &mut dyn Store,
        inbox: &InboxContext<'_>,
        log: &mut dyn FnMut(&ProcessedMail),
    ) -> store::Result<usize> {
        self.later.retain(|_, time| time.contains(&inbox.now));
        let mut count = 0;
        for _ in 0..PREPARED {
            let batch = self.eligible(store, inbox)?;
            if batch.is_empty() {
                break;
            }
            let Pass { closed, stale } = store::write_with_retries(store, |tx| self.decide_all(tx, inbox, &batch))?;
            closed.iter().for_each(&mut *log);
            count += closed.len();
            // Prepare the messages again only if no message was processed and one was stale. Otherwise, the next call
            // processes the stale message.
            if !(stale && closed.is_empty()) {
                break;
            }
        }
        Ok(count)
    }

    /// Finds the oldest waiting messages that can be processed, and starts hashing the passwords of others. Finds none
    /// during maintenance.
    fn eligible<'a>(&mut self, store: &mut dyn Store, inbox: &InboxContext<'a>) -> store::Result<Vec<Eligible<'a>>> {
        self.hashers.iter_mut().for_each(Hashers::collect);
        // The transaction that processes these messages checks them again.
        let tx = store.glance()?;
        tx.read_ahead(|tx| drop((administration::maintenance(tx), tx.waiting_after(InboxId(0), IDS))))?;
        if administration::maintenance(&tx)?.is_some() {
            return Ok(Vec::new());
        }
        let (mut batch, mut held, mut waiting) = (Vec::new(), Held::default(), HashSet::new());
        let mut last = InboxId(0);
        while batch.len() < BATCH {
            let ids = tx.waiting_after(last, IDS)?;
            let new: Vec<InboxId> = ids.iter().copied().filter(|mail| !self.known.contains_key(mail)).collect();
            let (mut new, mut mails) = (new.chunks(BATCH), Vec::new().into_iter().peekable());
            for id in &ids {
                if batch.len() == BATCH {
                    break;
                }
                last = *id;
                waiting.insert(*id);
                let is_new = !self.known.contains_key(id);
                if is_new
                    && mails.peek().is_none()
                    && let Some(next) = new.next()
                {
                    tx.read_ahead(|tx| drop((tx.waiting_mail(next), tx.server_id(), tx.reply_key())))?;
                    mails = tx.waiting_mail(next)?.into_iter().peekable();
                }
                // Another node may have processed some of these messages since they were listed.
                let mail = mails.next_if(|mail| mail.id == *id);
                batch.extend(self.look_at(&tx, inbox, *id, mail, &mut held)?);
            }
            if ids.len() < IDS as usize {
                break;
            }
        }
        let waits = |mail: InboxId| mail > last || waiting.contains(&mail);
        self.known.retain(|mail, _| waits(*mail));
        self.hashers.iter_mut().for_each(|hashers| hashers.retain(waits));
        Ok(batch)
    }

    /// Examines a waiting message: returns it if it is eligible, and otherwise adds it to `held`. `mail` is the stored
    /// message if this worker has not prepared it yet.
    fn look_at<'a>(
        &mut self,
        tx: &Transaction<'_>,
        inbox: &InboxContext<'a>,
        id: InboxId,
        mail: Option<InboxMail>,
        held: &mut Held,
    ) -> store::Result<Option<Eligible<'a>>> {
        let is_broken = self.later.contains_key(&id);
        let is_hashing = self.hashers.as_ref().is_some_and(|hashers| hashers.is_hashing(id));
        if let Some(order) = self.known.get(&id)
            && (is_broken || is_hashing || held.holds(order))
        {
            held.add(order);
            return Ok(None);
        }
        let mail = match mail {
            Some(mail) => mail,
            None => match tx.waiting(id)? {
                Some(mail) => mail,
                None => return Ok(None),
            },
        };
        let (read, prepared) = self.prepare(tx, inbox, &mail, self.known.contains_key(&id));
        let sender = match &read {
            Ok(Ok(mail)) => mail.incoming.sender.as_deref(),
            _ => None,
        };
        let Preparation { checks, boards } = match prepared {
            Ok(prepared) => prepared,
            Err(error @ StoreError::WrongRecord(_)) => {
                let order = Order::new(id, sender, MailBoards::default());
                held.add(&order);
                self.try_later(id, order, inbox.now, &error);
                return Ok(None);
            }
            Err(error) => {
                // Any other error ends the pass. A failed statement may fail again, so its message is also postponed.
                if let StoreError::Failed(_) | StoreError::Disk(_) = error {
                    self.try_later(id, Order::new(id, sender, MailBoards::default()), inbox.now, &error);
                }
                return Err(error);
            }
        };
        let order = Order::new(id, sender, boards);
        let passwords = match &mut self.hashers {
            _ if held.holds(&order) => None,
            Some(hashers) if checks.take_time() => hashers.passwords(id, checks, inbox.service.world),
            _ => Some(Arc::new(checks.make(inbox.service.world))),
        };
        let Some(passwords) = passwords else {
            held.add(&order);
            self.known.insert(id, order);
            return Ok(None);
        };
        Ok(Some(Eligible { id, received_at: mail.received_at, read, order, passwords }))
    }

    /// Reads and prepares a message, possibly for a second time. After a panic, the preparation is empty.
    fn prepare<'a>(
        &self,
        tx: &Transaction<'_>,
        inbox: &InboxContext<'a>,
        mail: &InboxMail,
        again: bool,
    ) -> (ReadMail<'a>, store::Result<Preparation>) {
        // The span adds the message's number to its log lines.
        let _mail = tracing::info_span!("mail", mail = mail.id.0).entered();
        self.marker.iter().for_each(|marker| marker.set(mail.id));
        let prepared = catch_unwind(AssertUnwindSafe(|| {
            let read = read_mail(inbox, mail);
            let preparation =
                read.as_ref().map_or_else(|_| Ok(Preparation::default()), |mail| prepare(tx, mail, again));
            (read, preparation)
        }));
        self.marker.iter().for_each(InProgressMarker::clear);
        match prepared {
            Ok((read, preparation)) => (Ok(read), preparation),
            Err(panic) => (Err(panic), Ok(Preparation::default())),
        }
    }

    /// Discards the hashed passwords of a message, so that it is prepared again: the preparation was incomplete, or a
    /// player's password has changed since.
    fn prepare_again(&mut self, mail: &Eligible<'_>) -> Outcome {
        self.known.insert(mail.id, mail.order.clone());
        self.hashers.iter_mut().for_each(|hashers| hashers.forget(mail.id));
        Outcome::Stale
    }

    /// Postpones a message because the store failed while the message was processed. Messages that must not overtake it
    /// also wait.
    fn try_later(&mut self, mail: InboxId, order: Order, now: DateTime<Utc>, error: &StoreError) {
        tracing::error!(mail = mail.0, %error, "cannot process a message; it is retried later");
        self.known.insert(mail, order);
        self.later.insert(mail, now..now + RETRY);
    }

    /// Processes each message of a batch, unless an earlier message delays it.
    fn decide_all(
        &mut self,
        tx: &mut Transaction<'_>,
        inbox: &InboxContext<'_>,
        batch: &[Eligible<'_>],
    ) -> store::Result<Pass> {
        let (mut pass, mut held) = (Pass { closed: Vec::new(), stale: false }, Held::default());
        for mail in batch {
            if held.holds(&mail.order) {
                held.add(&mail.order);
                continue;
            }
            // The span adds the message's number to its log lines.
            let _mail = tracing::info_span!("mail", mail = mail.id.0).entered();
            self.marker.iter().for_each(|marker| marker.set(mail.id));
            let outcome = match read_ahead(tx, mail).and_then(|()| tx.waiting(mail.id)) {
                Ok(Some(stored)) => self.decide_one(tx, inbox, mail, &stored),
                // Another process has stored the verdict of the message.
                Ok(None) => Ok(Outcome::Waits),
                Err(error) => Err(error),
            };
            // Clear the marker even after an error, which is not a crash.
            self.marker.iter().for_each(InProgressMarker::clear);
            match outcome? {
                Outcome::Closed(verdict) => {
                    pass.closed.push(ProcessedMail { id: mail.id, verdict, received_at: mail.received_at });
                }
                waits => {
                    held.add(&mail.order);
                    pass.stale |= matches!(waits, Outcome::Stale);
                }
            }
        }
        Ok(pass)
    }

    /// Processes one message in its savepoint.
    fn decide_one(
        &mut self,
        tx: &mut Transaction<'_>,
        inbox: &InboxContext<'_>,
        mail: &Eligible<'_>,
        stored: &InboxMail,
    ) -> store::Result<Outcome> {
        tx.set_savepoint()?;
        match attempt(tx, inbox, mail) {
            Ok(Ok(verdict)) => {
                tx.release_savepoint()?;
                Ok(Outcome::Closed(verdict))
            }
            Ok(Err(ServiceError::Stale)) => {
                tx.undo_to_savepoint()?;
                Ok(self.prepare_again(mail))
            }
            Ok(Err(ServiceError::Store(error @ (StoreError::Busy | StoreError::Conflict)))) => Err(error),
            Ok(Err(ServiceError::Store(error))) => {
                // If the disk or the database file is faulty, undoing also fails, and all mail waits.
                tx.undo_to_savepoint()?;
                self.try_later(mail.id, mail.order.clone(), inbox.now, &error);
                Ok(Outcome::Waits)
            }
            Err(_) => {
                tx.undo_to_savepoint()?;
                panicked(tx, inbox, stored)
            }
        }
    }

    /// Counts a crash of the previous process while it processed this message, and quarantines the message after too
    /// many crashes.
    ///
    /// # Errors
    /// Returns errors of the store.
    pub fn count_crash(
        &self,
        store: &mut dyn Store,
        inbox: &InboxContext<'_>,
        mail: InboxId,
    ) -> store::Result<Option<ProcessedMail>> {
        let mut tx = store.write()?;
        let Some(stored) = tx.waiting(mail)? else { return Ok(None) };
        let attempts = tx.count_attempt(mail)?;
        tx.commit()?;
        tracing::error!(mail = mail.0, attempts, "the previous process died while it processed a message");
        if attempts < ATTEMPTS {
            return Ok(None);
        }
        // Reading the author may also crash the program. The next process then omits the author.
        let author = if attempts == ATTEMPTS { HeaderAuthor::of(&stored.raw, inbox.server_address) } else { None };
        let mut tx = store.write()?;
        let verdict = quarantine_after(&mut tx, inbox, mail, author.as_ref())?;
        tx.commit()?;
        Ok(Some(ProcessedMail { id: mail, verdict, received_at: stored.received_at }))
    }
}
