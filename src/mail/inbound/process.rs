//! Processes the inbox.
//!
//! Waiting mails are processed many in a transaction, so that they share its commit; each has a savepoint of its own. It
//! holds what the mail changes, the answers to it and its verdict, so that all of it happens or nothing, and no other
//! mail is undone with it.
//!
//! # Beside other nodes
//!
//! Where the store lets transactions write side by side, a first pass does what needs nothing else: mails that are done and
//! write only what a turn writes. The rest waits for a second pass, which writes alone and so finds whatever another node
//! was doing committed: a mail is refused for the state after those before it. The mails of one sender are done in
//! their order: one transaction at a time has a sender's, and what is left for the second pass keeps back those after it.
//!
//! A mail whose processing panics is tried again, and set aside as poison after [`ATTEMPTS`] attempts; its text is kept.
//! One that the store fails on is tried again later, for as long as it takes. A password is hashed outside the
//! transaction while its mail is parked.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use chrono::{DateTime, TimeDelta, Utc};

use super::context::InboxContext;
use super::crash_mark::CrashMark;
use super::parked::{Hashing, ParkedMail, Wake};
use super::pipeline::{CurrentMail, HeaderAuthor, decide, read_mail, set_aside};
use super::read::Incoming;
use crate::message;
use crate::service::ServiceError;
use crate::store::{self, InboxId, InboxMail, Store, StoreError, Transaction, Verdict, VerdictKind};

/// How often the processing of a mail may panic before it is set aside.
pub const ATTEMPTS: u32 = 3;
/// The most mails of one transaction, during which other writers wait; each may be a megabyte.
const BATCH: u32 = 32;
/// When a mail that the store failed on is tried again.
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

/// What processes the inbox. One is kept as long as mails arrive: it knows which of them wait for something.
pub struct InboxWorker {
    parked: ParkedMail,
    /// The mails that are tried again later, and when.
    later: HashMap<InboxId, DateTime<Utc>>,
    mark: Option<CrashMark>,
}

/// What the pass beside other nodes did.
struct FirstPass {
    closed: Vec<ProcessedMail>,
    left: Left,
}

/// Which mails the pass beside other nodes has left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Left {
    Nothing,
    /// Some that met with what another node wrote, and may be done in a pass that sees it.
    Conflicts,
    /// Some for the pass that writes alone.
    ForAlone,
}

/// What became of one mail within its savepoint.
enum Fate {
    Closed(Verdict),
    /// It is not closed yet.
    Waits,
}

impl InboxWorker {
    /// `wake` is called when a mail that waited can go on.
    pub fn new(wake: Wake) -> InboxWorker {
        InboxWorker::hashing(Hashing::InThreads(wake))
    }

    /// One that hashes passwords itself, in the thread that processes the mails.
    pub fn without_threads() -> InboxWorker {
        InboxWorker::hashing(Hashing::AtOnce)
    }

    fn hashing(hashing: Hashing) -> InboxWorker {
        InboxWorker { parked: ParkedMail::new(hashing), later: HashMap::new(), mark: None }
    }

    /// Marks each mail while it is processed.
    pub fn mark_in(&mut self, mark: CrashMark) {
        self.mark = Some(mark);
    }

    /// Leaves a mail waiting until then.
    pub fn wait_until(&mut self, mail: InboxId, time: DateTime<Utc>) {
        self.later.insert(mail, time);
    }

    /// Waits until a mail that waited can go on; false when none waits.
    pub fn wait(&mut self) -> bool {
        self.parked.wait()
    }

    /// Processes waiting mails, oldest first, in as few transactions as can be, and returns how many were closed; `log` is
    /// given each after the commit. A mail whose processing panicked changes nothing, waits for the next call, and is not
    /// counted.
    ///
    /// # Errors
    /// The store's: nothing was done, and the mails wait.
    pub fn process(
        &mut self,
        store: &mut dyn Store,
        inbox: &InboxContext<'_>,
        log: &mut dyn FnMut(&ProcessedMail),
    ) -> store::Result<usize> {
        self.later.retain(|_, time| *time > inbox.now);
        // Most calls find nothing, and must not make other writers wait.
        let most = if store.shares_writing() { 1 } else { BATCH };
        let mut batch = store.read()?.waiting_mail(most, &self.not_now())?;
        if batch.is_empty() {
            return Ok(0);
        }
        let mut count = 0;
        for _ in 1..store::ATTEMPTS {
            if !store.shares_writing() {
                break;
            }
            let FirstPass { closed, left } = self.process_beside_others(store, inbox)?;
            closed.iter().for_each(&mut *log);
            count += closed.len();
            match left {
                Left::Nothing => return Ok(count),
                // It is called again.
                Left::Conflicts if count > 0 => return Ok(count),
                Left::Conflicts => store.wait_after_conflict(),
                Left::ForAlone => break,
            }
        }
        if store.shares_writing() {
            // What is left, and was not put off.
            batch = store.read()?.waiting_mail(BATCH, &self.not_now())?;
        }
        // Other writers do not wait for what needs no transaction.
        let mut read: HashMap<InboxId, ReadMail<'_>> =
            batch.iter().map(|mail| (mail.id, self.read_alone(inbox, mail))).collect();
        let closed = store::write_alone(store, |tx| -> store::Result<_> {
            let closed = self.process_batch(tx, inbox, &batch, &mut read);
            // After an error too: it is no crash.
            self.mark.iter().for_each(CrashMark::clear);
            closed
        })?;
        closed.iter().for_each(log);
        Ok(count + closed.len())
    }

    /// Reads a mail outside of a transaction.
    fn read_alone<'a>(&self, inbox: &InboxContext<'a>, mail: &'a InboxMail) -> ReadMail<'a> {
        self.mark.iter().for_each(|mark| mark.set(mail.id));
        let read = read(inbox, mail);
        self.mark.iter().for_each(CrashMark::clear);
        read
    }

    /// The mails that wait for something else than their turn.
    fn not_now(&mut self) -> Vec<InboxId> {
        let mut mails = self.parked.waiting();
        mails.extend(self.later.keys());
        mails.sort_unstable_by_key(|mail| mail.0);
        mails
    }

    /// Processes those of the oldest waiting mails that can be done while other nodes write.
    fn process_beside_others(&mut self, store: &mut dyn Store, inbox: &InboxContext<'_>) -> store::Result<FirstPass> {
        let mut tx = store.write_shared()?;
        let batch = tx.waiting_mail(BATCH, &self.not_now())?;
        let pass = self.process_turns(&mut *tx, inbox, &batch);
        self.mark.iter().for_each(CrashMark::clear);
        let pass = pass?;
        match tx.commit() {
            Ok(()) => Ok(pass),
            Err(StoreError::Busy | StoreError::Conflict) => Ok(FirstPass { closed: Vec::new(), left: Left::Conflicts }),
            Err(error) => Err(error),
        }
    }

    /// Processes mails, each in a savepoint; leaves those that are not done, or that write more than a turn.
    fn process_turns(
        &mut self,
        tx: &mut dyn Transaction,
        inbox: &InboxContext<'_>,
        batch: &[InboxMail],
    ) -> store::Result<FirstPass> {
        let mut pass = FirstPass { closed: Vec::new(), left: Left::Nothing };
        // The senders whose further mails are left: this node's second pass has an earlier one, or another node has.
        let mut left = HashSet::new();
        for mail in batch {
            let _mail = tracing::info_span!("mail", mail = mail.id.0).entered();
            self.mark.iter().for_each(|mark| mark.set(mail.id));
            let read = read(inbox, mail);
            let sender = key_of(mail, &read);
            if left.contains(&sender) || self.parked.waits_behind(mail.id, &sender) {
                continue;
            }
            if !tx.claim_sender(&sender)? {
                left.insert(sender);
                continue;
            }
            tx.set_savepoint()?;
            // To process a mail and find out then that another node has done it costs more.
            let fate = match tx.claim_mail(mail.id) {
                Ok(()) => attempt(tx, inbox, mail, read),
                Err(error) => Ok(Err(ServiceError::Store(error))),
            };
            match fate {
                Ok(Ok(verdict)) if verdict.kind == VerdictKind::Done => {
                    tx.release_savepoint()?;
                    self.parked.processed(mail.id, &sender);
                    pass.closed.push(ProcessedMail { id: mail.id, verdict, received_at: mail.received_at });
                }
                Ok(Err(ServiceError::MissingHash(missing))) => {
                    tx.undo_to_savepoint()?;
                    self.parked.park(mail.id, &sender, missing);
                }
                Ok(Err(ServiceError::Store(error @ (StoreError::Unreachable(_) | StoreError::CommitUnknown(_))))) => {
                    return Err(error);
                }
                other => {
                    tx.undo_to_savepoint()?;
                    left.insert(sender);
                    pass.left = pass.left.max(match other {
                        Ok(Err(ServiceError::Store(StoreError::Busy | StoreError::Conflict))) => Left::Conflicts,
                        // Refused, or failed in whatever way: the second pass says for good.
                        _ => Left::ForAlone,
                    });
                }
            }
        }
        Ok(pass)
    }

    /// Processes mails, each in a savepoint; returns those that were closed. A mail that was not read before is read now.
    fn process_batch<'a>(
        &mut self,
        tx: &mut dyn Transaction,
        inbox: &InboxContext<'a>,
        batch: &'a [InboxMail],
        read_before: &mut HashMap<InboxId, ReadMail<'a>>,
    ) -> store::Result<Vec<ProcessedMail>> {
        let mut closed = Vec::new();
        for mail in batch {
            // Another node or program may have been faster, which is known from here on.
            if tx.waiting(mail.id)?.is_none() {
                continue;
            }
            self.mark.iter().for_each(|mark| mark.set(mail.id));
            let read = read_before.remove(&mail.id).unwrap_or_else(|| read(inbox, mail));
            if let Fate::Closed(verdict) = self.process_one(tx, inbox, mail, read)? {
                closed.push(ProcessedMail { id: mail.id, verdict, received_at: mail.received_at });
            }
        }
        Ok(closed)
    }

    /// Processes one waiting mail and undoes it, to see whether it can be processed.
    ///
    /// # Errors
    /// The store's.
    pub fn rehearse(&mut self, store: &mut dyn Store, inbox: &InboxContext<'_>, mail: InboxId) -> store::Result<()> {
        loop {
            let mut tx = store.write()?;
            let Some(mail) = tx.waiting(mail)? else { return Ok(()) };
            self.process_one(&mut *tx, inbox, &mail, read(inbox, &mail))?;
            drop(tx);
            if !self.parked.wait() {
                return Ok(());
            }
        }
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
        set_aside(&mut *tx, inbox, mail, author, &message!("verdict.crash"))?;
        tx.commit()
    }

    /// Processes one mail in a savepoint.
    fn process_one(
        &mut self,
        tx: &mut dyn Transaction,
        inbox: &InboxContext<'_>,
        mail: &InboxMail,
        read: ReadMail<'_>,
    ) -> store::Result<Fate> {
        // What is logged of it names it.
        let _mail = tracing::info_span!("mail", mail = mail.id.0).entered();
        let sender = key_of(mail, &read);
        if self.parked.waits_behind(mail.id, &sender) {
            return Ok(Fate::Waits);
        }
        tx.set_savepoint()?;
        let fate = match attempt(tx, inbox, mail, read) {
            Ok(Ok(verdict)) => {
                tx.release_savepoint()?;
                Fate::Closed(verdict)
            }
            Ok(Err(ServiceError::MissingHash(missing))) => {
                tx.undo_to_savepoint()?;
                self.parked.park(mail.id, &sender, missing);
                return Ok(Fate::Waits);
            }
            Ok(Err(ServiceError::Store(error @ (StoreError::Busy | StoreError::Conflict)))) => return Err(error),
            Ok(Err(ServiceError::Store(error))) => {
                // When the disk or the file is at fault, this fails as well, and all mails wait.
                tx.undo_to_savepoint()?;
                tracing::error!(mail = mail.id.0, %error, "a mail cannot be processed; it is tried again later");
                self.wait_until(mail.id, inbox.now + RETRY);
                Fate::Waits
            }
            Err(_) => {
                tx.undo_to_savepoint()?;
                panicked(tx, inbox, mail)?
            }
        };
        self.parked.processed(mail.id, &sender);
        Ok(fate)
    }
}

/// What reading a mail came to, or its panic.
type ReadMail<'a> = thread::Result<Result<CurrentMail<'a>, Verdict>>;

/// Reads a mail. What is logged of it names it.
fn read<'a>(inbox: &InboxContext<'a>, mail: &'a InboxMail) -> ReadMail<'a> {
    let _mail = tracing::info_span!("mail", mail = mail.id.0).entered();
    catch_unwind(AssertUnwindSafe(|| read_mail(inbox, mail)))
}

/// The key under which the mails of a sender are kept in order; a mail without a sender has its own.
fn key_of(mail: &InboxMail, read: &ReadMail<'_>) -> String {
    match read {
        Ok(Ok(CurrentMail { incoming: Incoming { sender: Some(sender), .. }, .. })) => sender.to_ascii_lowercase(),
        _ => mail.id.0.to_string(),
    }
}

/// Decides a mail and closes it, unless that panics, or reading it did.
fn attempt(
    tx: &mut dyn Transaction,
    inbox: &InboxContext<'_>,
    mail: &InboxMail,
    read: ReadMail<'_>,
) -> thread::Result<Result<Verdict, ServiceError>> {
    let read = read?;
    catch_unwind(AssertUnwindSafe(|| close(tx, inbox, mail, read)))
}

/// Decides a mail and closes it.
fn close(
    tx: &mut dyn Transaction,
    inbox: &InboxContext<'_>,
    mail: &InboxMail,
    read: Result<CurrentMail<'_>, Verdict>,
) -> Result<Verdict, ServiceError> {
    tx.begin_mail(mail.id)?;
    let verdict = match read {
        Ok(read) => decide(tx, &read)?,
        Err(verdict) => verdict,
    };
    tx.close_mail(mail.id, &verdict, inbox.now)?;
    Ok(verdict)
}

/// Counts an attempt that panicked, and sets the mail aside after too many.
fn panicked(tx: &mut dyn Transaction, inbox: &InboxContext<'_>, mail: &InboxMail) -> store::Result<Fate> {
    let attempts = tx.count_attempt(mail.id)?;
    // The panic's message may quote the mail, and with it a password.
    tracing::error!(mail = mail.id.0, attempts, "processing a mail panicked; it changed nothing");
    if attempts < ATTEMPTS {
        return Ok(Fate::Waits);
    }
    let author = HeaderAuthor::of(&mail.raw, inbox.server_address);
    let reason = message!("verdict.poison", attempts = ATTEMPTS);
    Ok(Fate::Closed(set_aside(tx, inbox, mail.id, author.as_ref(), &reason)?))
}
