//! Players' preferences for games: the numbers of opponents and boards.

use super::sql::{Cells, all, one, params, run};
use super::{PlayerId, PlayerRef, Result, Transaction};

/// A player's preferences for a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GamePreferences {
    /// The number of opponents wanted.
    pub seeks: u32,
    /// The most simultaneous boards; `None` for any number.
    pub most: Option<u32>,
}

/// A player who is looking for opponents in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeker {
    /// The player.
    pub player: PlayerRef,
    /// The number of opponents wanted.
    pub seeks: u32,
}

pub(crate) const OF_PLAYER: &str = "SELECT seeks, most FROM preferences WHERE player = ?1 AND game = ?2";
pub(crate) const SEEKERS: &str = "SELECT w.player, p.userid, w.seeks FROM preferences w JOIN players p ON p.id = w.player \
     WHERE w.game = ?1 AND w.seeks > 0 AND p.blocked_at IS NULL ORDER BY lower(p.userid)";

/// Players' preferences for each game.
impl Transaction<'_> {
    /// Returns a player's preferences for a game, or the defaults.
    pub fn game_preferences(&self, player: PlayerId, game: &str) -> Result<GamePreferences> {
        let preferences = one(self.db(), OF_PLAYER, params![player.0, game], |row| {
            Ok(GamePreferences { seeks: row.get(0)?, most: row.get(1)? })
        })?;
        Ok(preferences.unwrap_or_default())
    }

    /// Replaces a player's preferences for a game.
    pub fn set_game_preferences(&mut self, player: PlayerId, game: &str, preferences: &GamePreferences) -> Result<()> {
        let sql = "INSERT INTO preferences (player, game, seeks, most) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT (player, game) DO UPDATE SET seeks = excluded.seeks, most = excluded.most";
        run(self.writable()?, sql, params![player.0, game, preferences.seeks, preferences.most])?;
        Ok(())
    }

    /// Lists the players who are looking for opponents in a game, by userid.
    pub fn seekers(&self, game: &str) -> Result<Vec<Seeker>> {
        all(self.db(), SEEKERS, params![game], |row| {
            let mut cells = Cells::of(row);
            Ok(Seeker { player: cells.player()?, seeks: cells.take()? })
        })
    }
}
