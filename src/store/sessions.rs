//! Credentials of players: web sessions, mailed links, personal tokens for programs, and the private addresses of
//! calendars.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{all, cell, from_fields, one, params, run, run_one, stored_as, stored_as_name};
use super::{PlayerId, Result, Transaction};
use crate::clock::Span;

/// The number of a mailed link. Numbers are never reused, because a link contains only its signed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub i64);

/// The purpose of a mailed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkPurpose {
    /// Logging in.
    Login,
    /// Setting a new password.
    Password,
}

/// A mailed link that works once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginLink {
    /// The player.
    pub player: PlayerId,
    /// The purpose.
    pub purpose: LinkPurpose,
    /// The time of the request.
    pub asked_at: DateTime<Utc>,
    /// Whether the link is invalid, because it was used or all sessions of the player were ended.
    pub used: bool,
}

const PLAYER: &str = "SELECT player FROM sessions WHERE hash = ?1 AND begun_at >= ?2 AND begun_at < ?3";

pub(crate) const OF_PLAYER: &str =
    "SELECT hash FROM sessions WHERE player = ?1 AND begun_at >= ?2 AND begun_at < ?3 LIMIT 1";

const OLD_SESSIONS: &str = "DELETE FROM sessions WHERE begun_at < ?1";
const OLD_BROWSERS: &str = "DELETE FROM browsers WHERE used_at < ?1";
const OLD_LINKS: &str = "DELETE FROM login_links WHERE asked_at < ?1 OR asked_at >= ?2";

pub(crate) const LINKS: &str =
    "SELECT count(*) FROM login_links WHERE player = ?1 AND asked_at >= ?2 AND asked_at < ?3 AND purpose = ?4";

stored_as!(i64: LinkId);
stored_as_name!(LinkPurpose);
from_fields!(LoginLink { player, purpose, asked_at, used });

/// Web sessions and login links. A session is identified by the SHA-256 of its cookie.
impl Transaction<'_> {
    /// Starts a session.
    pub fn begin_session(&mut self, hash: &[u8; 32], player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO sessions (hash, player, begun_at) VALUES (?1, ?2, ?3)";
        run(self.writable()?, sql, params![hash, player, now]).map(drop)
    }

    /// Finds the player of a session that started in this time span.
    pub fn session(&self, hash: &[u8; 32], time: &Span) -> Result<Option<PlayerId>> {
        one(self.db(), PLAYER, params![hash, time.from, time.until])
    }

    /// Returns whether a player has a session that started in this time span.
    pub fn has_session(&self, player: PlayerId, time: &Span) -> Result<bool> {
        let found = one::<()>(self.db(), OF_PLAYER, params![player, time.from, time.until])?;
        Ok(found.is_some())
    }

    /// Ends a session.
    pub fn end_session(&mut self, hash: &[u8; 32]) -> Result<()> {
        run(self.writable()?, "DELETE FROM sessions WHERE hash = ?1", params![hash]).map(drop)
    }

    /// Ends all of a player's sessions, and invalidates their mailed links.
    pub fn end_sessions(&mut self, player: PlayerId) -> Result<()> {
        let db = self.writable()?;
        run(db, "DELETE FROM sessions WHERE player = ?1", params![player])?;
        run(db, "UPDATE login_links SET used = true WHERE player = ?1", params![player]).map(drop)
    }

    /// Deletes sessions that started and browsers that were last used before this time span, and links requested
    /// outside it. Keeps sessions that started after this time span, so that players stay logged in if the clock is
    /// behind.
    pub fn forget_sessions(&mut self, kept: &Span) -> Result<()> {
        let db = self.writable()?;
        run(db, OLD_SESSIONS, params![kept.from])?;
        run(db, OLD_BROWSERS, params![kept.from])?;
        run(db, OLD_LINKS, params![kept.from, kept.until]).map(drop)
    }

    /// Records that a player logged in with the browser that has this hash.
    pub fn use_browser(&mut self, hash: &[u8; 32], player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO browsers (hash, player, used_at) VALUES (?1, ?2, ?3) \
             ON CONFLICT (hash, player) DO UPDATE SET used_at = excluded.used_at";
        run(self.writable()?, sql, params![hash, player, now]).map(drop)
    }

    /// Adds a link.
    pub fn add_login_link(&mut self, player: PlayerId, purpose: LinkPurpose, now: DateTime<Utc>) -> Result<LinkId> {
        let db = self.writable()?;
        let sql = "INSERT INTO login_links (player, purpose, asked_at) VALUES (?1, ?2, ?3) RETURNING id";
        cell(db, sql, params![player, purpose, now])
    }

    /// Finds a link by its number.
    pub fn login_link(&self, id: LinkId) -> Result<Option<LoginLink>> {
        one(self.db(), "SELECT player, purpose, asked_at, used FROM login_links WHERE id = ?1", params![id])
    }

    /// Marks a link as used.
    pub fn use_login_link(&mut self, id: LinkId) -> Result<()> {
        run(self.writable()?, "UPDATE login_links SET used = true WHERE id = ?1", params![id]).map(drop)
    }

    /// Counts the links for this purpose that a player has requested in this time span.
    pub fn login_links(&self, player: PlayerId, purpose: LinkPurpose, time: &Span) -> Result<u32> {
        let params = params![player, time.from, time.until, purpose];
        cell(self.db(), LINKS, params)
    }
}

/// A personal token, which a program uses instead of a password. Only the hash of the token is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalToken {
    /// The SHA-256 of the token.
    pub hash: [u8; 32],
    /// The owner.
    pub player: PlayerId,
    /// The owner's label.
    pub label: String,
    /// The time of creation.
    pub created_at: DateTime<Utc>,
    /// The time of the last use, to the hour.
    pub used_at: Option<DateTime<Utc>>,
}

pub(crate) const BY_HASH: &str = "SELECT hash, player, label, created_at, used_at FROM tokens WHERE hash = ?1";
pub(crate) const TOKENS: &str =
    "SELECT hash, player, label, created_at, used_at FROM tokens WHERE player = ?1 ORDER BY created_at, hash";

from_fields!(PersonalToken { hash, player, label, created_at, used_at });

/// Personal tokens.
impl Transaction<'_> {
    /// Adds a token. Fails if its hash exists.
    pub fn add_token(&mut self, token: &PersonalToken) -> Result<()> {
        let sql = "INSERT INTO tokens (hash, player, label, created_at, used_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        let PersonalToken { hash, player, label, created_at, used_at } = token;
        run(self.writable()?, sql, params![hash, player, label, created_at, used_at]).map(drop)
    }

    /// Finds a token by its hash.
    pub fn token(&self, hash: &[u8; 32]) -> Result<Option<PersonalToken>> {
        one(self.db(), BY_HASH, params![hash])
    }

    /// Lists a player's tokens, oldest first.
    pub fn tokens(&self, player: PlayerId) -> Result<Vec<PersonalToken>> {
        all(self.db(), TOKENS, params![player])
    }

    /// Records the time of a token's last use.
    pub fn token_used(&mut self, hash: &[u8; 32], now: DateTime<Utc>) -> Result<()> {
        run(self.writable()?, "UPDATE tokens SET used_at = ?2 WHERE hash = ?1", params![hash, now]).map(drop)
    }

    /// Removes a token.
    pub fn remove_token(&mut self, hash: &[u8; 32]) -> Result<()> {
        run_one(self.writable()?, "DELETE FROM tokens WHERE hash = ?1", params![hash], "there is no such token")
    }
}

pub(crate) const CALENDAR: &str = "SELECT number FROM calendars WHERE player = ?1";
pub(crate) const CALENDAR_OWNER: &str = "SELECT player FROM calendars WHERE number = ?1";

/// Players' calendars.
impl Transaction<'_> {
    /// Returns the number in the signed address of a player's calendar.
    pub fn calendar(&self, player: PlayerId) -> Result<Option<u32>> {
        one(self.db(), CALENDAR, params![player])
    }

    /// Replaces the number of a player's calendar; `None` removes the calendar. Returns false if another calendar
    /// already has the number.
    pub fn set_calendar(&mut self, player: PlayerId, number: Option<u32>) -> Result<bool> {
        let db = self.writable()?;
        run(db, "DELETE FROM calendars WHERE player = ?1", params![player])?;
        let Some(number) = number else { return Ok(true) };
        let sql = "INSERT INTO calendars (player, number) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        Ok(run(db, sql, params![player, number])? > 0)
    }

    /// Returns the owner of the calendar with this number.
    pub fn calendar_owner(&self, number: u32) -> Result<Option<PlayerId>> {
        one(self.db(), CALENDAR_OWNER, params![number])
    }
}
