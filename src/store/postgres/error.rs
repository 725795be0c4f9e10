//! Conversion of the driver's errors to the store's.

use std::error::Error;

use tokio_postgres::error::SqlState;

use crate::store::StoreError;

/// The error code of `refuse_when_moved`; its message is the new location.
const MOVED: &str = "TPMVD";
/// The error code of `refuse_while_older_programs_work`; its message is the number of their connections.
const OLDER: &str = "TPOLD";

/// Converts an error of PostgreSQL. The result contains no values, because these may be private.
pub(crate) fn failed(error: &tokio_postgres::Error) -> StoreError {
    let Some(refusal) = error.as_db_error() else {
        let why = error.source().map_or_else(String::new, |source| format!(": {source}"));
        return if error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>()) {
            StoreError::Unreachable(format!("{error}{why}"))
        } else {
            StoreError::Failed(format!("{error}{why}"))
        };
    };
    let (code, message) = (refusal.code(), refusal.message());
    let broken = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    let conflicts = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    if code.code() == MOVED {
        StoreError::Moved(message.to_owned())
    } else if code.code() == OLDER {
        StoreError::OlderAtWork(message.to_owned())
    } else if *code == SqlState::LOCK_NOT_AVAILABLE {
        StoreError::Busy
    } else if conflicts.contains(code) {
        StoreError::Conflict
    } else if broken.contains(code) || code.code().starts_with("08") {
        StoreError::Unreachable(message.to_owned())
    } else if [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED].contains(code) {
        StoreError::Damaged(message.to_owned())
    } else if *code == SqlState::INVALID_CATALOG_NAME {
        StoreError::NoSuchDatabase(message.to_owned())
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE || code.code().starts_with("28") {
        StoreError::Denied(message.to_owned())
    } else {
        StoreError::Failed(format!("{message} ({})", code.code()))
    }
}
