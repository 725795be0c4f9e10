//! Mail that has arrived, and what became of it.

use chrono::{DateTime, Utc};

use super::history;
use super::{Db, Name, Numbers, Row, Session, Time, all, cell, one, params, run_one};
use crate::store::{Inbox, InboxId, InboxMail, InboxRow, MailSource, Result, StoreError, Verdict, VerdictKind};

pub(super) const WAITING: &str = "SELECT id FROM inbox WHERE verdict IS NULL AND id > ?1 ORDER BY id LIMIT ?2";
/// Held until the transaction ends. The first number tells these locks from others.
const CLAIM_SENDER: &str = "SELECT pg_try_advisory_xact_lock(1, hashtext(?1))";
/// Fails when another transaction has closed it since the snapshot.
const CLAIM_MAIL: &str = "SELECT 1 FROM inbox WHERE id = ?1 FOR NO KEY UPDATE";
pub(super) const SET_ASIDE: &str = "SELECT raw FROM set_aside WHERE mail = ?1";
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

impl<S: Session> Inbox for S {
    fn add_mail(&mut self, raw: &[u8], truncated: bool, source: MailSource, now: DateTime<Utc>) -> Result<InboxId> {
        let db = self.writable_shared()?;
        let sql = "INSERT INTO inbox (received_at, via, truncated, raw) VALUES (?1, ?2, ?3, ?4) RETURNING id";
        cell(db, sql, params![Time(now), Name(source), truncated, raw]).map(InboxId)
    }

    fn waiting_after(&self, mail: InboxId, most: u32) -> Result<Vec<InboxId>> {
        all(self.db(), WAITING, params![mail.0, most], |row| row.get(0).map(InboxId))
    }

    fn waiting_mail(&self, mails: &[InboxId]) -> Result<Vec<InboxMail>> {
        let mails = Numbers(mails.iter().map(|mail| mail.0).collect());
        all(self.db(), &waiting_mail_sql(self.db()), params![mails], waiting)
    }

    fn set_mail_aside(&mut self, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO set_aside (mail, raw) SELECT id, raw FROM inbox WHERE id = ?1 AND verdict IS NULL";
        run_one(self.writable()?, sql, params![id.0], "the mail to be set aside does not wait in the inbox")?;
        self.close_mail(id, verdict, now)
    }

    fn mail_set_aside(&self, id: InboxId) -> Result<Option<Vec<u8>>> {
        one(self.db(), SET_ASIDE, params![id.0], |row| row.get(0))
    }

    fn put_mail_back(&mut self, id: InboxId) -> Result<bool> {
        let Some(raw) = self.mail_set_aside(id)? else { return Ok(false) };
        let db = self.writable()?;
        let sql = "UPDATE inbox SET raw = ?2, verdict = NULL, sender = NULL, identity = NULL, commands = NULL, \
             reason = NULL, closed_at = NULL, attempts = 0 WHERE id = ?1";
        run_one(db, sql, params![id.0, raw], "the mail that was set aside is not in the inbox")?;
        run_one(db, "DELETE FROM set_aside WHERE mail = ?1", params![id.0], "the mail was not set aside")?;
        Ok(true)
    }

    fn claim_sender(&mut self, sender: &str) -> Result<bool> {
        let db = self.writable_shared()?;
        // SQLite has one writer at a time.
        db.by_dialect(None, Some(CLAIM_SENDER)).map_or(Ok(true), |sql| cell(db, sql, params![sender]))
    }

    fn claim_mail(&mut self, id: InboxId) -> Result<()> {
        let db = self.writable_shared()?;
        if let Some(sql) = db.by_dialect(None, Some(CLAIM_MAIL)) {
            one(db, sql, params![id.0], |_| Ok(()))?;
        }
        Ok(())
    }

    fn count_attempt(&mut self, id: InboxId) -> Result<u32> {
        let sql = "UPDATE inbox SET attempts = attempts + 1 WHERE id = ?1 AND verdict IS NULL RETURNING attempts";
        one(self.writable()?, sql, params![id.0], |row| row.get(0))?
            .ok_or_else(|| StoreError::Failed(format!("no mail {} waits in the inbox", id.0)))
    }

    fn mail_seen(&self, identity: &str) -> Result<Option<InboxId>> {
        one(self.db(), SEEN, params![identity], |row| row.get(0).map(InboxId))
    }

    fn close_mail(&mut self, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()> {
        verdict.check_first_copy(|identity| self.mail_seen(identity))?;
        let sql = "UPDATE inbox SET raw = NULL, verdict = ?2, sender = ?3, identity = ?4, commands = ?5, reason = ?6, \
             closed_at = ?7 WHERE id = ?1 AND verdict IS NULL";
        let Verdict { kind, sender, identity, commands, reason } = verdict;
        let params = params![id.0, Name(*kind), sender, identity, commands, reason, Time(now)];
        let db = self.writable_shared()?;
        run_one(db, sql, params, "the mail to be closed does not wait in the inbox")?;
        history::set_current_mail(db, None)
    }

    fn inbox(&self, most: u32) -> Result<Vec<InboxRow>> {
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
}
