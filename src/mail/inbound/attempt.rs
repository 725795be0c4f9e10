//! One attempt at a mail, within its savepoint.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use chrono::{DateTime, Utc};

use super::context::InboxContext;
use super::order::Order;
use super::pipeline::{CurrentMail, HeaderAuthor, decide, set_aside};
use crate::message;
use crate::service::{Passwords, ServiceError};
use crate::store::{self, InboxId, InboxMail, Transaction, Verdict};

/// How often the processing of a mail may panic before it is set aside.
pub const ATTEMPTS: u32 = 3;

/// A mail that was read outside a transaction: it, or its verdict when not even its headers can be read. An error is a
/// panic.
pub(super) type ReadMail<'a> = thread::Result<Result<CurrentMail<'a>, Verdict>>;

/// A mail that can be decided.
pub(super) struct Eligible<'a> {
    pub(super) id: InboxId,
    pub(super) received_at: DateTime<Utc>,
    pub(super) read: ReadMail<'a>,
    pub(super) order: Order,
    pub(super) passwords: Arc<Passwords>,
    /// Whether it writes only what a turn writes.
    pub(super) is_turn: bool,
}

/// Which mail a pass has left, from what can be done again at any time to what needs another transaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Left {
    /// None that this worker can go on with.
    Nothing,
    /// Mail whose passwords have changed, or that conflicted with another node.
    Again,
    /// Mail that needs an exclusive transaction.
    ForExclusive,
}

/// The outcome of one mail within its savepoint.
pub(super) enum Outcome {
    Closed(Verdict),
    /// It waits, for this reason.
    Waits(Left),
}

/// Decides a mail and closes it, unless that panics, or reading it did.
pub(super) fn attempt(
    tx: &mut Transaction<'_>,
    inbox: &InboxContext<'_>,
    mail: &Eligible<'_>,
) -> thread::Result<Result<Verdict, ServiceError>> {
    match &mail.read {
        Ok(read) => catch_unwind(AssertUnwindSafe(|| close(tx, inbox, mail, read))),
        Err(_) => Err(Box::new(())),
    }
}

/// Decides a mail and closes it.
fn close(
    tx: &mut Transaction<'_>,
    inbox: &InboxContext<'_>,
    mail: &Eligible<'_>,
    read: &Result<CurrentMail<'_>, Verdict>,
) -> Result<Verdict, ServiceError> {
    tx.begin_mail(mail.id)?;
    let verdict = match read {
        Ok(read) => decide(tx, read, &mail.passwords)?,
        Err(verdict) => verdict.clone(),
    };
    tx.close_mail(mail.id, &verdict, inbox.now)?;
    Ok(verdict)
}

/// Counts an attempt that panicked, and sets the mail aside after too many.
pub(super) fn panicked(tx: &mut Transaction<'_>, inbox: &InboxContext<'_>, mail: &InboxMail) -> store::Result<Outcome> {
    let attempts = tx.count_attempt(mail.id)?;
    // The panic's message may quote the mail, and with it a password.
    tracing::error!(mail = mail.id.0, attempts, "processing a mail panicked; it changed nothing");
    if attempts < ATTEMPTS {
        return Ok(Outcome::Waits(Left::Nothing));
    }
    let author = HeaderAuthor::of(&mail.raw, inbox.server_address);
    let reason = message!("verdict.poison", attempts = ATTEMPTS);
    Ok(Outcome::Closed(set_aside(tx, inbox, mail.id, author.as_ref(), &reason)?))
}
