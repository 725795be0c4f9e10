//! The numbers of rows, without gaps: sequences of PostgreSQL keep what a transaction drew that was dropped. They are
//! counted in the rows of `last_numbers`, which the lock of the writers keeps for one at a time.

use super::connection::Db;
use super::query::{cell, run_one};
use crate::numbers::BoardNumber;
use crate::store::{Result, StoreError};

/// Draws the next number of the sequence that boards and open challenges share.
pub(super) fn next_board(db: &Db) -> Result<BoardNumber> {
    let number: i64 = cell(db, "SELECT next_number('boards')", &[])?;
    u32::try_from(number).map(BoardNumber).map_err(|_| StoreError::Failed("there are no board numbers left".to_owned()))
}

/// Lets the numbers of a table go on after this one, which was given.
pub(super) fn keep_number(db: &Db, table: &str, number: i64) -> Result<()> {
    let sql = "UPDATE last_numbers SET last = greatest(last, $2) WHERE name = $1";
    run_one(db, sql, params![table, number], "the database has lost its last numbers")
}
