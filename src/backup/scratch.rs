//! Temporary directories.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::error::{BackupError, Result};

/// A directory that only its owner can access, and that is removed when dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates the directory next to a file, and replaces a leftover of a crash.
    pub(crate) fn beside(file: &Path) -> Result<Scratch> {
        let path = file.with_added_extension(format!("scratch-{}", std::process::id()));
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(BackupError::file(&path)(error)),
            _ => {}
        }
        DirBuilder::new().mode(0o700).create(&path).map_err(BackupError::file(&path))?;
        Ok(Scratch(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may have been renamed. A directory that cannot be removed is harmless.
        let _ = fs::remove_dir_all(&self.0);
    }
}
