//! Exports a server's content as lines of JSON, and rebuilds a server from them.
//!
//! An export moves a server to another machine or database. Its first line describes it. Then each row of each table
//! has a line: the name of the table, and each column as the schema lists it, so a new table or column needs no change
//! here. The last line counts the rows, so that a truncated file is detected. A rebuilt server continues where the old
//! one stopped: waiting mail is processed, waiting letters are sent, duplicates of mail are recognized, and with the
//! key of the instance, replies to earlier letters are valid. The key is included only if it is encrypted with a
//! passphrase. [`NOT_MOVED`] lists the omitted tables.
//!
//! An import verifies everything: each row fits the schema, and the check of all data replays each board, recomputes
//! each hash, and compares the ratings, which are computed from the boards.

mod boards;
mod export;
mod import;
mod loader;
mod player;
mod previous;
mod seal;
mod tables;

use crate::message;
use crate::store::StoreError;
use crate::text::Message;

pub use boards::{RestoredBoard, record_in_export, restore_board};
pub use export::export_server;
pub use export::{Fingerprint, fingerprint, lines_in};
pub use import::{check_first_line, import};
pub use player::export_player;
pub use seal::Passphrase;
pub use tables::{Counts, NOT_MOVED};

/// The name and version of the format.
pub const FORMAT: &str = "turnpost export 3";

/// Why an export or import failed.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Reading or writing failed.
    #[error("it cannot be read or written")]
    Io(#[from] std::io::Error),
    /// A line of the import is invalid.
    #[error("line {line}: {what}; nothing is imported")]
    Line {
        /// The line number, from 1.
        line: usize,
        /// What is wrong with the line.
        what: Message,
    },
    /// The target database is not empty.
    #[error("{0}")]
    NotEmpty(Message),
    /// The userid does not exist.
    #[error("no player has the userid \"{0}\"")]
    NoPlayer(String),
}

impl TransferError {
    /// Describes what is wrong with the export or the database, for the administrator; `None` for other errors.
    pub fn message(&self) -> Option<Message> {
        match self {
            TransferError::Line { line, what } => Some(message!("import.line", line = *line, what = what.clone())),
            TransferError::NotEmpty(there) => Some(there.clone()),
            TransferError::Store(_) | TransferError::Io(_) | TransferError::NoPlayer(_) => None,
        }
    }
}

type Result<T> = std::result::Result<T, TransferError>;
