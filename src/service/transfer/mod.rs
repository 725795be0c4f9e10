//! Exports a server's content as lines of JSON, and rebuilds a server from them.
//!
//! An export serves to move to another machine or database, and to give players their own data. Its first line
//! describes it. Then each player, open challenge, board, letter and message has a line. The last line contains the
//! counts, so that a truncated file is detected. A rebuilt server continues where the old one stopped: waiting mail
//! is processed, waiting letters are sent, duplicates of mail are recognized, and with the key of the instance,
//! replies to earlier letters are valid. The key is included only if it is encrypted with a passphrase. Sessions,
//! login links, pending webhook calls and the counters of limits are omitted.
//!
//! An import verifies everything: it recomputes each hash, plays each move, computes the ratings from the boards, and
//! applies the same check to each board as to our own.

mod boards;
mod correspondence;
mod export;
mod fault;
mod fingerprint;
mod import;
mod lines;
mod players;
mod puzzles;
mod restore_board;
mod seal;

use crate::message;
use crate::store::StoreError;
use crate::text::Message;

pub use export::{export_player, export_server};
pub use fingerprint::{Fingerprint, fingerprint, lines_in};
pub use import::import;
pub use lines::Counts;
pub use restore_board::{RestoredBoard, record_in_export, restore_board};
pub use seal::Passphrase;

/// The name and version of the format.
pub const FORMAT: &str = "turnpost export 2";
/// The previous version, which can also be imported. It has neither letters nor mail, and no key.
const FORMAT_1: &str = "turnpost export 1";

/// Why an export or import failed.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Reading or writing failed.
    #[error("it cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// A line of the import is invalid.
    #[error("line {line}: {what}; nothing is imported")]
    Line {
        /// The line number, from 1.
        line: usize,
        /// The fault.
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
    /// Returns the fault in the export or the database, for the administrator; `None` for other errors.
    pub fn message(&self) -> Option<Message> {
        match self {
            TransferError::Line { line, what } => Some(message!("import.line", line = *line, what = what.clone())),
            TransferError::NotEmpty(there) => Some(there.clone()),
            TransferError::Store(_) | TransferError::Io(_) | TransferError::NoPlayer(_) => None,
        }
    }
}

type Result<T> = std::result::Result<T, TransferError>;
