//! Mail that has arrived, and what became of it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{Db, Name, Named, Numbers, Row, Time, all, cell, one, params, run, run_one};
use super::{Result, StoreError, Transaction};

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

impl Named for MailSource {
    const NAMES: &'static [(Self, &'static str)] = &[
        (MailSource::Pipe, "pipe"),
        (MailSource::Lmtp, "lmtp"),
        (MailSource::Maildir, "maildir"),
        (MailSource::Imap, "imap"),
    ];
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

impl Named for VerdictKind {
    const NAMES: &'static [(Self, &'static str)] = &[
        (VerdictKind::Done, "done"),
        (VerdictKind::Refused, "refused"),
        (VerdictKind::Repeated, "repeated"),
        (VerdictKind::Ignored, "ignored"),
        (VerdictKind::Poison, "poison"),
    ];
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
    /// transaction that closes the mail; `seen` is what [`Transaction::mail_seen`] finds then.
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

pub(super) const WAITING: &str = "SELECT id FROM inbox WHERE verdict IS NULL AND id > ?1 ORDER BY id LIMIT ?2";
/// Held until the transaction ends. The first number tells these locks from others.
const CLAIM_SENDER: &str = "SELECT pg_try_advisory_xact_lock(1, hashtext(?1))";
/// Fails when another transaction has closed it since the snapshot.
const CLAIM_MAIL: &str = "SELECT 1 FROM inbox WHERE id = ?1 FOR NO KEY UPDATE";
pub(super) const SET_ASIDE: &str = "SELECT raw FROM quarantine WHERE mail = ?1";
// Repeats the condition of the index, without which SQLite would not use it.
pub(super) const SEEN: &str = "SELECT id FROM inbox WHERE identity = ?1 AND verdict <> 'repeated'";
const NEWEST: &str = "SELECT id, received_at, attempts, verdict, sender, identity, commands, reason \
     FROM inbox ORDER BY id DESC LIMIT ?1";

/// The statement for waiting mail by its numbers.
pub(super) fn waiting_mail_sql(db: Db<'_>) -> String {
    let mails = db.numbers("?1");
    format!(
        "SELECT id, raw, truncated, attempts, received_at FROM inbox WHERE verdict IS NULL AND id IN ({mails}) ORDER BY id"
    )
}

fn waiting(row: &Row<'_>) -> Result<InboxMail> {
    Ok(InboxMail {
        id: InboxId(row.get(0)?),
        raw: row.get(1)?,
        truncated: row.get(2)?,
        attempts: row.get(3)?,
        received_at: row.get::<Time>(4)?.0,
    })
}

/// Mail that has arrived.
///
/// Needs: of two transactions that close mails of one identity at the same time, the second sees the first one's or
/// fails; so a mail has one effect.
impl Transaction<'_> {
    /// Adds a raw mail that has arrived.
    pub fn add_mail(&mut self, raw: &[u8], truncated: bool, source: MailSource, now: DateTime<Utc>) -> Result<InboxId> {
        let db = self.writable_shared()?;
        let sql = "INSERT INTO inbox (received_at, via, truncated, raw) VALUES (?1, ?2, ?3, ?4) RETURNING id";
        cell(db, sql, params![Time(now), Name(source), truncated, raw]).map(InboxId)
    }

    /// Lists the mail that waits and came after this one, oldest first, at most `most`.
    pub fn waiting_after(&self, mail: InboxId, most: u32) -> Result<Vec<InboxId>> {
        all(self.db(), WAITING, params![mail.0, most], |row| row.get(0).map(InboxId))
    }

    /// Reads those of these mails that wait, oldest first.
    pub fn waiting_mail(&self, mails: &[InboxId]) -> Result<Vec<InboxMail>> {
        let mails = Numbers(mails.iter().map(|mail| mail.0).collect());
        all(self.db(), &waiting_mail_sql(self.db()), params![mails], waiting)
    }

    /// Reads a mail that waits.
    pub fn waiting(&self, id: InboxId) -> Result<Option<InboxMail>> {
        Ok(self.waiting_mail(&[id])?.pop())
    }

    /// Closes a mail that cannot be processed with a verdict of [`VerdictKind::Poison`], and keeps its raw text.
    pub fn set_mail_aside(&mut self, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO quarantine (mail, raw) SELECT id, raw FROM inbox WHERE id = ?1 AND verdict IS NULL";
        run_one(self.writable()?, sql, params![id.0], "the mail to be set aside does not wait in the inbox")?;
        self.close_mail(id, verdict, now)
    }

    /// Returns the raw text of a mail that was set aside.
    pub fn mail_set_aside(&self, id: InboxId) -> Result<Option<Vec<u8>>> {
        one(self.db(), SET_ASIDE, params![id.0], |row| row.get(0))
    }

    /// Makes a mail that was set aside wait again; false when it was not.
    pub fn put_mail_back(&mut self, id: InboxId) -> Result<bool> {
        let Some(raw) = self.mail_set_aside(id)? else { return Ok(false) };
        let db = self.writable()?;
        let sql = "UPDATE inbox SET raw = ?2, verdict = NULL, sender = NULL, identity = NULL, commands = NULL, \
             reason = NULL, closed_at = NULL, attempts = 0 WHERE id = ?1";
        run_one(db, sql, params![id.0, raw], "the mail that was set aside is not in the inbox")?;
        run_one(db, "DELETE FROM quarantine WHERE mail = ?1", params![id.0], "the mail was not set aside")?;
        Ok(true)
    }

    /// Keeps other transactions from processing mails of this sender until this one ends; false: another does so now.
    pub fn claim_sender(&mut self, sender: &str) -> Result<bool> {
        let db = self.writable_shared()?;
        // SQLite has one writer at a time.
        db.by_dialect(None, Some(CLAIM_SENDER)).map_or(Ok(true), |sql| cell(db, sql, params![sender]))
    }

    /// Fails with [`StoreError::Conflict`] when another transaction has closed this mail
    /// since the snapshot, and keeps others from closing it until this one ends.
    pub fn claim_mail(&mut self, id: InboxId) -> Result<()> {
        let db = self.writable_shared()?;
        if let Some(sql) = db.by_dialect(None, Some(CLAIM_MAIL)) {
            one(db, sql, params![id.0], |_| Ok(()))?;
        }
        Ok(())
    }

    /// Counts an attempt at processing a mail that failed; returns how many there are.
    pub fn count_attempt(&mut self, id: InboxId) -> Result<u32> {
        let sql = "UPDATE inbox SET attempts = attempts + 1 WHERE id = ?1 AND verdict IS NULL RETURNING attempts";
        one(self.writable()?, sql, params![id.0], |row| row.get(0))?
            .ok_or_else(|| StoreError::Failed(format!("no mail {} waits in the inbox", id.0)))
    }

    /// Finds the mail that was closed as the first copy of this identity.
    pub fn mail_seen(&self, identity: &str) -> Result<Option<InboxId>> {
        one(self.db(), SEEN, params![identity], |row| row.get(0).map(InboxId))
    }

    /// Closes a mail that waits, after [`Verdict::check_first_copy`], and erases its raw text, which may hold a
    /// password.
    pub fn close_mail(&mut self, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()> {
        verdict.check_first_copy(|identity| self.mail_seen(identity))?;
        let sql = "UPDATE inbox SET raw = NULL, verdict = ?2, sender = ?3, identity = ?4, commands = ?5, reason = ?6, \
             closed_at = ?7 WHERE id = ?1 AND verdict IS NULL";
        let Verdict { kind, sender, identity, commands, reason } = verdict;
        let params = params![id.0, Name(*kind), sender, identity, commands, reason, Time(now)];
        let db = self.writable_shared()?;
        run_one(db, sql, params, "the mail to be closed does not wait in the inbox")?;
        self.set_current_mail(None)
    }

    /// Lists rows for the administrator, newest first, at most `most`.
    pub fn inbox(&self, most: u32) -> Result<Vec<InboxRow>> {
        all(self.db(), NEWEST, params![most], |row| {
            let verdict = match row.get::<Option<Name<VerdictKind>>>(3)? {
                None => None,
                Some(Name(kind)) => Some(Verdict {
                    kind,
                    sender: row.get(4)?,
                    identity: row.get(5)?,
                    commands: row.get(6)?,
                    reason: row.get(7)?,
                }),
            };
            let received_at = row.get::<Time>(1)?.0;
            Ok(InboxRow { id: InboxId(row.get(0)?), received_at, verdict, attempts: row.get(2)? })
        })
    }

    /// Sets the message whose actions the triggers record.
    pub(super) fn set_current_mail(&mut self, mail: Option<InboxId>) -> Result<()> {
        let db = self.writable_shared()?;
        match db {
            Db::Sqlite(_) => run(db, "UPDATE current_mail SET mail = ?1", params![mail.map(|mail| mail.0)]),
            Db::Postgres(_) => {
                let mail = mail.map_or_else(String::new, |mail| mail.0.to_string());
                run(db, "SELECT set_config('turnpost.mail', ?1, true)", params![mail])
            }
        }
        .map(drop)
    }
}
