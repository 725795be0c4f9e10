//! Notices to be told.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, params};

use super::query::{all, one, run, run_one};
use super::time::Time;
use crate::store::{NewNotice, OutboxId, OutboxNotice, PlayerId, Result};

/// The Message-ID is made of what is stored, so that every attempt and every copy has the same one.
const COLUMNS: &str = "SELECT o.id, o.player, p.userid, o.address, o.kind, o.board, o.entry, o.facts, o.in_reply_to, \
     '<' || o.id || '.' || (SELECT server_id FROM server) || '@' || o.domain || '>', \
     o.created_at, o.attempts, o.due_at, o.sent_at, o.error \
     FROM outbox o LEFT JOIN players p ON p.id = o.player";

pub(super) const NEXT_DUE: &str = "SELECT due_at FROM outbox WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1";

/// The statement for notices that are due.
pub(super) fn due_sql() -> String {
    format!("{COLUMNS} WHERE o.due_at <= ?1 ORDER BY o.due_at, o.id LIMIT ?2")
}

/// The statement for the administrator's list.
pub(super) fn newest_sql(undelivered_only: bool) -> String {
    let condition = if undelivered_only { " WHERE o.sent_at IS NULL" } else { "" };
    format!("{COLUMNS}{condition} ORDER BY o.id DESC LIMIT ?1")
}

fn notice(row: &Row<'_>) -> rusqlite::Result<OutboxNotice> {
    let time = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<Time>>(column)?.map(|time| time.0));
    let player = match row.get(1)? {
        Some(id) => Some((PlayerId(id), row.get(2)?)),
        None => None,
    };
    Ok(OutboxNotice {
        id: OutboxId(row.get(0)?),
        player,
        address: row.get(3)?,
        kind: row.get(4)?,
        board: row.get(5)?,
        entry: row.get(6)?,
        letter: None,
        facts: row.get(7)?,
        in_reply_to: row.get(8)?,
        message_id: row.get(9)?,
        created_at: row.get::<_, Time>(10)?.0,
        attempts: row.get(11)?,
        due_at: time(12)?,
        sent_at: time(13)?,
        error: row.get(14)?,
    })
}

pub(super) fn add(db: &Connection, new: &NewNotice) -> Result<OutboxId> {
    let sql = "INSERT INTO outbox (player, address, kind, board, entry, facts, in_reply_to, domain, created_at, due_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)";
    let player = new.player.map(|id| id.0);
    let NewNotice { address, kind, board, entry, facts, in_reply_to, domain, .. } = new;
    let created_at = Time(new.created_at);
    run(db, sql, params![player, address, kind, board, entry, facts, in_reply_to, domain, created_at])?;
    Ok(OutboxId(db.last_insert_rowid()))
}

pub(super) fn due(db: &Connection, now: DateTime<Utc>, most: u32) -> Result<Vec<OutboxNotice>> {
    all(db, &due_sql(), params![Time(now), most], notice)
}

pub(super) fn next_due(db: &Connection) -> Result<Option<DateTime<Utc>>> {
    one(db, NEXT_DUE, [], |row| Ok(row.get::<_, Time>(0)?.0))
}

pub(super) fn sent(db: &Connection, id: OutboxId, now: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE outbox SET attempts = attempts + 1, due_at = NULL, sent_at = ?2, error = NULL WHERE id = ?1";
    run_one(db, sql, params![id.0, Time(now)], "there is no such notice")
}

pub(super) fn failed(db: &Connection, id: OutboxId, error: &str, retry_at: Option<DateTime<Utc>>) -> Result<()> {
    let sql = "UPDATE outbox SET attempts = attempts + 1, due_at = ?3, sent_at = NULL, error = ?2 WHERE id = ?1";
    run_one(db, sql, params![id.0, error, retry_at.map(Time)], "there is no such notice")
}

/// The attempts begin anew, as does the waiting between them.
pub(super) fn resend(db: &Connection, id: OutboxId, now: DateTime<Utc>) -> Result<bool> {
    let sql = "UPDATE outbox SET attempts = 0, due_at = ?2, sent_at = NULL, error = NULL WHERE id = ?1";
    Ok(run(db, sql, params![id.0, Time(now)])? > 0)
}

pub(super) fn newest(db: &Connection, undelivered_only: bool, most: u32) -> Result<Vec<OutboxNotice>> {
    all(db, &newest_sql(undelivered_only), [most], notice)
}
