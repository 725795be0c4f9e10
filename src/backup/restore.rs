//! Restores backups, and verifies them with the checks of `turnpost admin check`.

use std::fs::{self, DirBuilder, File, Metadata, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::archive::{self, Manifest};
use super::{BackupError, Result};
use crate::compose::Composer;
use crate::config::DATABASE_FILE;
use crate::numbers::BoardNumber;
use crate::service::record::{Record, record};
use crate::service::{self, CheckReport};
use crate::store::{self, FileCheck, StoreError};
use crate::world::World;

/// Restores a backup into a new data directory. The directory gets its final name after every check has passed.
///
/// # Errors
/// [`BackupError`], if the directory exists and is not empty, or the backup is damaged. An error leaves the
/// directory unchanged.
pub fn restore(file: &Path, data: &Path, world: World) -> Result<(Manifest, Contents)> {
    let data = &std::path::absolute(data).map_err(BackupError::file(data))?;
    let is_empty = || fs::read_dir(data).is_ok_and(|mut files| files.next().is_none());
    if data.try_exists().map_err(BackupError::file(data))? && !is_empty() {
        return Err(BackupError::Exists(data.to_owned()));
    }
    let scratch = Scratch::next_to(data)?;
    let manifest = archive::extract(file, scratch.path())?;
    let contents = verify(scratch.path(), world)?;
    fs::rename(scratch.path(), data).map_err(BackupError::file(data))?;
    Ok((manifest, contents))
}

/// The number of boards and entries in a verified backup.
#[derive(Clone, Copy, Debug)]
pub struct Contents {
    /// The number of boards whose records were replayed.
    pub boards: u32,
    /// The number of entries whose hashes were recomputed.
    pub entries: u32,
}

/// Checks the restored database in a directory: the database checks its file, and the service checks the records.
pub(crate) fn verify(directory: &Path, world: World) -> Result<Contents> {
    let mut faults = Vec::new();
    let contents = check(&directory.join(DATABASE_FILE), world, &mut faults);
    match contents {
        Ok(contents) if faults.is_empty() => Ok(contents),
        // For example, the disk of the directory is full.
        Err(BackupError::Store(StoreError::Disk(why))) => Err(BackupError::file(directory)(io::Error::other(why))),
        Err(error) if !matches!(error, BackupError::Store(_)) => Err(error),
        contents => {
            faults.extend(contents.err().map(|error| format!("{DATABASE_FILE}: {error}")));
            Err(BackupError::Damaged(faults))
        }
    }
}

fn check(database: &Path, world: World, faults: &mut Vec<String>) -> Result<Contents> {
    let mut store = store::open(database, world)?;
    faults.extend(store.integrity_faults(FileCheck::Full)?.iter().map(|fault| format!("{DATABASE_FILE}: {fault}")));
    let checked = store.read().and_then(|tx| service::check(&tx));
    let CheckReport { boards, entries, differences, .. } = match checked {
        // `faults` already lists this damage.
        Err(StoreError::Damaged(_)) if !faults.is_empty() => CheckReport::default(),
        checked => checked?,
    };
    let composer = Composer::new(None, None).map_err(BackupError::Words)?;
    for difference in &differences {
        faults.push(composer.message(difference).map_err(BackupError::Words)?);
    }
    Ok(Contents { boards, entries })
}

/// Reads the record of a board from a backup. Restores the backup temporarily in the directory `data`.
///
/// # Errors
/// [`BackupError`], if the file is not a backup, or is damaged.
pub fn board_record(file: &Path, data: &Path, number: BoardNumber, world: World) -> Result<Option<Record>> {
    let scratch = Scratch::next_to(&data.join(DATABASE_FILE))?;
    archive::extract(file, scratch.path())?;
    let mut store = store::open(scratch.path().join(DATABASE_FILE), world)?;
    let tx = store.read()?;
    let board = tx.board(number)?;
    Ok(board.map(|board| record(&tx, &board)).transpose()?)
}

/// A temporary directory that only its owner can access. It is removed when this value is dropped.
pub(crate) struct Scratch {
    path: PathBuf,
    /// Holds the directory's lock, which the system releases when the process ends.
    lock: File,
}

impl Scratch {
    /// Creates the directory next to a file, and removes those that remain from crashes. Fails if the path does not end
    /// in a name (for example, `..`), because the directory's name is derived from it.
    pub(crate) fn next_to(file: &Path) -> Result<Scratch> {
        let Some(name) = file.file_name() else {
            return Err(BackupError::file(file)(ErrorKind::InvalidFilename.into()));
        };
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Without this check, the error would name the temporary directory.
        fs::metadata(parent).map_err(BackupError::file(parent))?;
        let mut start = name.to_owned();
        start.push(".scratch-");
        remove_abandoned(parent, start.as_encoded_bytes());
        // Processes of two containers can have the same id.
        let mut id = std::process::id();
        loop {
            let path = file.with_added_extension(format!("scratch-{id}"));
            match create_locked(&path).map_err(BackupError::file(&path))? {
                Some(lock) => return Ok(Scratch { path, lock }),
                None => id += 1,
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The directory may have been renamed. A directory that cannot be removed is harmless.
        if is_at(&self.lock, &self.path) {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Creates a directory and locks it. Returns `None` if the path exists, or if another process locked or removed the
/// directory before this one could lock it.
fn create_locked(path: &Path) -> io::Result<Option<File>> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
        created => created?,
    }
    let lock = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    // Ignore other errors. On a file system without locks, no other process removes the directory.
    let is_taken = matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
    Ok((!is_taken && is_at(&lock, path)).then_some(lock))
}

/// Returns whether this open directory still has this path.
fn is_at(directory: &File, path: &Path) -> bool {
    let id = |metadata: &Metadata| (metadata.dev(), metadata.ino());
    let (opened, found) = (directory.metadata(), fs::symlink_metadata(path));
    opened.is_ok_and(|opened| found.is_ok_and(|found| id(&opened) == id(&found)))
}

/// Removes temporary directories whose processes have ended. Their names begin with `start`, followed by a process id.
fn remove_abandoned(parent: &Path, start: &[u8]) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let id = name.as_encoded_bytes().strip_prefix(start);
        if id.is_some_and(|id| id.iter().all(u8::is_ascii_digit))
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
            && let Ok(directory) = File::open(entry.path())
            && directory.try_lock().is_ok()
            && is_at(&directory, &entry.path())
        {
            // A directory of another user cannot be removed.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_with_the_same_id_use_different_directories() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("new");
        let first = Scratch::next_to(&file).unwrap();
        fs::write(first.path().join("turnpost.db"), "restored").unwrap();
        let second = Scratch::next_to(&file).unwrap();
        assert_ne!(first.path(), second.path());
        let path = second.path().to_owned();
        fs::rename(&path, &file).unwrap();
        // Another process takes the name that has become free.
        let third = Scratch::next_to(&dir.path().join("new")).unwrap();
        assert_eq!(third.path(), path);
        drop(second);
        assert!(third.path().exists() && first.path().join("turnpost.db").exists() && file.exists());
    }
}
