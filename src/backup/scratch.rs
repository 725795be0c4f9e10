//! Directories that are removed again.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::error::{BackupError, Result};

/// A directory for its owner alone, which is removed when it is dropped.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes it beside a file, in place of one that a crash has left.
    pub(super) fn beside(file: &Path) -> Result<Scratch> {
        let path = file.with_added_extension(format!("scratch-{}", std::process::id()));
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(BackupError::file(&path)(error)),
            _ => {}
        }
        DirBuilder::new().mode(0o700).create(&path).map_err(BackupError::file(&path))?;
        Ok(Scratch(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It was renamed perhaps; and what cannot be removed harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}
