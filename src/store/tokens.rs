//! Tokens of players' programs.

use chrono::{DateTime, Utc};

use super::sql::{Cells, Row, Time, all, one, params, run, run_one};
use super::{PlayerId, Result, Transaction};

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

pub(super) const BY_HASH: &str = "SELECT hash, player, label, created_at, used_at FROM tokens WHERE hash = ?1";
pub(super) const OF_PLAYER: &str =
    "SELECT hash, player, label, created_at, used_at FROM tokens WHERE player = ?1 ORDER BY created_at, hash";

fn token(row: &Row<'_>) -> Result<PersonalToken> {
    let mut cells = Cells::of(row);
    Ok(PersonalToken {
        hash: cells.take()?,
        player: PlayerId(cells.take()?),
        label: cells.take()?,
        created_at: cells.time()?,
        used_at: cells.time_if_any()?,
    })
}

/// Tokens of players' programs.
impl Transaction<'_> {
    /// Adds a token. Fails when its hash is there already.
    pub fn add_token(&mut self, token: &PersonalToken) -> Result<()> {
        let sql = "INSERT INTO tokens (hash, player, label, created_at, used_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        let PersonalToken { hash, player, label, created_at, used_at } = token;
        run(self.writable()?, sql, params![hash, player.0, label, Time(*created_at), used_at.map(Time)])?;
        Ok(())
    }

    /// Finds the token of a hash.
    pub fn token(&self, hash: &[u8; 32]) -> Result<Option<PersonalToken>> {
        one(self.db(), BY_HASH, params![hash], token)
    }

    /// Lists a player's tokens, the oldest first.
    pub fn tokens(&self, player: PlayerId) -> Result<Vec<PersonalToken>> {
        all(self.db(), OF_PLAYER, params![player.0], token)
    }

    /// Sets when a token was last shown.
    pub fn token_used(&mut self, hash: &[u8; 32], now: DateTime<Utc>) -> Result<()> {
        run(self.writable()?, "UPDATE tokens SET used_at = ?2 WHERE hash = ?1", params![hash, Time(now)])?;
        Ok(())
    }

    /// Removes a token.
    pub fn remove_token(&mut self, hash: &[u8; 32]) -> Result<()> {
        run_one(self.writable()?, "DELETE FROM tokens WHERE hash = ?1", params![hash], "there is no such token")
    }
}
