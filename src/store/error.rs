//! Errors of the store, and the faults that the simulation injects.

use std::path::PathBuf;

use super::record::RecordError;
use crate::text::Message;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A newer turnpost created or upgraded the database.
    #[error(
        "the database has version {found} and was created by a newer turnpost; this one supports versions up to {known}: install the newer turnpost, or restore a backup"
    )]
    TooNew {
        /// The version of the database.
        found: u32,
        /// The latest version that this turnpost supports.
        known: u32,
    },
    /// A turnpost before version 1.0.0 created the database.
    #[error(
        "the database was created by a turnpost before 1.0.0: export it with that program (turnpost admin export), and import the export into a new database, as docs/run/install-upgrade.md says"
    )]
    Unreleased,
    /// A read-only database needs an upgrade.
    #[error(
        "the database has version {found}, and this turnpost reads version {known}: run any command without --read-only to upgrade it"
    )]
    TooOld {
        /// The version of the database.
        found: u32,
        /// The version that this turnpost reads.
        known: u32,
    },
    /// An upgrade would break other running programs. Nothing was changed.
    #[error(
        "the database is in use by an older turnpost ({0} connections), which would fail after an upgrade: replace the older program on every machine and stop it, then start this one again"
    )]
    OlderAtWork(String),
    /// This program does not have the permissions that it needs for the database.
    #[error("the database cannot be used: {0}")]
    Denied(String),
    /// The server does not have this database.
    #[error("there is no such database: {0}")]
    NoSuchDatabase(String),
    /// The file does not exist.
    #[error("there is no database {}", .0.display())]
    Missing(PathBuf),
    /// The file is not a database of turnpost. Nothing was changed.
    #[error("{} is not a database of turnpost: {what}. Nothing was changed; restore a backup, or correct the directory", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The kind of the file, as a clause.
        what: &'static str,
    },
    /// The file is damaged.
    #[error("the database is damaged ({0}); stop turnpost and restore a backup, as docs/run/backups.md says")]
    Damaged(String),
    /// The database's log (`-wal`) was removed or replaced while it was in use, or before SQLite could recover from it.
    #[error(
        "{} was removed or replaced while the database was in use, so turnpost stopped using it: see docs/run/backups.md", .0.display()
    )]
    LogRemoved(PathBuf),
    /// A log file (`-wal`) exists without its database. If a new database were created, SQLite would apply the log to
    /// it.
    #[error("{} is the log of a missing database: restore the database, or move its log away", .0.display())]
    OrphanLog(PathBuf),
    /// The database was locked until the timeout; retry later.
    #[error("the database is busy; try again later")]
    Busy,
    /// Another program wrote the same rows, or there was a deadlock; retry immediately.
    #[error("the database is busy; try again later")]
    Conflict,
    /// The database has no tables yet.
    #[error("the database {0} is empty")]
    Empty(String),
    /// The database has tables of another program. Nothing was changed.
    #[error(
        "the database {0} contains tables of another program. Nothing was changed; correct the address, or give turnpost a separate database or schema"
    )]
    ForeignSchema(String),
    /// The database has another encoding than UTF-8.
    #[error(
        "the database {0} is not encoded in UTF-8: create another one (createdb --encoding=UTF8 --template=template0), and write its name in the address"
    )]
    NotUtf8(String),
    /// The server is unreachable, or the connection broke. Nothing was changed; retry later.
    #[error("the database cannot be reached ({0}); try again later")]
    Unreachable(String),
    /// The connection broke during a commit. The transaction was committed completely or not at all.
    #[error(
        "the connection to the database broke ({0}) during a commit, which may have succeeded: check the result, or try again"
    )]
    CommitUnknown(String),
    /// The data were moved to another database.
    #[error("the server has moved to {0}: {advice}", advice = advice_after_move(.0))]
    Moved(String),
    /// The operation needs a database file, but the database is on a server.
    #[error(
        "the database is on a server, whose files turnpost does not copy: back it up with the server's tools (pg_dump, or point-in-time recovery), or use `turnpost admin export`; see docs/run/postgresql.md"
    )]
    NoFile,
    /// The entry breaks a rule of the record.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// A second copy of a message was processed as if it were the first.
    #[error("message {0} of the inbox has the same identity, so this is a second copy")]
    SecondCopy(i64),
    /// A stored value or record is invalid. Do not retry.
    #[error("the database contains an invalid record: {0}")]
    WrongRecord(Message),
    /// The file cannot be read or written, for example because the disk is full. Its content may be intact.
    #[error("the database cannot be read or written: {0}")]
    Disk(String),
    /// Any other failure.
    #[error("the database failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// Returns the error for writing to a read-only database.
    pub(crate) fn only_read() -> StoreError {
        StoreError::Denied("it was opened for reading only".to_owned())
    }
}

/// Returns how to change the configuration after a move to a database file or a PostgreSQL database.
fn advice_after_move(there: &str) -> &'static str {
    if there.contains("://") {
        "set `database` in turnpost.toml to the address that you gave to `turnpost admin move`"
    } else {
        "this database is no longer used. In the directory of that file, remove `database` from turnpost.toml; other nodes cannot use the file"
    }
}

/// An error type that can contain an error of the store.
pub trait Failure: From<StoreError> {
    /// Returns the contained error of the store, if any.
    fn of_store(&self) -> Option<&StoreError>;
}

impl Failure for StoreError {
    fn of_store(&self) -> Option<&StoreError> {
        Some(self)
    }
}

/// The result of the store's functions.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Decides when a store fails, in the simulation.
pub trait StoreFaults: Send + Sync {
    /// Called before a write transaction begins. If it returns `true`, the transaction fails with [`StoreError::Busy`].
    fn fails_to_begin(&self) -> bool;
    /// Called repeatedly while a statement is running (SQLite), or before each request to the server (PostgreSQL). If
    /// it returns `true`, the statement fails as interrupted, and its transaction is rolled back.
    fn fails_in_statement(&self) -> bool;
    /// Called before a transaction with changes is committed. If it returns `true`, the transaction is rolled back.
    fn fails_to_commit(&self) -> bool;
}
