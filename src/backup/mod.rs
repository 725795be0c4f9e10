//! Backups: one file with the database and the configuration, created while the server runs.
//!
//! A backup is valid only once it is verified: its file is read again, the database is restored in a temporary
//! directory and checked by the database itself, and every board is replayed.
//!
//! - `make`: creates a backup, on request or on the schedule of `serve`, and records the last verified one.
//! - `restore`: restores and verifies a backup, or reads one of its boards.
//! - `archive`: the file format, a compressed tar with a manifest, and the list of configuration files.

mod archive;
mod make;
mod restore;

use std::io;
use std::path::{Path, PathBuf};

use crate::store::StoreError;

pub use archive::{Manifest, ManifestFile};
pub use make::{Backup, LastBackup, Schedule, ScheduleResult, Verified};
pub use restore::{Contents, board_record, restore};

/// An error that occurs when a backup is created, restored or read.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The file is not a backup.
    #[error("{} is not a backup of turnpost", .0.display())]
    NotABackup(PathBuf),
    /// The backup was created by a later version of turnpost.
    #[error("the backup was created by turnpost {0}; use that version or a later one")]
    TooNew(String),
    /// The file is damaged. Contains a description of each damaged place.
    #[error("the backup is damaged:\n{}", .0.join("\n"))]
    Damaged(Vec<String>),
    /// A new backup could not be verified.
    #[error("the backup could not be verified; it remains as {}: {why}", kept.display())]
    Unverified {
        /// The file of the backup.
        kept: PathBuf,
        /// The cause.
        why: Box<BackupError>,
    },
    /// The directory to restore into exists already, and is not empty.
    #[error("{} already exists; restore the backup into a new directory", .0.display())]
    Exists(PathBuf),
    /// The database returned an error.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The check found a problem, but the templates lack the text that describes it.
    #[error("{0:#}")]
    Words(anyhow::Error),
}

impl BackupError {
    /// Creates the error for a file that cannot be read or written.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
        move |error| BackupError::File { path: path.to_owned(), error }
    }

    /// Returns whether the backup itself is damaged or unusable. Other errors are caused by the machine or the
    /// command.
    pub fn is_damage(&self) -> bool {
        use BackupError::{Damaged, NotABackup, TooNew, Unverified};
        match self {
            Damaged(_) | NotABackup(_) | TooNew(_) => true,
            Unverified { why, .. } => why.is_damage(),
            _ => false,
        }
    }
}

/// The result of every backup function.
pub(crate) type Result<T> = std::result::Result<T, BackupError>;
