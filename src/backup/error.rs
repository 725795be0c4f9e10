//! Failures of backups.

use std::io;
use std::path::{Path, PathBuf};

use crate::store::StoreError;

/// A failure of a backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The file is something else.
    #[error("{} is no backup of turnpost", .0.display())]
    NotABackup(PathBuf),
    /// The file was made by a later version of turnpost.
    #[error("the backup was made by turnpost {0}, in a form that this version does not know")]
    TooNew(String),
    /// The file is damaged: what and where, a place each.
    #[error("the backup is damaged:\n{}", .0.join("\n"))]
    Damaged(Vec<String>),
    /// A backup was made and could not be proved.
    #[error("the backup could not be proved, and is kept as {}: {why}", kept.display())]
    Unproved {
        /// Its file.
        kept: PathBuf,
        /// Why not.
        why: Box<BackupError>,
    },
    /// There is something where the backup is to be restored.
    #[error("{} is there already; a backup is restored into a new directory", .0.display())]
    Exists(PathBuf),
    /// A failure of the database that is backed up.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A message of the check that cannot be put into words.
    #[error("{0:#}")]
    Words(anyhow::Error),
}

impl BackupError {
    /// A file that cannot be read or written.
    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
        move |error| BackupError::File { path: path.to_owned(), error }
    }

    /// Whether a backup is at fault, and neither the machine nor the command.
    pub fn is_damage(&self) -> bool {
        use BackupError::{Damaged, NotABackup, TooNew, Unproved};
        matches!(self, Damaged(_) | NotABackup(_) | TooNew(_) | Unproved { .. })
    }
}

/// The result of every call.
pub(super) type Result<T> = std::result::Result<T, BackupError>;
