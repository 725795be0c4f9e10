//! The numbers of rows. Those of boards, players and links are without gaps: they are counted in the rows of `last_numbers`,
//! which one transaction at a time can change. Those of mails, letters, calls and changes come from sequences, from which
//! transactions can draw side by side; what one draws that is dropped, is a gap.

use crate::store::sql::Db;
use crate::store::sql::params;
use crate::store::sql::{cell, run, run_one};
use crate::numbers::BoardNumber;
use crate::store::{Result, StoreError};

/// The tables whose numbers come from a sequence, which is named after them.
const OF_SEQUENCES: [&str; 4] = ["inbox", "outbox", "calls", "changes"];

/// Draws the next number of the sequence that boards and open challenges share.
pub(super) fn next_board(db: Db<'_>) -> Result<BoardNumber> {
    let number: i64 = cell(db, "SELECT next_number('boards')", &[])?;
    u32::try_from(number).map(BoardNumber).map_err(|_| StoreError::Failed("there are no board numbers left".to_owned()))
}

/// The last number that was given to a row of a table; 0: none was.
pub(super) fn last_number(db: Db<'_>, table: &str) -> Result<u32> {
    if OF_SEQUENCES.contains(&table) {
        return cell(db, &format!("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {table}_numbers"), &[]);
    }
    cell(db, "SELECT last FROM last_numbers WHERE name = $1", params![table])
}

/// Lets the numbers of a table go on after this one, which was given.
pub(super) fn keep_number(db: Db<'_>, table: &str, number: i64) -> Result<()> {
    if OF_SEQUENCES.contains(&table) {
        let sequence = format!("{table}_numbers");
        let sql = format!("SELECT setval('{sequence}', $1) FROM {sequence} WHERE NOT is_called OR last_value < $1");
        return match number {
            0 => Ok(()),
            _ => run(db, &sql, params![number]).map(drop),
        };
    }
    let sql = "UPDATE last_numbers SET last = greatest(last, $2) WHERE name = $1";
    run_one(db, sql, params![table, number], "the database has lost its last numbers")
}
