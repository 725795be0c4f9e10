//! The sequence of changes, which tells readers what to update.

use super::sql::{Row, all, one, params};
use super::{PlayerId, Result, Transaction};
use crate::numbers::BoardNumber;

/// The latest change of a board or open challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardChange {
    /// The position in the sequence of all changes.
    pub seq: i64,
    /// The board or open challenge.
    pub board: BoardNumber,
}

pub(crate) const LAST: &str = "SELECT coalesce(max(seq), 0) FROM changes";
pub(crate) const SINCE: &str = "SELECT seq, board FROM changes WHERE seq > ?1 ORDER BY seq LIMIT ?2";
pub(crate) const OF_PLAYER: &str = "SELECT seq, board FROM changes \
     WHERE board IN (SELECT board FROM seats WHERE player = ?1) AND seq > ?2 ORDER BY seq";
pub(crate) const OF_BOARD: &str = "SELECT seq FROM changes WHERE board = ?1";

fn change(row: &Row<'_>) -> Result<BoardChange> {
    Ok(BoardChange { seq: row.get(0)?, board: row.get(1)? })
}

/// The sequence of changes. A change to anything on the page of a board or open challenge gets a number. Only the last
/// number of each board is stored.
///
/// After reading number n, a reader never finds a new smaller one.
impl Transaction<'_> {
    /// Returns the number of the last change; 0 if there is none.
    pub fn last_change(&self) -> Result<i64> {
        Ok(one(self.db(), LAST, &[], |row| row.get(0))?.unwrap_or(0))
    }

    /// Lists at most `most` changes after this one, in order.
    pub fn changes_since(&self, seq: i64, most: u32) -> Result<Vec<BoardChange>> {
        all(self.db(), SINCE, params![seq, most], change)
    }

    /// Lists the changes after this one to a player's current and former boards, in order.
    pub fn changes_for(&self, player: PlayerId, seq: i64) -> Result<Vec<BoardChange>> {
        all(self.db(), OF_PLAYER, params![player.0, seq], change)
    }

    /// Returns the number of a board's last change; 0 if it has none.
    pub fn change_of(&self, number: BoardNumber) -> Result<i64> {
        Ok(one(self.db(), OF_BOARD, params![number], |row| row.get(0))?.unwrap_or(0))
    }
}
