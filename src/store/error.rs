//! Failures of the store.

use std::path::PathBuf;

use super::record::RecordError;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A later turnpost made the database.
    #[error(
        "the database is of version {found}, made by a newer turnpost; this one knows versions up to {known}: install the newer turnpost, or restore a backup"
    )]
    TooNew {
        /// The version of the database.
        found: u32,
        /// The last version that this turnpost knows.
        known: u32,
    },
    /// A turnpost before version 1.0.0 made the database.
    #[error(
        "the database was made by a turnpost before 1.0.0: export it with that program (turnpost admin export), and import the export into a new database, as docs/run/install-upgrade.md says"
    )]
    Unreleased,
    /// The database needs an upgrade, and is only read.
    #[error(
        "the database is of version {found}, and this turnpost reads version {known}: upgrade it first, by any command without --read-only"
    )]
    TooOld {
        /// The version of the database.
        found: u32,
        /// The version that this turnpost reads.
        known: u32,
    },
    /// Programs at work could not use the database any more if it were upgraded. It was left as it is.
    #[error(
        "the database is in use by an older turnpost ({0} connections), which could not go on after an upgrade: replace the older program on every machine and stop it, then start this one again"
    )]
    OlderAtWork(String),
    /// This program may not use the database.
    #[error("the database cannot be used: {0}")]
    Denied(String),
    /// The server has no database of this name.
    #[error("there is no such database: {0}")]
    NoSuchDatabase(String),
    /// There is no file.
    #[error("there is no database {}", .0.display())]
    Missing(PathBuf),
    /// The file is no database of turnpost. It was left as it is.
    #[error("{} is no database of turnpost: {what}. It was left as it is; restore a backup, or correct the directory", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: ForeignFile,
    },
    /// The file is damaged.
    #[error("the database is damaged ({0}); stop turnpost and restore a backup, as docs/run/backups.md says")]
    Damaged(String),
    /// The log beside the file was removed or replaced while the database was in use, or before it was recovered from.
    #[error(
        "{} was removed or replaced while the database was in use, and nothing more is done with it: see docs/run/backups.md", .0.display()
    )]
    LogRemoved(PathBuf),
    /// A log without its file, which SQLite would apply to a new database.
    #[error("{} is the log of a database that is gone: restore that, or move its log", .0.display())]
    OrphanLog(PathBuf),
    /// The database is busy beyond the timeout; try again later.
    #[error("the database is busy; try again later")]
    Busy,
    /// Another transaction wrote at the same place, or each waited for the other; the same can be done again at once.
    #[error("the database is busy; try again later")]
    Conflict,
    /// A transaction that writes beside others was asked for what only one that writes alone may do.
    #[error("this is written by a transaction that writes alone")]
    NeedsExclusive,
    /// The database is in use by nobody yet: it was not set up.
    #[error("the database {0} is empty")]
    Empty(String),
    /// The database holds tables of another program. They were left as they are.
    #[error(
        "the database {0} holds tables that are not turnpost's. They were left as they are; correct the address, or give turnpost a database or a schema of its own"
    )]
    ForeignSchema(String),
    /// The server of the database cannot be reached, or a connection to it broke. Nothing was done; try again later.
    #[error("the database cannot be reached ({0}); try again later")]
    Unreachable(String),
    /// The connection broke while a transaction was being committed. It was done as a whole or not at all.
    #[error(
        "the connection to the database broke ({0}) while something was being stored: it is stored or not; look, or try again"
    )]
    CommitUnknown(String),
    /// The server has moved to another database.
    #[error("the server has moved to {0}: set `database` in turnpost.toml as `turnpost admin move` said")]
    Moved(String),
    /// What was asked is done with files, and the database is none.
    #[error(
        "the database is a server's, whose files turnpost does not copy: back it up with the server's own means (pg_dump, or point-in-time recovery), or use `turnpost admin export`; see docs/run/postgresql.md"
    )]
    NoFile,
    /// An entry that cannot be the next one of its record.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// A second mail of one identity, closed as if it were the first.
    #[error("mail {0} of the inbox has this identity already: this is a second copy")]
    SecondCopy(i64),
    /// Any other failure.
    #[error("the database failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// The error of writing to a database that was opened for reading only.
    pub(super) fn only_read() -> StoreError {
        StoreError::Denied("it was opened for reading only".to_owned())
    }
}

/// What a file is instead of a database of turnpost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForeignFile {
    /// A file of no bytes.
    #[error("it is empty")]
    Empty,
    /// Something that SQLite cannot read.
    #[error("it is not an SQLite database")]
    NotSqlite,
    /// The database of another program.
    #[error("it is the SQLite database of another program")]
    OtherProgram,
}

/// An error that may be the store's.
pub trait Failure: From<StoreError> {
    /// The store's error, if it is one.
    fn of_store(&self) -> Option<&StoreError>;
}

impl Failure for StoreError {
    fn of_store(&self) -> Option<&StoreError> {
        Some(self)
    }
}

/// The result of every call.
pub type Result<T> = std::result::Result<T, StoreError>;
