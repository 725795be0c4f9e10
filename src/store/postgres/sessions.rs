//! Web sessions, and the links by mail that begin one or set a new password.

use chrono::{DateTime, Utc};

use super::column::{Cells, Name};
use super::query::{cell, one, run};
use super::time::Time;
use super::transaction::PostgresTransaction;
use crate::store::{LinkId, LinkPurpose, LoginLink, PlayerId, Result, Sessions};

const PLAYER: &str = "SELECT player FROM sessions WHERE hash = $1 AND begun_at >= $2";

const OLD_SESSIONS: &str = "DELETE FROM sessions WHERE begun_at < $1";
const OLD_LINKS: &str = "DELETE FROM login_links WHERE asked_at < $1";

const LINKS_SINCE: &str = "SELECT count(*) FROM login_links WHERE player = $1 AND asked_at >= $2 AND purpose = $3";
const REQUESTS_SINCE: &str = "SELECT count(*) FROM password_requests WHERE source = $1 AND asked_at >= $2";
const OLD_REQUESTS: &str = "DELETE FROM password_requests WHERE asked_at < $1";

impl Sessions for PostgresTransaction<'_> {
    fn begin_session(&mut self, hash: &[u8; 32], player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO sessions (hash, player, begun_at) VALUES ($1, $2, $3)";
        run(self.writable()?, sql, params![hash, player.0, Time(now)])?;
        Ok(())
    }

    fn session(&self, hash: &[u8; 32], since: DateTime<Utc>) -> Result<Option<PlayerId>> {
        one(self.db(), PLAYER, params![hash, Time(since)], |row| row.get(0).map(PlayerId))
    }

    fn end_session(&mut self, hash: &[u8; 32]) -> Result<()> {
        run(self.writable()?, "DELETE FROM sessions WHERE hash = $1", params![hash])?;
        Ok(())
    }

    fn end_sessions(&mut self, player: PlayerId) -> Result<()> {
        let db = self.writable()?;
        run(db, "DELETE FROM sessions WHERE player = $1", params![player.0])?;
        run(db, "UPDATE login_links SET used = true WHERE player = $1", params![player.0])?;
        Ok(())
    }

    fn forget_sessions(&mut self, before: DateTime<Utc>) -> Result<()> {
        let db = self.writable()?;
        run(db, OLD_SESSIONS, params![Time(before)])?;
        run(db, OLD_LINKS, params![Time(before)])?;
        Ok(())
    }

    fn add_login_link(&mut self, player: PlayerId, purpose: LinkPurpose, now: DateTime<Utc>) -> Result<LinkId> {
        let db = self.writable()?;
        let sql = "INSERT INTO login_links (player, purpose, asked_at) VALUES ($1, $2, $3) RETURNING id";
        cell(db, sql, params![player.0, Name(purpose), Time(now)]).map(LinkId)
    }

    fn login_link(&self, id: LinkId) -> Result<Option<LoginLink>> {
        one(self.db(), "SELECT player, purpose, asked_at, used FROM login_links WHERE id = $1", params![id.0], |row| {
            let mut cells = Cells::of(row);
            Ok(LoginLink {
                player: PlayerId(cells.take()?),
                purpose: cells.take::<Name<_>>()?.0,
                asked_at: cells.time()?,
                used: cells.take()?,
            })
        })
    }

    fn use_login_link(&mut self, id: LinkId) -> Result<()> {
        run(self.writable()?, "UPDATE login_links SET used = true WHERE id = $1", params![id.0])?;
        Ok(())
    }

    fn login_links_since(&self, player: PlayerId, purpose: LinkPurpose, since: DateTime<Utc>) -> Result<u32> {
        let params = params![player.0, Time(since), Name(purpose)];
        Ok(one(self.db(), LINKS_SINCE, params, |row| row.get(0))?.unwrap_or_default())
    }

    fn count_password_request(&mut self, source: &str, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()> {
        let db = self.writable()?;
        run(db, OLD_REQUESTS, params![Time(before)])?;
        run(db, "INSERT INTO password_requests (source, asked_at) VALUES ($1, $2)", params![source, Time(now)])?;
        Ok(())
    }

    fn password_requests_since(&self, source: &str, since: DateTime<Utc>) -> Result<u32> {
        Ok(one(self.db(), REQUESTS_SINCE, params![source, Time(since)], |row| row.get(0))?.unwrap_or_default())
    }
}
