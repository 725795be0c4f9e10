//! Incoming messages, and the results of processing them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{
    Cells, Db, FromCells, Numbers, all, cell, from_fields, one, params, run_one, run_some_later, stored_as,
    stored_as_name,
};
use super::{Result, StoreError, Transaction};

/// The number of an inbox row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InboxId(pub i64);

/// The channel through which a message arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailSource {
    /// Through a pipe: `turnpost mail`.
    Pipe,
    /// By LMTP.
    Lmtp,
    /// In a Maildir.
    Maildir,
    /// From an IMAP mailbox.
    Imap,
}

/// An unprocessed message.
#[derive(Clone, Debug)]
pub struct InboxMail {
    /// The message's number.
    pub id: InboxId,
    /// The raw message.
    pub raw: Vec<u8>,
    /// Whether the message exceeded the size limit, so that only its beginning is stored.
    pub truncated: bool,
    /// The number of failed attempts to process the message.
    pub attempts: u32,
    /// The time of arrival.
    pub received_at: DateTime<Utc>,
}

/// The result of processing a message.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The kind of verdict.
    pub kind: VerdictKind,
    /// The `From` address, if any.
    pub sender: Option<String>,
    /// The identity of the message, which its copies share.
    pub identity: Option<String>,
    /// The parsed commands, one on each line, with passwords as `***`.
    pub commands: String,
    /// The reason, as a sentence.
    pub reason: String,
}

/// The kinds of verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictKind {
    /// At least one command was executed.
    Done,
    /// The server answered with an error, and changed nothing.
    Refused,
    /// The message is another copy of a processed message.
    Repeated,
    /// No answer was sent, for example because a machine sent the message, or because the sender is unknown and the
    /// message contains no command.
    Ignored,
    /// The message cannot be processed and was quarantined.
    Poison,
}

impl Verdict {
    /// Fails if another copy of this message was already processed. [`Transaction::close_mail`] calls this before it
    /// stores the verdict. `seen` finds the processed copy, as [`Transaction::mail_seen`] does.
    ///
    /// # Errors
    /// [`StoreError::SecondCopy`].
    pub fn check_first_copy(&self, seen: impl FnOnce(&str) -> Result<Option<InboxId>>) -> Result<()> {
        let Some(identity) = self.identity.as_deref().filter(|_| self.kind != VerdictKind::Repeated) else {
            return Ok(());
        };
        match seen(identity)? {
            None => Ok(()),
            Some(InboxId(first)) => Err(StoreError::SecondCopy(first)),
        }
    }
}

/// A row of the inbox for the administrator.
#[derive(Clone, Debug)]
pub struct InboxRow {
    /// The message's number.
    pub id: InboxId,
    /// The time of arrival.
    pub received_at: DateTime<Utc>,
    /// The verdict; `None` before processing.
    pub verdict: Option<Verdict>,
    /// The number of failed attempts to process the message.
    pub attempts: u32,
}

pub(crate) const WAITING: &str = "SELECT id FROM inbox WHERE verdict IS NULL AND id > ?1 ORDER BY id LIMIT ?2";
pub(crate) const QUARANTINED: &str = "SELECT raw FROM quarantine WHERE mail = ?1";
// The statement repeats the condition of the partial index, because SQLite would not use the index without it.
pub(crate) const SEEN: &str = "SELECT id FROM inbox WHERE identity = ?1 AND verdict <> 'repeated'";
const NEWEST: &str = "SELECT id, received_at, attempts, verdict, sender, identity, commands, reason \
     FROM inbox ORDER BY id DESC LIMIT ?1";

/// Builds the statement for unprocessed messages by their numbers.
pub(crate) fn waiting_mail_sql(db: Db<'_>) -> String {
    let mails = db.numbers("?1");
    format!(
        "SELECT id, raw, truncated, attempts, received_at FROM inbox WHERE verdict IS NULL AND id IN ({mails}) ORDER BY id"
    )
}

stored_as!(i64: InboxId);
stored_as_name!(MailSource, VerdictKind);
from_fields!(InboxMail { id, raw, truncated, attempts, received_at });
from_fields!(InboxRow { id, received_at, attempts, verdict });

/// If the kind is NULL, the other cells are NULL too.
impl FromCells for Option<Verdict> {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        let Some(kind) = cells.take()? else { return Ok(None) };
        let (sender, identity) = cells.take()?;
        let (commands, reason) = cells.take()?;
        Ok(Some(Verdict { kind, sender, identity, commands, reason }))
    }
}

/// Incoming messages.
impl Transaction<'_> {
    /// Adds a raw message.
    pub fn add_mail(&mut self, raw: &[u8], truncated: bool, source: MailSource, now: DateTime<Utc>) -> Result<InboxId> {
        let db = self.writable_queue()?;
        let sql = "INSERT INTO inbox (received_at, via, truncated, raw) VALUES (?1, ?2, ?3, ?4) RETURNING id";
        cell(db, sql, params![now, source, truncated, raw])
    }

    /// Lists at most `most` unprocessed messages that arrived after this one, oldest first.
    pub fn waiting_after(&self, mail: InboxId, most: u32) -> Result<Vec<InboxId>> {
        all(self.db(), WAITING, params![mail, most])
    }

    /// Reads those of the given messages that are unprocessed, oldest first.
    pub fn waiting_mail(&self, mails: &[InboxId]) -> Result<Vec<InboxMail>> {
        let mails = Numbers(mails.iter().map(|mail| mail.0).collect());
        all(self.db(), &waiting_mail_sql(self.db()), params![mails])
    }

    /// Reads an unprocessed message.
    pub fn waiting(&self, id: InboxId) -> Result<Option<InboxMail>> {
        Ok(self.waiting_mail(&[id])?.pop())
    }

    /// Moves a message that cannot be processed to the quarantine, with its raw text and a verdict of
    /// [`VerdictKind::Poison`].
    pub fn quarantine_mail(&mut self, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO quarantine (mail, raw) SELECT id, raw FROM inbox WHERE id = ?1 AND verdict IS NULL";
        run_one(self.writable()?, sql, params![id], "the message to quarantine is not waiting in the inbox")?;
        self.close_mail(id, verdict, now)
    }

    /// Returns the raw text of a quarantined message.
    pub fn quarantined_mail(&self, id: InboxId) -> Result<Option<Vec<u8>>> {
        one(self.db(), QUARANTINED, params![id])
    }

    /// Moves a quarantined message back to the unprocessed ones; returns false if it is not quarantined.
    pub fn put_mail_back(&mut self, id: InboxId) -> Result<bool> {
        let Some(raw) = self.quarantined_mail(id)? else { return Ok(false) };
        let db = self.writable()?;
        let sql = "UPDATE inbox SET raw = ?2, verdict = NULL, sender = NULL, identity = NULL, commands = NULL, \
             reason = NULL, closed_at = NULL, attempts = 0 WHERE id = ?1";
        run_one(db, sql, params![id, raw], "the quarantined mail is not in the inbox")?;
        run_one(db, "DELETE FROM quarantine WHERE mail = ?1", params![id], "the message was not quarantined")?;
        Ok(true)
    }

    /// Counts a failed attempt to process a message; returns the new count.
    pub fn count_attempt(&mut self, id: InboxId) -> Result<u32> {
        let sql = "UPDATE inbox SET attempts = attempts + 1 WHERE id = ?1 AND verdict IS NULL RETURNING attempts";
        one(self.writable()?, sql, params![id])?
            .ok_or_else(|| StoreError::Failed(format!("message {} is not waiting in the inbox", id.0)))
    }

    /// Finds the processed message with this identity. Later copies of it have the verdict [`VerdictKind::Repeated`]
    /// and are ignored.
    pub fn mail_seen(&self, identity: &str) -> Result<Option<InboxId>> {
        let read = || {
            let first = one::<InboxId>(self.db(), SEEN, params![identity])?;
            Ok(Some((identity.to_owned(), first)))
        };
        let known = self.known().seen.get(|(of, _): &(String, _)| of == identity, read)?;
        Ok(known.and_then(|(_, first)| first))
    }

    /// Stores the verdict of a message after [`Verdict::check_first_copy`], and erases its raw text, which may contain
    /// a password.
    pub fn close_mail(&mut self, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()> {
        verdict.check_first_copy(|identity| self.mail_seen(identity))?;
        let sql = "UPDATE inbox SET raw = NULL, verdict = ?2, sender = ?3, identity = ?4, commands = ?5, reason = ?6, \
             closed_at = ?7 WHERE id = ?1 AND verdict IS NULL";
        let Verdict { kind, sender, identity, commands, reason } = verdict;
        let params = params![id, kind, sender, identity, commands, reason, now];
        let db = self.writable_queue()?;
        self.known().seen.forget();
        run_some_later(db, sql, params, "the message to close is not waiting in the inbox")?;
        self.mail = None;
        Ok(())
    }

    /// Lists at most `most` rows for the administrator, newest first.
    pub fn inbox(&self, most: u32) -> Result<Vec<InboxRow>> {
        all(self.db(), NEWEST, params![most])
    }
}
