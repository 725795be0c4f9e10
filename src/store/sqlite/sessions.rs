//! Web sessions, and the links by mail that begin one.

use chrono::{DateTime, Utc};
use rusqlite::params;

use super::column::Cells;
use super::query::{one, run};
use super::time::Time;
use super::transaction::SqliteTransaction;
use crate::store::{LinkId, LoginLink, PlayerId, Result, Sessions};

pub(super) const PLAYER: &str = "SELECT player FROM sessions WHERE hash = ?1 AND begun_at >= ?2";

pub(super) const OLD_SESSIONS: &str = "DELETE FROM sessions WHERE begun_at < ?1";
pub(super) const OLD_LINKS: &str = "DELETE FROM login_links WHERE asked_at < ?1";

pub(super) const LINKS_SINCE: &str = "SELECT count(*) FROM login_links WHERE player = ?1 AND asked_at >= ?2";

impl Sessions for SqliteTransaction<'_> {
    fn begin_session(&mut self, hash: &[u8; 32], player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO sessions (hash, player, begun_at) VALUES (?1, ?2, ?3)";
        run(self.writable()?, sql, params![hash, player.0, Time(now)])?;
        Ok(())
    }

    fn session(&self, hash: &[u8; 32], since: DateTime<Utc>) -> Result<Option<PlayerId>> {
        one(self.db(), PLAYER, params![hash, Time(since)], |row| row.get(0).map(PlayerId))
    }

    fn end_session(&mut self, hash: &[u8; 32]) -> Result<()> {
        run(self.writable()?, "DELETE FROM sessions WHERE hash = ?1", [hash])?;
        Ok(())
    }

    fn end_sessions(&mut self, player: PlayerId) -> Result<()> {
        let db = self.writable()?;
        run(db, "DELETE FROM sessions WHERE player = ?1", [player.0])?;
        run(db, "UPDATE login_links SET used = 1 WHERE player = ?1", [player.0])?;
        Ok(())
    }

    fn forget_sessions(&mut self, before: DateTime<Utc>) -> Result<()> {
        let db = self.writable()?;
        run(db, OLD_SESSIONS, [Time(before)])?;
        run(db, OLD_LINKS, [Time(before)])?;
        Ok(())
    }

    fn add_login_link(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<LinkId> {
        let db = self.writable()?;
        run(db, "INSERT INTO login_links (player, asked_at) VALUES (?1, ?2)", params![player.0, Time(now)])?;
        Ok(LinkId(db.last_insert_rowid()))
    }

    fn login_link(&self, id: LinkId) -> Result<Option<LoginLink>> {
        one(self.db(), "SELECT player, asked_at, used FROM login_links WHERE id = ?1", [id.0], |row| {
            let mut cells = Cells::of(row);
            Ok(LoginLink { player: PlayerId(cells.take()?), asked_at: cells.time()?, used: cells.take()? })
        })
    }

    fn use_login_link(&mut self, id: LinkId) -> Result<()> {
        run(self.writable()?, "UPDATE login_links SET used = 1 WHERE id = ?1", [id.0])?;
        Ok(())
    }

    fn login_links_since(&self, player: PlayerId, since: DateTime<Utc>) -> Result<u32> {
        Ok(one(self.db(), LINKS_SINCE, params![player.0, Time(since)], |row| row.get(0))?.unwrap_or_default())
    }
}
