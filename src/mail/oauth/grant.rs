//! The file with the refresh token: readable only by its owner, and replaced atomically.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::error::OAuthError;
use super::secret::Secret;
use crate::world::Deadline;

/// How long to wait for the lock. Its holder sends one request to the provider, which takes at most 10 seconds.
const LOCKED: Duration = Duration::from_secs(12);
/// The wait between two attempts at the lock.
const LOCK_RETRY: Duration = Duration::from_millis(50);

/// The content of the file.
#[derive(Deserialize)]
struct Grant {
    refresh_token: Secret,
}

/// A version of the file: its inode and modification time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version(u64, i64, i64);

/// The file with the refresh token.
pub(crate) struct GrantFile<'a>(pub(crate) &'a Path);

impl GrantFile<'_> {
    /// Takes the lock that protects the token: a provider may revoke all tokens when two processes use the same refresh
    /// token.
    pub(crate) fn lock(&self) -> Result<File, OAuthError> {
        self.lock_within(LOCKED)
    }

    fn lock_within(&self, time: Duration) -> Result<File, OAuthError> {
        let path = self.0.with_extension("lock");
        let failed = |why: String| OAuthError::Temporary(format!("cannot lock {}: {why}", path.display()));
        let file = self.create(&path).map_err(|error| failed(error.to_string()))?;
        let until = Deadline::after(time);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(failed(error.to_string())),
                Err(TryLockError::WouldBlock) if until.left().is_none() => {
                    return Err(failed(format!("another process has held it for {} seconds", time.as_secs())));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_RETRY),
            }
        }
    }

    /// Reads the refresh token.
    pub(crate) fn read(&self) -> Result<Secret, OAuthError> {
        let again = "run `turnpost admin authorize-mailbox`";
        match fs::read_to_string(self.0) {
            Ok(text) => match serde_json::from_str::<Grant>(&text) {
                Ok(grant) => Ok(grant.refresh_token),
                // The parser's error would quote the text.
                Err(_) => Err(OAuthError::Permanent(format!("{} is damaged: {again}", self.0.display()))),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(OAuthError::Permanent(format!("the mailbox is not authorized yet: {again}")))
            }
            Err(error) => Err(OAuthError::Permanent(format!("cannot read {}: {error}", self.0.display()))),
        }
    }

    /// Returns the current version of the file.
    pub(crate) fn version(&self) -> Option<Version> {
        fs::metadata(self.0).ok().map(|file| Version(file.ino(), file.mtime(), file.mtime_nsec()))
    }

    /// Stores a refresh token durably.
    pub(crate) fn store(&self, token: &Secret) -> io::Result<()> {
        let unfinished = self.0.with_extension("unfinished");
        let mut file = self.create(&unfinished)?;
        file.set_len(0)?;
        writeln!(file, "{}", json!({ "refresh_token": token.reveal() }))?;
        file.sync_all()?;
        fs::rename(&unfinished, self.0)?;
        File::open(self.directory())?.sync_all()
    }

    /// Opens a file that belongs to the directory's owner: root may run a command, and another user the server.
    fn create(&self, path: &PathBuf) -> io::Result<File> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
        let (own, directory) = (file.metadata()?, fs::metadata(self.directory())?);
        if own.uid() != directory.uid() {
            // Only root can change the owner, and only root needs to.
            let _ = fchown(&file, Some(directory.uid()), Some(directory.gid()));
        }
        Ok(file)
    }

    fn directory(&self) -> &Path {
        self.0.parent().unwrap_or(Path::new("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_for_the_lock_ends() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("grant.json");
        let file = GrantFile(&path);
        let held = file.lock().unwrap();
        let refused = file.lock_within(Duration::ZERO).unwrap_err();
        assert!(refused.to_string().contains("another process has held it"), "{refused}");
        drop(held);
        assert!(file.lock_within(Duration::ZERO).is_ok());
    }
}
