//! Functions to run statements. A connection prepares each statement once.

use super::db::{Db, Row};
use super::value::{Cell, Params};
use crate::store::{Result, StoreError};

/// Reads the first row, if any.
pub(crate) fn one<T>(
    db: Db<'_>,
    sql: &str,
    params: Params<'_>,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let (mut read, mut found) = (Some(read), None);
    db.query(sql, params, &mut |row| {
        found = read.take().map(|read| read(row)).transpose()?;
        Ok(false)
    })?;
    Ok(found)
}

/// Reads all rows.
pub(crate) fn all<T>(
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

/// Changes rows, on PostgreSQL together with the next statement: an error may be that of a later call, or of the commit.
pub(crate) fn run_later(db: Db<'_>, sql: &str, params: Params<'_>) -> Result<()> {
    db.execute_later(sql, params, None)
}

/// Sends what was to be changed later, and returns the first error.
pub(crate) fn flush(db: Db<'_>) -> Result<()> {
    if let Db::Postgres(db) = db { db.flush() } else { Ok(()) }
}

/// Changes at least one row as [`run_later`] does; `otherwise` is the error when there is none.
pub(crate) fn run_some_later(db: Db<'_>, sql: &str, params: Params<'_>, otherwise: &str) -> Result<()> {
    db.execute_later(sql, params, Some(otherwise))
}

/// Changes exactly one row; `otherwise` is the error if there is none.
pub(crate) fn run_one(db: Db<'_>, sql: &str, params: Params<'_>, otherwise: &str) -> Result<()> {
    match run(db, sql, params)? {
        1 => Ok(()),
        _ => Err(StoreError::Failed(otherwise.to_owned())),
    }
}

/// Reads the cell that a statement always returns, such as a count or the number of a new row.
pub(crate) fn cell<T: Cell>(db: Db<'_>, sql: &str, params: Params<'_>) -> Result<T> {
    let found = one(db, sql, params, |row| row.get(0))?;
    found.ok_or_else(|| StoreError::Failed("a statement returned no row".to_owned()))
}
