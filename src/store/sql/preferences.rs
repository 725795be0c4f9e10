//! How many opponents and boards players want in a game.

use super::{Cells, Session, all, one, params, run};
use crate::store::{GamePreferences, PlayerId, Preferences, Result, Seeker};

pub(super) const OF_PLAYER: &str = "SELECT seeks, most FROM wishes WHERE player = ?1 AND game = ?2";
pub(super) const SEEKERS: &str = "SELECT w.player, p.userid, w.seeks FROM wishes w JOIN players p ON p.id = w.player \
     WHERE w.game = ?1 AND w.seeks > 0 AND p.blocked_at IS NULL ORDER BY lower(p.userid)";

impl<S: Session> Preferences for S {
    fn game_preferences(&self, player: PlayerId, game: &str) -> Result<GamePreferences> {
        let preferences = one(self.db(), OF_PLAYER, params![player.0, game], |row| {
            Ok(GamePreferences { seeks: row.get(0)?, most: row.get(1)? })
        })?;
        Ok(preferences.unwrap_or_default())
    }

    fn set_game_preferences(&mut self, player: PlayerId, game: &str, preferences: &GamePreferences) -> Result<()> {
        let sql = "INSERT INTO wishes (player, game, seeks, most) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT (player, game) DO UPDATE SET seeks = excluded.seeks, most = excluded.most";
        run(self.writable()?, sql, params![player.0, game, preferences.seeks, preferences.most])?;
        Ok(())
    }

    fn seekers(&self, game: &str) -> Result<Vec<Seeker>> {
        all(self.db(), SEEKERS, params![game], |row| {
            let mut cells = Cells::of(row);
            Ok(Seeker { player: cells.player()?, seeks: cells.take()? })
        })
    }
}
