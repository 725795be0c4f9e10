//! Who is logged in on the web, and the links that log in once.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, params};

use super::column::Cells;
use super::query::{one, run};
use super::time::Time;
use crate::store::{LinkId, LoginLink, PlayerId, Result};

pub(super) fn begin(db: &Connection, hash: &[u8; 32], player: PlayerId, now: DateTime<Utc>) -> Result<()> {
    let sql = "INSERT INTO sessions (hash, player, begun_at) VALUES (?1, ?2, ?3)";
    run(db, sql, params![hash, player.0, Time(now)])?;
    Ok(())
}

pub(super) const PLAYER: &str = "SELECT player FROM sessions WHERE hash = ?1 AND begun_at >= ?2";

pub(super) fn player(db: &Connection, hash: &[u8; 32], since: DateTime<Utc>) -> Result<Option<PlayerId>> {
    one(db, PLAYER, params![hash, Time(since)], |row| row.get(0).map(PlayerId))
}

pub(super) fn end(db: &Connection, hash: &[u8; 32]) -> Result<()> {
    run(db, "DELETE FROM sessions WHERE hash = ?1", [hash])?;
    Ok(())
}

pub(super) fn end_all(db: &Connection, player: PlayerId) -> Result<()> {
    run(db, "DELETE FROM sessions WHERE player = ?1", [player.0])?;
    run(db, "UPDATE login_links SET used = 1 WHERE player = ?1", [player.0])?;
    Ok(())
}

pub(super) const OLD_SESSIONS: &str = "DELETE FROM sessions WHERE begun_at < ?1";
pub(super) const OLD_LINKS: &str = "DELETE FROM login_links WHERE asked_at < ?1";

pub(super) fn forget(db: &Connection, before: DateTime<Utc>) -> Result<()> {
    run(db, OLD_SESSIONS, [Time(before)])?;
    run(db, OLD_LINKS, [Time(before)])?;
    Ok(())
}

pub(super) fn add_link(db: &Connection, player: PlayerId, now: DateTime<Utc>) -> Result<LinkId> {
    run(db, "INSERT INTO login_links (player, asked_at) VALUES (?1, ?2)", params![player.0, Time(now)])?;
    Ok(LinkId(db.last_insert_rowid()))
}

pub(super) fn link(db: &Connection, id: LinkId) -> Result<Option<LoginLink>> {
    one(db, "SELECT player, asked_at, used FROM login_links WHERE id = ?1", [id.0], |row| {
        let mut cells = Cells::of(row);
        Ok(LoginLink { player: PlayerId(cells.take()?), asked_at: cells.time()?, used: cells.take()? })
    })
}

pub(super) fn use_link(db: &Connection, id: LinkId) -> Result<()> {
    run(db, "UPDATE login_links SET used = 1 WHERE id = ?1", [id.0])?;
    Ok(())
}

pub(super) const LINKS_SINCE: &str = "SELECT count(*) FROM login_links WHERE player = ?1 AND asked_at >= ?2";

pub(super) fn links_since(db: &Connection, player: PlayerId, since: DateTime<Utc>) -> Result<u32> {
    Ok(one(db, LINKS_SINCE, params![player.0, Time(since)], |row| row.get(0))?.unwrap_or_default())
}
