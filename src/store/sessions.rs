//! Web sessions, and the links by mail that begin one.

use chrono::{DateTime, Utc};

use super::{PlayerId, Result};

/// The number of a link that logs in. It is never used again, because it is what is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub i64);

/// A link by mail that logs in once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginLink {
    /// The player whom it logs in.
    pub player: PlayerId,
    /// When it was asked for.
    pub asked_at: DateTime<Utc>,
    /// Whether it is void: it was used, or all sessions of the player were ended.
    pub used: bool,
}

/// Web sessions and login links. A session is known by the SHA-256 of what its cookie holds.
pub trait Sessions {
    /// Begins a session.
    fn begin_session(&mut self, hash: &[u8; 32], player: PlayerId, now: DateTime<Utc>) -> Result<()>;
    /// Finds the player of a session that began at `since` or later.
    fn session(&self, hash: &[u8; 32], since: DateTime<Utc>) -> Result<Option<PlayerId>>;
    /// Ends a session.
    fn end_session(&mut self, hash: &[u8; 32]) -> Result<()>;
    /// Ends all of a player's sessions, and voids the login links that they have asked for.
    fn end_sessions(&mut self, player: PlayerId) -> Result<()>;
    /// Drops sessions that began before then, and login links that were asked for before then.
    fn forget_sessions(&mut self, before: DateTime<Utc>) -> Result<()>;
    /// Adds a login link.
    fn add_login_link(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<LinkId>;
    /// Finds the login link of a number.
    fn login_link(&self, id: LinkId) -> Result<Option<LoginLink>>;
    /// Marks a login link as used.
    fn use_login_link(&mut self, id: LinkId) -> Result<()>;
    /// How many login links a player has asked for since then.
    fn login_links_since(&self, player: PlayerId, since: DateTime<Utc>) -> Result<u32>;
}
