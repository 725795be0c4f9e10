//! The write-ahead log of a database file, which may be removed during use.
//!
//! The log contains committed changes until SQLite copies them to the database file. If the log is removed, SQLite
//! continues to write to it, but no other process sees it, and it disappears with the last process that has it open.
//! Each transaction therefore checks that the log still is the one that its connection has open. As long as that
//! process lives, no data are lost, because SQLite copies the log to the file when the last connection is closed.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::store::{Result, StoreError};

/// The log that a connection has open.
pub(crate) struct Log {
    path: PathBuf,
    /// The device and inode of the file.
    file: (u64, u64),
}

impl Log {
    /// Returns the log of a connection that has just read from the database at this path.
    pub(crate) fn of(database: &Path) -> Result<Log> {
        let path = beside(database, "-wal");
        match look(&path)? {
            Some(file) => Ok(Log { path, file }),
            None => Err(StoreError::LogRemoved(path)),
        }
    }

    /// Fails if the log was removed or replaced.
    pub(crate) fn check(&self) -> Result<()> {
        if look(&self.path)? == Some(self.file) { Ok(()) } else { Err(StoreError::LogRemoved(self.path.clone())) }
    }
}

/// Fails if the log was removed during use by another process, or before the recovery after a crash. SQLite creates the
/// index of the log (`-shm`) after the log, and deletes it before the log.
pub(crate) fn is_complete(database: &Path) -> Result<()> {
    let (log, index) = (beside(database, "-wal"), beside(database, "-shm"));
    // Check twice, because another process may close its last connection between the two lookups.
    for _ in 0..2 {
        if look(&index)?.is_none() || look(&log)?.is_some() {
            return Ok(());
        }
    }
    Err(StoreError::LogRemoved(log))
}

/// Returns the path of a file that SQLite stores next to the database, resolving links.
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
