//! Tokens of players' programs.

use chrono::{DateTime, Utc};

use super::{PlayerId, Result};

/// What a player's program shows in place of a password. The token itself is stored nowhere, only its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalToken {
    /// SHA-256 of its text.
    pub hash: [u8; 32],
    /// Its owner.
    pub player: PlayerId,
    /// The owner's name for it.
    pub label: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last shown, to the hour.
    pub used_at: Option<DateTime<Utc>>,
}

/// Tokens of players' programs.
pub trait Tokens {
    /// Adds a token. Fails when its hash is there already.
    fn add_token(&mut self, token: &PersonalToken) -> Result<()>;
    /// Finds the token of a hash.
    fn token(&self, hash: &[u8; 32]) -> Result<Option<PersonalToken>>;
    /// Lists a player's tokens, the oldest first.
    fn tokens(&self, player: PlayerId) -> Result<Vec<PersonalToken>>;
    /// Sets when a token was last shown.
    fn token_used(&mut self, hash: &[u8; 32], now: DateTime<Utc>) -> Result<()>;
    /// Removes a token.
    fn remove_token(&mut self, hash: &[u8; 32]) -> Result<()>;
}
