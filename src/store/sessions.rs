//! Web sessions, and the links by mail that begin one or set a new password.

use chrono::{DateTime, Utc};

use super::{PlayerId, Result};

/// The number of a link by mail. It is never used again, because it is what is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub i64);

/// What a link by mail is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPurpose {
    /// It logs in.
    Login,
    /// It sets a new password.
    Password,
}

/// A link by mail that works once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginLink {
    /// The player whom it is for.
    pub player: PlayerId,
    /// What it is for.
    pub purpose: LinkPurpose,
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
    /// Ends all of a player's sessions, and voids the links that they have asked for.
    fn end_sessions(&mut self, player: PlayerId) -> Result<()>;
    /// Drops sessions that began before then, and links that were asked for before then.
    fn forget_sessions(&mut self, before: DateTime<Utc>) -> Result<()>;
    /// Adds a link.
    fn add_login_link(&mut self, player: PlayerId, purpose: LinkPurpose, now: DateTime<Utc>) -> Result<LinkId>;
    /// Finds the link of a number.
    fn login_link(&self, id: LinkId) -> Result<Option<LoginLink>>;
    /// Marks a link as used.
    fn use_login_link(&mut self, id: LinkId) -> Result<()>;
    /// How many links for this purpose a player has asked for since then.
    fn login_links_since(&self, player: PlayerId, purpose: LinkPurpose, since: DateTime<Utc>) -> Result<u32>;
    /// Counts that somebody has asked for a link that sets a new password, perhaps for nobody; drops what was counted
    /// before `before`.
    fn count_password_request(&mut self, source: &str, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<()>;
    /// How often somebody has asked for such a link since then.
    fn password_requests_since(&self, source: &str, since: DateTime<Utc>) -> Result<u32>;
}
