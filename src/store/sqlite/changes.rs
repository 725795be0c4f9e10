//! Which boards changed, in order. The triggers of the tables write it.

use rusqlite::{Connection, Row};

use super::query::{all, one};
use crate::store::{BoardChange, PlayerId, Result};

pub(super) const LAST: &str = "SELECT coalesce(max(seq), 0) FROM changes";
pub(super) const SINCE: &str = "SELECT seq, board FROM changes WHERE seq > ?1 ORDER BY seq LIMIT ?2";
pub(super) const OF_PLAYER: &str = "SELECT seq, board FROM changes \
     WHERE board IN (SELECT board FROM seats WHERE player = ?1) AND seq > ?2 ORDER BY seq";
pub(super) const OF_BOARD: &str = "SELECT seq FROM changes WHERE board = ?1";

fn change(row: &Row<'_>) -> rusqlite::Result<BoardChange> {
    Ok(BoardChange { seq: row.get(0)?, board: row.get(1)? })
}

pub(super) fn last(db: &Connection) -> Result<i64> {
    Ok(one(db, LAST, [], |row| row.get(0))?.unwrap_or(0))
}

pub(super) fn since(db: &Connection, seq: i64, most: u32) -> Result<Vec<BoardChange>> {
    all(db, SINCE, (seq, most), change)
}

pub(super) fn of_player(db: &Connection, player: PlayerId, seq: i64) -> Result<Vec<BoardChange>> {
    all(db, OF_PLAYER, (player.0, seq), change)
}

pub(super) fn of_board(db: &Connection, number: u32) -> Result<i64> {
    Ok(one(db, OF_BOARD, [number], |row| row.get(0))?.unwrap_or(0))
}
