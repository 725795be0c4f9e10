//! The numbers of rows. On PostgreSQL, the numbers of boards, players and links have no gaps: they are counted in the
//! rows of `last_numbers`. The numbers of messages, letters, calls and changes come from sequences, which are cheaper; a
//! rollback leaves a gap.

use super::{Db, cell, one, params, run, run_one};
use crate::numbers::BoardNumber;
use crate::store::{Result, StoreError};

/// The tables whose numbers come from the sequence with their name.
const OF_SEQUENCES: [&str; 4] = ["inbox", "outbox", "webhook_calls", "changes"];

/// Returns the next number of the sequence that boards and open challenges share.
pub(crate) fn next_board(db: Db<'_>) -> Result<BoardNumber> {
    let number = match db {
        Db::Sqlite(_) => next_rowid(db, "boards")?,
        Db::Postgres(_) => cell(db, "SELECT next_number('boards')", &[])?,
    };
    u32::try_from(number).map(BoardNumber).map_err(|_| StoreError::Failed("there are no board numbers left".to_owned()))
}

/// Returns the next number of a table with `AUTOINCREMENT`.
fn next_rowid(db: Db<'_>, table: &str) -> Result<i64> {
    let taken = "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = ?1 RETURNING seq";
    // SQLite adds this row with the first row of the table.
    let first = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, 1)";
    match one(db, taken, params![table], |row| row.get(0))? {
        Some(number) => Ok(number),
        None => run(db, first, params![table]).map(|_| 1),
    }
}

/// Continues the numbers of a table after an imported `number`.
pub(crate) fn keep_number(db: Db<'_>, table: &str, number: i64) -> Result<()> {
    match db {
        Db::Sqlite(_) => {
            // SQLite adds this row with the first row of the table, and the numbers have no key to conflict.
            let later = "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1";
            if run(db, later, params![table, number])? == 0 {
                run(db, "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", params![table, number])?;
            }
            Ok(())
        }
        Db::Postgres(_) if OF_SEQUENCES.contains(&table) => {
            let sequence = format!("{table}_numbers");
            let sql = format!("SELECT setval('{sequence}', ?1) FROM {sequence} WHERE NOT is_called OR last_value < ?1");
            if number > 0 {
                run(db, &sql, params![number])?;
            }
            Ok(())
        }
        Db::Postgres(_) => {
            let sql = "UPDATE last_numbers SET last = greatest(last, ?2) WHERE name = ?1";
            run_one(db, sql, params![table, number], "the database has lost its last numbers")
        }
    }
}
