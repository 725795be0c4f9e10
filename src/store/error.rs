//! Failures of the store.

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
    /// The database is busy beyond the timeout; try again later.
    #[error("the database is busy; try again later")]
    Busy,
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

/// The result of every call.
pub type Result<T> = std::result::Result<T, StoreError>;
