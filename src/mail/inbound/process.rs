//! Processes the inbox.
//!
//! Each mail has two transactions. The first counts the attempt, so that a crash in the second counts too; the second
//! holds what the mail changes, the answers to it and its verdict, so that all of it happens or nothing. A mail that
//! failed [`ATTEMPTS`] times is set aside as poison, and the queue goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::context::InboxContext;
use super::pipeline::process_mail;
use crate::message;
use crate::store::{self, InboxId, InboxMail, Store, Verdict, VerdictKind};

/// How often a mail is tried before it is set aside.
pub const ATTEMPTS: u32 = 3;
/// How many mails are taken from the store at once; each may be a megabyte.
const BATCH: u32 = 16;

/// A mail that has been processed, for the log.
#[derive(Clone, Debug)]
pub struct ProcessedMail {
    /// The mail's number.
    pub id: InboxId,
    /// What became of it.
    pub verdict: Verdict,
}

/// Processes waiting mails, oldest first, and returns how many were closed; `log` is given each. A mail whose reading
/// panicked changes nothing, waits for the next call, and is not counted.
///
/// # Errors
/// The store's: processing stops, and the mail waits.
pub fn process_inbox(
    store: &mut dyn Store,
    inbox: &InboxContext<'_>,
    log: &mut dyn FnMut(&ProcessedMail),
) -> anyhow::Result<usize> {
    let waiting = store.read()?.waiting_mail(BATCH)?;
    let mut closed = 0;
    for mail in waiting {
        if let Some(verdict) = attempt(store, inbox, &mail)? {
            closed += 1;
            log(&ProcessedMail { id: mail.id, verdict });
        }
    }
    Ok(closed)
}

/// Counts an attempt and makes it, or sets the mail aside; `None` when reading it panicked.
fn attempt(store: &mut dyn Store, inbox: &InboxContext<'_>, mail: &InboxMail) -> store::Result<Option<Verdict>> {
    let mut tx = store.write()?;
    let attempts = tx.count_attempt(mail.id)?;
    tx.commit()?;
    if attempts > ATTEMPTS {
        let reason = inbox.words(&message!("verdict.poison", attempts = ATTEMPTS));
        let verdict =
            Verdict { kind: VerdictKind::Poison, sender: None, identity: None, commands: String::new(), reason };
        let mut tx = store.write()?;
        tx.close_mail(mail.id, &verdict, inbox.now)?;
        tx.commit()?;
        return Ok(Some(verdict));
    }
    match catch_unwind(AssertUnwindSafe(|| close(store, inbox, mail))) {
        Ok(verdict) => verdict.map(Some),
        Err(_) => {
            // The panic's message may quote the mail, and with it a password.
            tracing::error!(mail = mail.id.0, attempts, "reading a mail panicked; it changed nothing");
            Ok(None)
        }
    }
}

/// Processes a mail and closes it, in one transaction.
fn close(store: &mut dyn Store, inbox: &InboxContext<'_>, mail: &InboxMail) -> store::Result<Verdict> {
    let mut tx = store.write()?;
    tx.begin_mail(mail.id)?;
    let verdict = process_mail(&mut *tx, inbox, mail)?;
    tx.close_mail(mail.id, &verdict, inbox.now)?;
    tx.commit()?;
    Ok(verdict)
}
