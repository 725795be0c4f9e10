//! Functions to run statements. A connection prepares each statement once.

use super::column::{Cells, FromCells};
use super::db::{Db, Row};
use super::params;
use super::value::Params;
use crate::numbers::BoardNumber;
use crate::store::{Result, StoreError};

/// Reads the first row, if any.
pub(crate) fn one<T: FromCells>(db: Db<'_>, sql: &str, params: Params<'_>) -> Result<Option<T>> {
    let mut found = None;
    db.query(sql, params, &mut |row| {
        found = Some(Cells::of(row).take()?);
        Ok(false)
    })?;
    Ok(found)
}

/// Reads all rows.
pub(crate) fn all<T: FromCells>(db: Db<'_>, sql: &str, params: Params<'_>) -> Result<Vec<T>> {
    all_by(db, sql, params, |row| Cells::of(row).take())
}

/// Reads all rows with `read`.
pub(crate) fn all_by<T>(
    db: Db<'_>,
    sql: &str,
    params: Params<'_>,
    mut read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    db.query(sql, params, &mut |row| {
        found.push(read(row)?);
        Ok(true)
    })?;
    Ok(found)
}

/// Changes rows; returns their number.
pub(crate) fn run(db: Db<'_>, sql: &str, params: Params<'_>) -> Result<u64> {
    db.execute(sql, params)
}

/// Changes rows, on PostgreSQL together with the next statement. An error may therefore be returned by a later call or
/// by the commit.
pub(crate) fn run_later(db: Db<'_>, sql: &str, params: Params<'_>) -> Result<()> {
    db.execute_later(sql, params, None)
}

/// Changes rows like [`run_later`]. If no row is changed, the error is `otherwise`.
pub(crate) fn run_some_later(db: Db<'_>, sql: &str, params: Params<'_>, otherwise: &str) -> Result<()> {
    db.execute_later(sql, params, Some(otherwise))
}

/// Changes exactly one row. Fails with the error `otherwise` if the number of changed rows is not 1.
pub(crate) fn run_one(db: Db<'_>, sql: &str, params: Params<'_>, otherwise: &str) -> Result<()> {
    match run(db, sql, params)? {
        1 => Ok(()),
        _ => Err(StoreError::Failed(otherwise.to_owned())),
    }
}

/// Reads the cell that a statement always returns, such as a count or the number of a new row.
pub(crate) fn cell<T: FromCells>(db: Db<'_>, sql: &str, params: Params<'_>) -> Result<T> {
    one(db, sql, params)?.ok_or_else(|| StoreError::Failed("a statement returned no row".to_owned()))
}

/// The tables whose numbers come from a sequence in PostgreSQL, for example `inbox_numbers`.
const OF_SEQUENCES: [&str; 4] = ["inbox", "outbox", "webhook_calls", "changes"];

/// Returns the next number of the sequence that boards and open challenges share.
pub(crate) fn next_board(db: Db<'_>) -> Result<BoardNumber> {
    let number = match db {
        Db::Sqlite(_) => next_rowid(db, "boards")?,
        Db::Postgres(_) => cell(db, "SELECT next_number('boards')", &[])?,
    };
    u32::try_from(number).map(BoardNumber).map_err(|_| StoreError::Failed("all board numbers are used".to_owned()))
}

/// Returns the next number of a table with `AUTOINCREMENT`.
fn next_rowid(db: Db<'_>, table: &str) -> Result<i64> {
    let taken = "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = ?1 RETURNING seq";
    // The row of `sqlite_sequence` does not exist until it is added here or the first row of the table is inserted.
    let first = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, 1)";
    match one(db, taken, params![table])? {
        Some(number) => Ok(number),
        None => run(db, first, params![table]).map(|_| 1),
    }
}

/// Ensures that new numbers of a table are greater than the imported `number`.
pub(crate) fn keep_number(db: Db<'_>, table: &str, number: i64) -> Result<()> {
    match db {
        Db::Sqlite(_) => {
            // The row of `sqlite_sequence` does not exist before the first row of the table is inserted.
            // `sqlite_sequence` has no key, so the statement cannot use `ON CONFLICT`.
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
            run_one(db, sql, params![table, number], "the database does not contain its last numbers")
        }
    }
}
