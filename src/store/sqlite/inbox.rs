//! Mail that has arrived, and what became of it.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, params};

use super::column::{Name, Named};
use super::query::{all, one, run, run_one};
use super::time::Time;
use crate::store::{InboxId, InboxMail, InboxRow, Result, StoreError, Verdict, VerdictKind};

impl Named for VerdictKind {
    const NAMES: &'static [(Self, &'static str)] = &[
        (VerdictKind::Done, "done"),
        (VerdictKind::Refused, "refused"),
        (VerdictKind::Repeated, "repeated"),
        (VerdictKind::Ignored, "ignored"),
        (VerdictKind::Poison, "poison"),
    ];
}

pub(super) const WAITING: &str = "SELECT id, raw, truncated, attempts, received_at FROM inbox \
     WHERE verdict IS NULL ORDER BY id LIMIT ?1";
// Says the index's own condition again, without which SQLite would not use it.
pub(super) const SEEN: &str = "SELECT id FROM inbox WHERE identity = ?1 AND verdict <> 'repeated'";
pub(super) const NEWEST: &str = "SELECT id, received_at, attempts, verdict, sender, identity, commands, reason \
     FROM inbox ORDER BY id DESC LIMIT ?1";

pub(super) fn add(db: &Connection, raw: &[u8], truncated: bool, via: &str, now: DateTime<Utc>) -> Result<InboxId> {
    let sql = "INSERT INTO inbox (received_at, via, truncated, raw) VALUES (?1, ?2, ?3, ?4)";
    run(db, sql, params![Time(now), via, truncated, raw])?;
    Ok(InboxId(db.last_insert_rowid()))
}

pub(super) fn waiting(db: &Connection, most: u32) -> Result<Vec<InboxMail>> {
    all(db, WAITING, [most], |row| {
        Ok(InboxMail {
            id: InboxId(row.get(0)?),
            raw: row.get(1)?,
            truncated: row.get(2)?,
            attempts: row.get(3)?,
            received_at: row.get::<_, Time>(4)?.0,
        })
    })
}

pub(super) fn count_attempt(db: &Connection, id: InboxId) -> Result<u32> {
    let sql = "UPDATE inbox SET attempts = attempts + 1 WHERE id = ?1 AND verdict IS NULL RETURNING attempts";
    one(db, sql, [id.0], |row| row.get(0))?
        .ok_or_else(|| StoreError::Failed(format!("no mail {} waits in the inbox", id.0)))
}

pub(super) fn seen(db: &Connection, identity: &str) -> Result<Option<InboxId>> {
    one(db, SEEN, [identity], |row| row.get(0).map(InboxId))
}

pub(super) fn close(db: &Connection, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE inbox SET raw = NULL, verdict = ?2, sender = ?3, identity = ?4, commands = ?5, reason = ?6, \
         closed_at = ?7 WHERE id = ?1 AND verdict IS NULL";
    let Verdict { kind, sender, identity, commands, reason } = verdict;
    let params = params![id.0, Name(*kind), sender, identity, commands, reason, Time(now)];
    run_one(db, sql, params, "the mail to be closed does not wait in the inbox")
}

pub(super) fn newest(db: &Connection, most: u32) -> Result<Vec<InboxRow>> {
    all(db, NEWEST, [most], |row| {
        let verdict = match row.get::<_, Option<Name<VerdictKind>>>(3)? {
            None => None,
            Some(Name(kind)) => Some(Verdict {
                kind,
                sender: row.get(4)?,
                identity: row.get(5)?,
                commands: row.get(6)?,
                reason: row.get(7)?,
            }),
        };
        let received_at = row.get::<_, Time>(1)?.0;
        Ok(InboxRow { id: InboxId(row.get(0)?), received_at, verdict, attempts: row.get(2)? })
    })
}
