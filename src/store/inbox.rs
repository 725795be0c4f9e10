//! Mail that has arrived, and what became of it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Result, StoreError};

/// The number of an inbox row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InboxId(pub i64);

/// How a mail arrives.
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

/// A mail that waits to be processed.
#[derive(Clone, Debug)]
pub struct InboxMail {
    /// Its number.
    pub id: InboxId,
    /// The mail as it came.
    pub raw: Vec<u8>,
    /// Whether it was longer than the limit, so that only its beginning is here.
    pub truncated: bool,
    /// How many attempts at processing it failed.
    pub attempts: u32,
    /// When it came.
    pub received_at: DateTime<Utc>,
}

/// What became of a mail.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The kind of verdict.
    pub kind: VerdictKind,
    /// The `From` address, if it has one.
    pub sender: Option<String>,
    /// What a second copy of the mail is recognized by.
    pub identity: Option<String>,
    /// The commands as understood, one a line, passwords `***`.
    pub commands: String,
    /// The reason, in a sentence.
    pub reason: String,
}

/// The kinds of verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictKind {
    /// Its commands were executed (the last one at least understood).
    Done,
    /// It was answered with an error, and nothing changed.
    Refused,
    /// It is a second copy.
    Repeated,
    /// It got no answer: its sender is unknown and nothing in it was understood, or a machine sent it.
    Ignored,
    /// It cannot be processed, and was set aside.
    Poison,
}

impl VerdictKind {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            VerdictKind::Done => "done",
            VerdictKind::Refused => "refused",
            VerdictKind::Repeated => "repeated",
            VerdictKind::Ignored => "ignored",
            VerdictKind::Poison => "poison",
        }
    }
}

impl Verdict {
    /// Checks that no other mail was closed as the first copy of this identity. Every store calls it, in the
    /// transaction that closes the mail; `seen` is what [`Inbox::mail_seen`] finds then.
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

/// A row of the inbox as the administrator sees it.
#[derive(Clone, Debug)]
pub struct InboxRow {
    /// Its number.
    pub id: InboxId,
    /// When the mail came.
    pub received_at: DateTime<Utc>,
    /// What became of it; `None`: it waits.
    pub verdict: Option<Verdict>,
    /// How many attempts at processing it failed.
    pub attempts: u32,
}

/// Mail that has arrived.
///
/// Needs: of two transactions that close mails of one identity at the same time, the second sees the first one's or
/// fails; so a mail has one effect.
pub trait Inbox {
    /// Adds a raw mail that has arrived.
    fn add_mail(&mut self, raw: &[u8], truncated: bool, source: MailSource, now: DateTime<Utc>) -> Result<InboxId>;
    /// Lists the mail that waits and came after this one, oldest first, at most `most`.
    fn waiting_after(&self, mail: InboxId, most: u32) -> Result<Vec<InboxId>>;
    /// Reads those of these mails that wait, oldest first.
    fn waiting_mail(&self, mails: &[InboxId]) -> Result<Vec<InboxMail>>;
    /// Keeps other transactions from processing mails of this sender until this one ends; false: another does so now.
    fn claim_sender(&mut self, sender: &str) -> Result<bool>;
    /// Fails with [`StoreError::Conflict`] when another transaction has closed this mail
    /// since the snapshot, and keeps others from closing it until this one ends.
    fn claim_mail(&mut self, id: InboxId) -> Result<()>;
    /// Counts an attempt at processing a mail that failed; returns how many there are.
    fn count_attempt(&mut self, id: InboxId) -> Result<u32>;
    /// Finds the mail that was closed as the first copy of this identity.
    fn mail_seen(&self, identity: &str) -> Result<Option<InboxId>>;
    /// Closes a mail that waits, after [`Verdict::check_first_copy`], and erases its raw text, which may hold a
    /// password.
    fn close_mail(&mut self, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()>;
    /// Reads a mail that waits.
    fn waiting(&self, id: InboxId) -> Result<Option<InboxMail>> {
        Ok(self.waiting_mail(&[id])?.pop())
    }
    /// Closes a mail that cannot be processed with a verdict of [`VerdictKind::Poison`], and keeps its raw text.
    fn set_mail_aside(&mut self, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()>;
    /// Returns the raw text of a mail that was set aside.
    fn mail_set_aside(&self, id: InboxId) -> Result<Option<Vec<u8>>>;
    /// Makes a mail that was set aside wait again; false when it was not.
    fn put_mail_back(&mut self, id: InboxId) -> Result<bool>;
    /// Lists rows for the administrator, newest first, at most `most`.
    fn inbox(&self, most: u32) -> Result<Vec<InboxRow>>;
}
