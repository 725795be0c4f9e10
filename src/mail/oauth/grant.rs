//! The file of the refresh token: for its owner alone, replaced at once or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

use super::error::OAuthError;
use super::secret::Secret;

/// What stands in the file.
#[derive(Deserialize)]
struct Grant {
    refresh_token: Secret,
}

/// One of the files that there were under a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Version(u64, i64, i64);

/// The file of the refresh token.
pub(super) struct GrantFile<'a>(pub(super) &'a Path);

impl GrantFile<'_> {
    /// Takes the lock under which the token is used and replaced: a provider may revoke all tokens when two processes use
    /// the same one.
    pub(super) fn lock(&self) -> Result<File, OAuthError> {
        let locked = self.create(&self.0.with_extension("lock")).and_then(|file| {
            file.lock()?;
            Ok(file)
        });
        locked.map_err(|error| OAuthError::Temporary(format!("cannot lock {}: {error}", self.0.display())))
    }

    /// The refresh token.
    pub(super) fn read(&self) -> Result<Secret, OAuthError> {
        let again = "run `turnpost admin authorize-mailbox`";
        match fs::read_to_string(self.0) {
            Ok(text) => match serde_json::from_str::<Grant>(&text) {
                Ok(grant) => Ok(grant.refresh_token),
                // The error would quote the text.
                Err(_) => Err(OAuthError::Permanent(format!("{} is damaged: {again}", self.0.display()))),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(OAuthError::Permanent(format!("the mailbox is not authorized yet: {again}")))
            }
            Err(error) => Err(OAuthError::Permanent(format!("cannot read {}: {error}", self.0.display()))),
        }
    }

    /// Which of the files it is that there were under this name.
    pub(super) fn version(&self) -> Option<Version> {
        fs::metadata(self.0).ok().map(|file| Version(file.ino(), file.mtime(), file.mtime_nsec()))
    }

    /// Stores a refresh token; it is on disk when this returns.
    pub(super) fn store(&self, token: &Secret) -> io::Result<()> {
        let unfinished = self.0.with_extension("unfinished");
        let mut file = self.create(&unfinished)?;
        file.set_len(0)?;
        writeln!(file, "{}", json!({ "refresh_token": token.reveal() }))?;
        file.sync_all()?;
        fs::rename(&unfinished, self.0)?;
        File::open(self.directory())?.sync_all()
    }

    /// Opens a file of the directory's owner: a command may be run by root, and the server as another user.
    fn create(&self, path: &PathBuf) -> io::Result<File> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
        let (own, directory) = (file.metadata()?, fs::metadata(self.directory())?);
        if own.uid() != directory.uid() {
            // Only root can, and only root must.
            let _ = fchown(&file, Some(directory.uid()), Some(directory.gid()));
        }
        Ok(file)
    }

    fn directory(&self) -> &Path {
        self.0.parent().unwrap_or(Path::new("."))
    }
}
