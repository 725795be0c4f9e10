//! The log beside a database's file, which somebody may remove while we use it.
//!
//! What was committed stands in the log until SQLite moves it to the file. SQLite goes on writing to a log that was
//! removed, which nobody else sees, and which is gone with the last process that has it open. So each transaction looks
//! whether the log is still the one that its connection has open. While that process lives nothing is lost: SQLite moves
//! what is in the log to the file when the last connection is closed.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::store::{Result, StoreError};

/// The log that a connection has open.
pub(super) struct Log {
    path: PathBuf,
    /// Device and number of the file.
    file: (u64, u64),
}

impl Log {
    /// The log of a connection that has just read from the database at this path.
    pub(super) fn of(database: &Path) -> Result<Log> {
        let path = beside(database, "-wal");
        match look(&path)? {
            Some(file) => Ok(Log { path, file }),
            None => Err(StoreError::LogRemoved(path)),
        }
    }

    /// Fails when the log was removed or replaced.
    pub(super) fn check(&self) -> Result<()> {
        if look(&self.path)? == Some(self.file) { Ok(()) } else { Err(StoreError::LogRemoved(self.path.clone())) }
    }
}

/// Fails when the log was removed while others have the database open, or before a crash was recovered from: the index
/// of the log (`-shm`) is made after it and removed before it.
pub(super) fn is_complete(database: &Path) -> Result<()> {
    let (log, index) = (beside(database, "-wal"), beside(database, "-shm"));
    // Twice, since the last connection of another process may be closed between two looks.
    for _ in 0..2 {
        if look(&index)?.is_none() || look(&log)?.is_some() {
            return Ok(());
        }
    }
    Err(StoreError::LogRemoved(log))
}

/// A file that SQLite keeps beside the database, and not beside a link to it.
fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut path = database.canonicalize().unwrap_or_else(|_| database.to_owned()).into_os_string();
    path.push(ending);
    PathBuf::from(path)
}

fn look(path: &Path) -> Result<Option<(u64, u64)>> {
    match fs::metadata(path) {
        Ok(file) => Ok(Some((file.dev(), file.ino()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::Failed(format!("{} cannot be looked at: {error}", path.display()))),
    }
}
