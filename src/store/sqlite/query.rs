//! Functions to run statements from the connection's cache. They convert errors of `rusqlite` to the store's.

use std::io::{self, ErrorKind};
use std::path::Path;

use rusqlite::{Connection, ErrorCode, OptionalExtension, Params, Row};

use crate::store::{Result, StoreError};

/// Converts an error of SQLite.
pub(crate) fn failed(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged(error.to_string()),
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => StoreError::Denied(error.to_string()),
        _ => StoreError::Failed(error.to_string()),
    }
}

/// Returns the error for a file that the system does not let us use.
pub(crate) fn refused_by_system(path: &Path, what: &str, error: &io::Error) -> StoreError {
    let why = format!("{} cannot be {what}: {error}", path.display());
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::Denied(why),
        _ => StoreError::Failed(why),
    }
}

/// Reads the first row, if any.
pub(crate) fn one<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>> {
    db.prepare_cached(sql).and_then(|mut statement| statement.query_row(params, read).optional()).map_err(failed)
}

/// Changes rows; returns their number.
pub(crate) fn run(db: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    db.prepare_cached(sql).and_then(|mut statement| statement.execute(params)).map_err(failed)
}
