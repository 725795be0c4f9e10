//! How many opponents and boards players want in a game.

use super::sql::{Cells, all, one, params, run};
use super::{PlayerId, PlayerRef, Result, Transaction};

/// How many opponents and boards a player wants in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GamePreferences {
    /// How many opponents they look for.
    pub seeks: u32,
    /// The most boards they play at a time; `None`: any number.
    pub most: Option<u32>,
}

/// A player who looks for opponents in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeker {
    /// Who looks.
    pub player: PlayerRef,
    /// How many opponents they look for.
    pub seeks: u32,
}

pub(super) const OF_PLAYER: &str = "SELECT seeks, most FROM preferences WHERE player = ?1 AND game = ?2";
pub(super) const SEEKERS: &str = "SELECT w.player, p.userid, w.seeks FROM preferences w JOIN players p ON p.id = w.player \
     WHERE w.game = ?1 AND w.seeks > 0 AND p.blocked_at IS NULL ORDER BY lower(p.userid)";

/// Players' preferences for each game.
impl Transaction<'_> {
    /// A player's preferences for a game; the default ones when they have set none.
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

    /// Lists who looks for opponents in a game, by userid.
    pub fn seekers(&self, game: &str) -> Result<Vec<Seeker>> {
        all(self.db(), SEEKERS, params![game], |row| {
            let mut cells = Cells::of(row);
            Ok(Seeker { player: cells.player()?, seeks: cells.take()? })
        })
    }
}
