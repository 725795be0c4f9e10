//! Attempts to process one message within its savepoint, and counts attempts that panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use chrono::{DateTime, Utc};

use super::InboxContext;
use super::pipeline::{CurrentMail, HeaderAuthor, decide, quarantine};
use super::waiting::Order;
use crate::message;
use crate::service::{Passwords, ServiceError, block_of};
use crate::store::{self, InboxId, InboxMail, Transaction, Verdict};

/// After this many panics or crashes, a message is quarantined.
pub const ATTEMPTS: u32 = 3;

/// The maximum number of boards to read ahead for one reply: most replies are about one board of the letter.
const READ_AHEAD: usize = 2;

/// The result of reading a message outside a transaction: the message, or a verdict if its headers are unreadable. The
/// outer `Err` is a panic.
pub(crate) type ReadMail<'a> = thread::Result<Result<CurrentMail<'a>, Verdict>>;

/// A message that can be processed now, because it has been prepared and need not wait for an earlier message.
pub(crate) struct Eligible<'a> {
    pub(crate) id: InboxId,
    pub(crate) received_at: DateTime<Utc>,
    pub(crate) read: ReadMail<'a>,
    pub(crate) order: Order,
    pub(crate) passwords: Arc<Passwords>,
}

/// The outcome of processing one message within its savepoint.
pub(crate) enum Outcome {
    Closed(Verdict),
    Waits,
    /// The message must be prepared again, because a player's password has changed since.
    Stale,
}

/// Processes a message and stores its verdict, unless reading or processing it panics.
pub(crate) fn attempt(
    tx: &mut Transaction<'_>,
    inbox: &InboxContext<'_>,
    mail: &Eligible<'_>,
) -> thread::Result<Result<Verdict, ServiceError>> {
    match &mail.read {
        Ok(read) => catch_unwind(AssertUnwindSafe(|| close(tx, inbox, mail, read))),
        Err(_) => Err(Box::new(())),
    }
}

/// Processes a message and stores its verdict.
fn close(
    tx: &mut Transaction<'_>,
    inbox: &InboxContext<'_>,
    mail: &Eligible<'_>,
    read: &Result<CurrentMail<'_>, Verdict>,
) -> Result<Verdict, ServiceError> {
    tx.begin_mail(mail.id);
    let verdict = match read {
        Ok(read) => decide(tx, read, &mail.passwords)?,
        Err(verdict) => verdict.clone(),
    };
    tx.close_mail(mail.id, &verdict, inbox.now)?;
    Ok(verdict)
}

/// Reads ahead the rows that the processing of any message needs, which takes one round trip on PostgreSQL.
pub(crate) fn read_ahead(tx: &Transaction<'_>, mail: &Eligible<'_>) -> store::Result<()> {
    let Ok(Ok(CurrentMail { incoming, .. })) = &mail.read else { return Ok(()) };
    tx.read_ahead(|tx| {
        drop((tx.waiting(mail.id), tx.mail_seen(&incoming.identity), tx.server_id(), tx.reply_key()));
        if let Some(sender) = &incoming.sender {
            drop((tx.player_by_address(sender), block_of(tx, sender)));
        }
        for board in mail.order.own_boards().iter().copied().take(READ_AHEAD) {
            drop((tx.board(board), tx.open_challenge(board), tx.entries(board), tx.comments(board)));
            drop(tx.followers(board));
        }
    })
}

/// Counts an attempt that panicked, and quarantines the message after too many panics.
pub(crate) fn panicked(tx: &mut Transaction<'_>, inbox: &InboxContext<'_>, mail: &InboxMail) -> store::Result<Outcome> {
    let attempts = tx.count_attempt(mail.id)?;
    // The panic's text is not logged, because it may quote a password from the message.
    tracing::error!(mail = mail.id.0, attempts, "processing a message panicked; nothing was changed");
    if attempts < ATTEMPTS {
        return Ok(Outcome::Waits);
    }
    let author = HeaderAuthor::of(&mail.raw, inbox.server_address);
    Ok(Outcome::Closed(quarantine_after(tx, inbox, mail.id, author.as_ref())?))
}

/// Quarantines a message after too many failed attempts.
pub(crate) fn quarantine_after(
    tx: &mut Transaction<'_>,
    inbox: &InboxContext<'_>,
    mail: InboxId,
    author: Option<&HeaderAuthor>,
) -> store::Result<Verdict> {
    quarantine(tx, inbox, mail, author, &message!("verdict.poison", attempts = ATTEMPTS))
}
