//! Web sessions, and the links by mail that begin one or set a new password.

use chrono::{DateTime, Utc};

use super::{PlayerId, Result};
use crate::clock::Span;

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
    /// Finds the player of a session that began in this time.
    fn session(&self, hash: &[u8; 32], time: &Span) -> Result<Option<PlayerId>>;
    /// Ends a session.
    fn end_session(&mut self, hash: &[u8; 32]) -> Result<()>;
    /// Ends all of a player's sessions, and voids the links that they have asked for.
    fn end_sessions(&mut self, player: PlayerId) -> Result<()>;
    /// Drops sessions that began and browsers that were used before this time, and links that were not asked for in it. A session that began after it
    /// stays: the clock may be behind, and nobody is to be logged out by that.
    fn forget_sessions(&mut self, kept: &Span) -> Result<()>;
    /// Records that a player logged in with the browser of this hash.
    fn use_browser(&mut self, hash: &[u8; 32], player: PlayerId, now: DateTime<Utc>) -> Result<()>;
    /// Adds a link.
    fn add_login_link(&mut self, player: PlayerId, purpose: LinkPurpose, now: DateTime<Utc>) -> Result<LinkId>;
    /// Finds the link of a number.
    fn login_link(&self, id: LinkId) -> Result<Option<LoginLink>>;
    /// Marks a link as used.
    fn use_login_link(&mut self, id: LinkId) -> Result<()>;
    /// How many links for this purpose a player has asked for in this time.
    fn login_links(&self, player: PlayerId, purpose: LinkPurpose, time: &Span) -> Result<u32>;
    /// Counts that somebody has asked for a link that sets a new password, perhaps for nobody; drops what was not counted
    /// in the time `kept`.
    fn count_password_request(&mut self, source: &str, now: DateTime<Utc>, kept: &Span) -> Result<()>;
    /// How often somebody has asked for such a link in this time.
    fn password_requests(&self, source: &str, time: &Span) -> Result<u32>;
}
