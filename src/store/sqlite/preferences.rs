//! What players look for and take.

use rusqlite::{Connection, params};

use super::column::Cells;
use super::query::{all, one, run};
use crate::store::{GamePreferences, PlayerId, Result, Seeker};

pub(super) const OF_PLAYER: &str = "SELECT seeks, most FROM wishes WHERE player = ?1 AND game = ?2";
pub(super) const SEEKERS: &str = "SELECT w.player, p.userid, w.seeks FROM wishes w JOIN players p ON p.id = w.player \
     WHERE w.game = ?1 AND w.seeks > 0 ORDER BY p.userid";

pub(super) fn of_player(db: &Connection, player: PlayerId, game: &str) -> Result<GamePreferences> {
    let wishes = one(db, OF_PLAYER, params![player.0, game], |row| {
        Ok(GamePreferences { seeks: row.get(0)?, most: row.get(1)? })
    })?;
    Ok(wishes.unwrap_or_default())
}

pub(super) fn set(db: &Connection, player: PlayerId, game: &str, wishes: &GamePreferences) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO wishes (player, game, seeks, most) VALUES (?1, ?2, ?3, ?4)";
    run(db, sql, params![player.0, game, wishes.seeks, wishes.most])?;
    Ok(())
}

pub(super) fn seekers(db: &Connection, game: &str) -> Result<Vec<Seeker>> {
    all(db, SEEKERS, [game], |row| {
        let mut cells = Cells::of(row);
        Ok(Seeker { player: cells.player()?, seeks: cells.take()? })
    })
}
