//! Personal tokens, which authenticate players' programs.

use chrono::{DateTime, Utc};

use super::sql::{Cells, Row, Time, all, one, params, run, run_one};
use super::{PlayerId, Result, Transaction};

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
pub(crate) const OF_PLAYER: &str =
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

/// Personal tokens.
impl Transaction<'_> {
    /// Adds a token. Fails if its hash exists.
    pub fn add_token(&mut self, token: &PersonalToken) -> Result<()> {
        let sql = "INSERT INTO tokens (hash, player, label, created_at, used_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        let PersonalToken { hash, player, label, created_at, used_at } = token;
        run(self.writable()?, sql, params![hash, player.0, label, Time(*created_at), used_at.map(Time)])?;
        Ok(())
    }

    /// Finds a token by its hash.
    pub fn token(&self, hash: &[u8; 32]) -> Result<Option<PersonalToken>> {
        one(self.db(), BY_HASH, params![hash], token)
    }

    /// Lists a player's tokens, oldest first.
    pub fn tokens(&self, player: PlayerId) -> Result<Vec<PersonalToken>> {
        all(self.db(), OF_PLAYER, params![player.0], token)
    }

    /// Records the time of a token's last use.
    pub fn token_used(&mut self, hash: &[u8; 32], now: DateTime<Utc>) -> Result<()> {
        run(self.writable()?, "UPDATE tokens SET used_at = ?2 WHERE hash = ?1", params![hash, Time(now)])?;
        Ok(())
    }

    /// Removes a token.
    pub fn remove_token(&mut self, hash: &[u8; 32]) -> Result<()> {
        run_one(self.writable()?, "DELETE FROM tokens WHERE hash = ?1", params![hash], "there is no such token")
    }
}
