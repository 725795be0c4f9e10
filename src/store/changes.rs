//! The sequence of changes, by which readers learn what to look at again.

use super::sql::{Row, all, one, params};
use super::{PlayerId, Result, Transaction};
use crate::numbers::BoardNumber;

/// The latest change of a board or open challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardChange {
    /// Position in the sequence of all changes.
    pub seq: i64,
    /// The number of the board or open challenge.
    pub board: BoardNumber,
}

pub(super) const LAST: &str = "SELECT coalesce(max(seq), 0) FROM changes";
pub(super) const SINCE: &str = "SELECT seq, board FROM changes WHERE seq > ?1 ORDER BY seq LIMIT ?2";
pub(super) const OF_PLAYER: &str = "SELECT seq, board FROM changes \
     WHERE board IN (SELECT board FROM seats WHERE player = ?1) AND seq > ?2 ORDER BY seq";
pub(super) const OF_BOARD: &str = "SELECT seq FROM changes WHERE board = ?1";

fn change(row: &Row<'_>) -> Result<BoardChange> {
    Ok(BoardChange { seq: row.get(0)?, board: row.get(1)? })
}

/// The sequence of changes. Whatever a board's page shows, or an open challenge's, draws a number when it changes; only
/// the last one of each board is kept.
///
/// Needs: numbers become visible in their order. A reader who has seen number n never finds a smaller one later that
/// they have not seen. (A store in which several write at a time draws the numbers when it commits.)
impl Transaction<'_> {
    /// The number of the last change of all; 0: there was none.
    pub fn last_change(&self) -> Result<i64> {
        Ok(one(self.db(), LAST, &[], |row| row.get(0))?.unwrap_or(0))
    }

    /// Lists the changes after this one, in order, at most `most`.
    pub fn changes_since(&self, seq: i64, most: u32) -> Result<Vec<BoardChange>> {
        all(self.db(), SINCE, params![seq, most], change)
    }

    /// Lists the changes after this one of the boards that a player plays or has played, in order.
    pub fn changes_for(&self, player: PlayerId, seq: i64) -> Result<Vec<BoardChange>> {
        all(self.db(), OF_PLAYER, params![player.0, seq], change)
    }

    /// The number of a board's last change; 0: it has not changed since changes are counted.
    pub fn change_of(&self, number: BoardNumber) -> Result<i64> {
        Ok(one(self.db(), OF_BOARD, params![number], |row| row.get(0))?.unwrap_or(0))
    }
}
