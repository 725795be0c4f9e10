//! What a server holds, as lines of JSON, and a server rebuilt from them.
//!
//! An export is for moving to another machine or database, and for players who want their own data. Its first line says
//! what it is; then each player, open challenge, board, letter and mail has a line, and the last line counts them, so that
//! a file that was cut is noticed. A server that is rebuilt from it goes on where the other stopped: mails that wait are
//! processed, letters that wait are sent, second copies of mails are known, and with the key of the instance, answers to
//! letters that were sent before count. The key is in the export only sealed by a passphrase. What is left out: sessions
//! and links that log in, calls of webhooks that wait, and what limits count.
//!
//! An import believes nothing: each hash is computed again, each move is played, the ratings are computed from the
//! boards, and each board must pass the same check as one of our own.

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
/// The version before, which is imported as well: it has neither letters nor mails, and no key.
const FORMAT_1: &str = "turnpost export 1";

/// Why nothing was exported or imported.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Reading or writing failed.
    #[error("it cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// A line of the import is wrong.
    #[error("line {line}: {what}; nothing is imported")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong.
        what: Message,
    },
    /// The database to import into holds something.
    #[error("{0}")]
    NotEmpty(Message),
    /// Nobody has this userid.
    #[error("no player has the userid \"{0}\"")]
    NoPlayer(String),
}

impl TransferError {
    /// What is wrong with the export or the database, for the administrator; `None` for errors of other kinds.
    pub fn message(&self) -> Option<Message> {
        match self {
            TransferError::Line { line, what } => Some(message!("import.line", line = *line, what = what.clone())),
            TransferError::NotEmpty(there) => Some(there.clone()),
            TransferError::Store(_) | TransferError::Io(_) | TransferError::NoPlayer(_) => None,
        }
    }
}

type Result<T> = std::result::Result<T, TransferError>;
