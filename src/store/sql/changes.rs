//! The sequence of changes. The triggers of the tables write it.

use super::{Row, Session, all, one, params};
use crate::numbers::BoardNumber;
use crate::store::{BoardChange, Changes, PlayerId, Result};

pub(super) const LAST: &str = "SELECT coalesce(max(seq), 0) FROM changes";
pub(super) const SINCE: &str = "SELECT seq, board FROM changes WHERE seq > ?1 ORDER BY seq LIMIT ?2";
pub(super) const OF_PLAYER: &str = "SELECT seq, board FROM changes \
     WHERE board IN (SELECT board FROM seats WHERE player = ?1) AND seq > ?2 ORDER BY seq";
pub(super) const OF_BOARD: &str = "SELECT seq FROM changes WHERE board = ?1";

fn change(row: &Row<'_>) -> Result<BoardChange> {
    Ok(BoardChange { seq: row.get(0)?, board: row.get(1)? })
}

impl<S: Session> Changes for S {
    fn last_change(&self) -> Result<i64> {
        Ok(one(self.db(), LAST, &[], |row| row.get(0))?.unwrap_or(0))
    }

    fn changes_since(&self, seq: i64, most: u32) -> Result<Vec<BoardChange>> {
        all(self.db(), SINCE, params![seq, most], change)
    }

    fn changes_for(&self, player: PlayerId, seq: i64) -> Result<Vec<BoardChange>> {
        all(self.db(), OF_PLAYER, params![player.0, seq], change)
    }

    fn change_of(&self, number: BoardNumber) -> Result<i64> {
        Ok(one(self.db(), OF_BOARD, params![number], |row| row.get(0))?.unwrap_or(0))
    }
}
