//! Restores a backup.

use std::fs;
use std::path::Path;

use super::archive::{self, Manifest};
use super::error::{BackupError, Result};
use super::prove::{Contents, prove};
use super::scratch::Scratch;
use crate::world::World;

/// Restores a backup as a new data directory, which gets its final name after every check has passed.
///
/// # Errors
/// [`BackupError`], if the directory exists and is not empty, or the backup is damaged. The directory is then not
/// created.
pub fn restore(file: &Path, data: &Path, world: World) -> Result<(Manifest, Contents)> {
    let is_empty = || fs::read_dir(data).is_ok_and(|mut files| files.next().is_none());
    if data.try_exists().map_err(BackupError::file(data))? && !is_empty() {
        return Err(BackupError::Exists(data.to_owned()));
    }
    let scratch = Scratch::beside(data)?;
    let manifest = archive::extract(file, scratch.path())?;
    let contents = prove(scratch.path(), world)?;
    fs::rename(scratch.path(), data).map_err(BackupError::file(data))?;
    Ok((manifest, contents))
}
