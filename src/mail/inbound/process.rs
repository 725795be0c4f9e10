//! Processes the inbox.
//!
//! A pass looks at the waiting mail, oldest first. It reads each mail and prepares it in a read transaction: which
//! passwords must be hashed, and what the mail is about. A mail is eligible when its passwords are hashed and no earlier
//! mail of its sender or about its boards is held up (`order`). The eligible mail of a pass is decided in one write
//! transaction, so that it shares the commit. Each mail has a savepoint, which covers its changes, the answers to it and
//! its verdict: all of it happens or nothing, and no other mail is undone with it.
//!
//! What a worker remembers between passes only spares it work. It can be lost at any time, and it cannot be wrong: the
//! database says which mail waits.
//!
//! # Beside other nodes
//!
//! Where the store lets transactions write concurrently, turns are decided in such a transaction first. It locks the
//! sender of each mail, and the mail. What it leaves is decided in an exclusive transaction, which sees whatever other
//! nodes have committed: a mail is refused for the state after those before it.
//!
//! A mail whose processing panics is tried again, and set aside as poison after
//! [`ATTEMPTS`](super::attempt::ATTEMPTS) attempts; its text is kept.
//! A mail on which the store fails is tried again later, for as long as it takes.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::attempt::{Eligible, Left, Outcome, ReadMail, attempt, panicked};
use super::context::InboxContext;
use super::crash_mark::CrashMark;
use super::hashers::{Hashers, Wake};
use super::order::{Held, MailBoards, Order};
use super::pipeline::{HeaderAuthor, Preparation, prepare, read_mail, set_aside};
use crate::message;
use crate::service::ServiceError;
use crate::store::{self, InboxId, InboxMail, Store, StoreError, Transaction, Verdict, VerdictKind};

/// The most mails of one transaction, during which other writers wait; each may be a megabyte.
const BATCH: usize = 32;
/// How many waiting mails are listed at a time.
const IDS: u32 = 1_000;
/// When a mail on which the store failed is tried again.
const RETRY: TimeDelta = TimeDelta::minutes(1);

/// A mail that has been processed, for the log.
#[derive(Clone, Debug)]
pub struct ProcessedMail {
    /// The mail's number.
    pub id: InboxId,
    /// What became of it.
    pub verdict: Verdict,
    /// When it came.
    pub received_at: DateTime<Utc>,
}

/// What processes the inbox.
pub struct InboxWorker {
    /// The order of mail that waits for something.
    known: HashMap<InboxId, Order>,
    /// The threads that hash; `None`: the thread that processes the mail does.
    hashers: Option<Hashers>,
    /// Postponed mail, and the time during which it is not tried. Setting the clock back ends it, too.
    later: HashMap<InboxId, Range<DateTime<Utc>>>,
    mark: Option<CrashMark>,
}

/// The result of deciding a batch.
struct Pass {
    closed: Vec<ProcessedMail>,
    left: Left,
}

impl InboxWorker {
    /// `wake` is called when a mail that waited can go on.
    pub fn new(wake: Wake) -> InboxWorker {
        InboxWorker { hashers: Some(Hashers::new(wake)), ..InboxWorker::without_threads() }
    }

    /// A worker that hashes passwords itself, in the thread that processes the mail.
    pub fn without_threads() -> InboxWorker {
        InboxWorker { known: HashMap::new(), hashers: None, later: HashMap::new(), mark: None }
    }

    /// Marks each mail while it is processed.
    pub fn mark_in(&mut self, mark: CrashMark) {
        self.mark = Some(mark);
    }

    /// Postpones a mail, and with it later mail of its sender.
    pub fn postpone(&mut self, mail: InboxId, sender: Option<&str>, time: Range<DateTime<Utc>>) {
        self.put_off(mail, Order::new(mail, sender, MailBoards::default()), time);
    }

    /// Returns whether a mail waits that this worker has not put off or prepared.
    ///
    /// # Errors
    /// The store's.
    pub fn is_due(&mut self, store: &mut dyn Store) -> store::Result<bool> {
        let (tx, mut last) = (store.read()?, InboxId(0));
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

    /// Waits until further passwords are hashed, but not longer than this. Returns whether they are.
    pub fn wait(&mut self, most: Duration) -> bool {
        self.hashers.as_mut().is_some_and(|hashers| hashers.wait(most))
    }

    /// Processes waiting mail, oldest first, in as few transactions as possible, and returns how many mails were closed;
    /// `log` is given each after the commit. A mail whose processing panicked changes nothing, waits for the next call, and
    /// is not counted.
    ///
    /// # Errors
    /// The store's: nothing was done since the last commit, and the mail waits.
    pub fn process(
        &mut self,
        store: &mut dyn Store,
        inbox: &InboxContext<'_>,
        log: &mut dyn FnMut(&ProcessedMail),
    ) -> store::Result<usize> {
        self.later.retain(|_, time| time.contains(&inbox.now));
        let (mut count, mut exclusive) = (0, !store.shares_writing());
        for attempt in 1..=store::ATTEMPTS {
            let batch = self.eligible(store, inbox)?;
            if batch.is_empty() {
                break;
            }
            exclusive |= attempt == store::ATTEMPTS || !batch.iter().any(|mail| mail.is_turn);
            let Pass { closed, left } = match exclusive {
                true => store::write_alone(store, |tx| self.decide_all(tx, inbox, &batch))?,
                false => self.decide_turns(store, inbox, &batch)?,
            };
            closed.iter().for_each(&mut *log);
            count += closed.len();
            match left {
                Left::ForExclusive if !exclusive => exclusive = true,
                Left::Again if closed.is_empty() => store.wait_after_conflict(),
                // It is called again.
                _ => break,
            }
        }
        Ok(count)
    }

    /// Finds the oldest waiting mail that can be decided, and begins to hash the passwords of other mail.
    fn eligible<'a>(&mut self, store: &mut dyn Store, inbox: &InboxContext<'a>) -> store::Result<Vec<Eligible<'a>>> {
        self.hashers.iter_mut().for_each(Hashers::collect);
        let tx = store.read()?;
        let (mut batch, mut held, mut waiting) = (Vec::new(), Held::default(), HashSet::new());
        let mut last = InboxId(0);
        while batch.len() < BATCH {
            let ids = tx.waiting_after(last, IDS)?;
            let new: Vec<InboxId> = ids.iter().copied().filter(|mail| !self.known.contains_key(mail)).collect();
            let (mut new, mut mails) = (new.chunks(BATCH), VecDeque::new());
            for id in &ids {
                if batch.len() == BATCH {
                    break;
                }
                last = *id;
                waiting.insert(*id);
                let is_new = !self.known.contains_key(id);
                if is_new && mails.is_empty() {
                    mails.extend(tx.waiting_mail(new.next().unwrap_or_default())?);
                }
                let mail = if is_new { mails.pop_front() } else { None };
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

    /// Looks at a waiting mail, which is given if its order is not known: it is eligible, or holds up others.
    fn look_at<'a>(
        &mut self,
        tx: &Transaction<'_>,
        inbox: &InboxContext<'a>,
        id: InboxId,
        mail: Option<InboxMail>,
        held: &mut Held,
    ) -> store::Result<Option<Eligible<'a>>> {
        let is_late = self.later.contains_key(&id);
        let is_hashing = self.hashers.as_ref().is_some_and(|hashers| hashers.is_hashing(id));
        if let Some(order) = self.known.get(&id)
            && (is_late || is_hashing || held.holds(order))
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
        let Preparation { checks, boards, is_turn } = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                // Other errors are not this mail's, and pass.
                if let StoreError::Failed(_) = error {
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
        Ok(Some(Eligible { id, received_at: mail.received_at, read, order, passwords, is_turn }))
    }

    /// Reads and prepares a mail, which may have been prepared before. After a panic there is nothing to prepare.
    fn prepare<'a>(
        &self,
        tx: &Transaction<'_>,
        inbox: &InboxContext<'a>,
        mail: &InboxMail,
        again: bool,
    ) -> (ReadMail<'a>, store::Result<Preparation>) {
        // What is logged of it names it.
        let _mail = tracing::info_span!("mail", mail = mail.id.0).entered();
        self.mark.iter().for_each(|mark| mark.set(mail.id));
        let prepared = catch_unwind(AssertUnwindSafe(|| {
            let read = read_mail(inbox, mail);
            let preparation =
                read.as_ref().map_or_else(|_| Ok(Preparation::default()), |mail| prepare(tx, mail, again));
            (read, preparation)
        }));
        self.mark.iter().for_each(CrashMark::clear);
        match prepared {
            Ok((read, preparation)) => (Ok(read), preparation),
            Err(panic) => (Err(panic), Ok(Preparation::default())),
        }
    }

    /// Leaves a mail of which too little was known, or whose passwords have changed.
    fn prepare_again(&mut self, mail: &Eligible<'_>) -> Left {
        self.known.insert(mail.id, mail.order.clone());
        self.hashers.iter_mut().for_each(|hashers| hashers.forget(mail.id));
        Left::Again
    }

    /// Postpones a mail on which the store failed.
    fn try_later(&mut self, mail: InboxId, order: Order, now: DateTime<Utc>, error: &StoreError) {
        tracing::error!(mail = mail.0, %error, "a mail cannot be processed; it is tried again later");
        self.put_off(mail, order, now..now + RETRY);
    }

    /// Postpones a mail. Mail that must not overtake it waits as well.
    fn put_off(&mut self, mail: InboxId, order: Order, time: Range<DateTime<Utc>>) {
        self.known.insert(mail, order);
        self.later.insert(mail, time);
    }

    /// Decides those mails of a batch that are turns, in a transaction beside those of other nodes.
    fn decide_turns(
        &mut self,
        store: &mut dyn Store,
        inbox: &InboxContext<'_>,
        batch: &[Eligible<'_>],
    ) -> store::Result<Pass> {
        let mut tx = store.write_shared()?;
        let pass = self.decide_batch(&mut tx, batch, |worker, tx, mail| {
            if !mail.is_turn {
                return Ok(Outcome::Waits(Left::ForExclusive));
            }
            if !tx.claim_sender(&mail.order.sender)? {
                return Ok(Outcome::Waits(Left::Nothing));
            }
            worker.decide_turn(tx, inbox, mail)
        })?;
        match tx.commit() {
            Ok(()) => Ok(pass),
            Err(StoreError::Busy | StoreError::Conflict) => Ok(Pass { closed: Vec::new(), left: Left::Again }),
            Err(error) => Err(error),
        }
    }

    /// Decides the mails of a batch in an exclusive transaction.
    fn decide_all(
        &mut self,
        tx: &mut Transaction<'_>,
        inbox: &InboxContext<'_>,
        batch: &[Eligible<'_>],
    ) -> store::Result<Pass> {
        self.decide_batch(tx, batch, |worker, tx, mail| {
            // Another node or program may have been faster, which is known from here on.
            match tx.waiting(mail.id)? {
                Some(stored) => worker.decide_one(tx, inbox, mail, &stored),
                None => Ok(Outcome::Waits(Left::Nothing)),
            }
        })
    }

    /// Decides each mail of a batch that no earlier one holds up.
    fn decide_batch(
        &mut self,
        tx: &mut Transaction<'_>,
        batch: &[Eligible<'_>],
        mut decide: impl FnMut(&mut InboxWorker, &mut Transaction<'_>, &Eligible<'_>) -> store::Result<Outcome>,
    ) -> store::Result<Pass> {
        let (mut pass, mut held) = (Pass { closed: Vec::new(), left: Left::Nothing }, Held::default());
        for mail in batch {
            if held.holds(&mail.order) {
                held.add(&mail.order);
                continue;
            }
            // What is logged of it names it.
            let _mail = tracing::info_span!("mail", mail = mail.id.0).entered();
            self.mark.iter().for_each(|mark| mark.set(mail.id));
            let outcome = decide(self, tx, mail);
            // After an error too: it is no crash.
            self.mark.iter().for_each(CrashMark::clear);
            match outcome? {
                Outcome::Closed(verdict) => {
                    pass.closed.push(ProcessedMail { id: mail.id, verdict, received_at: mail.received_at });
                }
                Outcome::Waits(left) => {
                    held.add(&mail.order);
                    pass.left = pass.left.max(left);
                }
            }
        }
        Ok(pass)
    }

    /// Decides a turn in its savepoint, beside other nodes; leaves it unless it is done.
    fn decide_turn(
        &mut self,
        tx: &mut Transaction<'_>,
        inbox: &InboxContext<'_>,
        mail: &Eligible<'_>,
    ) -> store::Result<Outcome> {
        tx.set_savepoint()?;
        // To process a mail and find out then that another node has done it costs more.
        let decided = match tx.claim_mail(mail.id) {
            Ok(()) => attempt(tx, inbox, mail),
            Err(error) => Ok(Err(ServiceError::Store(error))),
        };
        let left = match decided {
            Ok(Ok(verdict)) if verdict.kind == VerdictKind::Done => {
                tx.release_savepoint()?;
                return Ok(Outcome::Closed(verdict));
            }
            Ok(Err(ServiceError::Store(error @ (StoreError::Unreachable(_) | StoreError::CommitUnknown(_))))) => {
                return Err(error);
            }
            Ok(Err(ServiceError::Stale)) => self.prepare_again(mail),
            Ok(Err(ServiceError::Store(StoreError::Busy | StoreError::Conflict))) => Left::Again,
            // Refused, or failed in whatever way: the exclusive transaction says for good.
            _ => Left::ForExclusive,
        };
        tx.undo_to_savepoint()?;
        Ok(Outcome::Waits(left))
    }

    /// Decides one mail in its savepoint.
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
                Ok(Outcome::Waits(self.prepare_again(mail)))
            }
            Ok(Err(ServiceError::Store(error @ (StoreError::Busy | StoreError::Conflict)))) => Err(error),
            Ok(Err(ServiceError::Store(error))) => {
                // When the disk or the file is at fault, this fails as well, and all mail waits.
                tx.undo_to_savepoint()?;
                self.try_later(mail.id, mail.order.clone(), inbox.now, &error);
                Ok(Outcome::Waits(Left::Nothing))
            }
            Err(_) => {
                tx.undo_to_savepoint()?;
                panicked(tx, inbox, stored)
            }
        }
    }

    /// Processes one waiting mail and undoes it, to see whether it can be processed.
    ///
    /// # Errors
    /// The store's.
    pub fn rehearse(&mut self, store: &mut dyn Store, inbox: &InboxContext<'_>, mail: InboxId) -> store::Result<()> {
        let tx = store.read()?;
        let Some(stored) = tx.waiting(mail)? else { return Ok(()) };
        let (read, prepared) = self.prepare(&tx, inbox, &stored, true);
        drop(tx);
        let Preparation { checks, boards, is_turn } = prepared?;
        let (order, passwords) = (Order::new(mail, None, boards), Arc::new(checks.make(inbox.service.world)));
        let mail = Eligible { id: mail, received_at: stored.received_at, read, order, passwords, is_turn };
        self.decide_one(&mut store.write()?, inbox, &mail, &stored).map(drop)
    }

    /// Sets a mail aside over which a process crashed.
    ///
    /// # Errors
    /// The store's.
    pub fn set_aside_after_crash(
        &self,
        store: &mut dyn Store,
        inbox: &InboxContext<'_>,
        mail: InboxId,
        author: Option<&HeaderAuthor>,
    ) -> store::Result<()> {
        let mut tx = store.write()?;
        set_aside(&mut tx, inbox, mail, author, &message!("verdict.crash"))?;
        tx.commit()
    }
}
