//! Creates and proves backups.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::archive::{self, Configuration, Content, Source};
use super::restore::{Contents, DATABASE, Scratch, prove};
use super::{BackupError, Result};
use crate::config::Config;
use crate::state_file;
use crate::store::Store;
use crate::world::World;

/// The extension of an incomplete file, which may remain after a crash.
pub(crate) const UNFINISHED: &str = "unfinished";
/// The extension of a backup that could not be proved.
pub(crate) const FAILED: &str = "failed";

/// The inputs of a backup.
#[derive(Clone, Copy)]
pub struct Backup<'a> {
    /// The data directory.
    pub data: &'a Path,
    /// The configuration of the server.
    pub config: &'a Config,
    /// The source of time and randomness.
    pub world: World,
}

/// A proved backup.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The time of creation.
    pub made_at: DateTime<Utc>,
    /// The size of the file.
    pub bytes: u64,
    /// The contents of the restored backup.
    pub contents: Contents,
    /// Missing files that the configuration names.
    pub missing: Vec<PathBuf>,
}

impl Backup<'_> {
    /// Creates a backup file, and replaces an existing one. Only a proved backup has the final name.
    ///
    /// # Errors
    /// [`BackupError`]; [`BackupError::Unproved`] contains the name of the unproved file.
    pub fn make(self, store: &mut dyn Store, file: &Path) -> Result<Proved> {
        let made_at = (self.world.now)();
        let unfinished = file.with_added_extension(UNFINISHED);
        let written = self.write(store, &unfinished, made_at);
        let (missing, bytes) = written.inspect_err(|_| {
            // The original error is reported; an incomplete file is useless.
            let _ = fs::remove_file(&unfinished);
        })?;
        let contents = self.prove(&unfinished).or_else(|why| {
            let kept = file.with_added_extension(FAILED);
            fs::rename(&unfinished, &kept).map_err(BackupError::file(&kept))?;
            Err(BackupError::Unproved { kept, why: Box::new(why) })
        })?;
        name(&unfinished, file)?;
        LastBackup::change(self.data, |last| {
            last.proved_at = Some(made_at);
            last.file = Some(std::path::absolute(file).unwrap_or_else(|_| file.to_owned()));
        })?;
        Ok(Proved { made_at, bytes, contents, missing })
    }

    /// Writes the archive. Returns the missing files and the archive's length.
    fn write(self, store: &mut dyn Store, file: &Path, made_at: DateTime<Utc>) -> Result<(Vec<PathBuf>, u64)> {
        let scratch = Scratch::beside(file)?;
        let copy = scratch.path().join(DATABASE);
        store.copy_to(&copy)?;
        let Configuration { mut sources, missing } = Configuration::read(self.data, self.config)?;
        sources.insert(0, Source { name: DATABASE.to_owned(), from: None, content: Content::File(copy) });
        archive::write(file, &sources, made_at)?;
        Ok((missing, fs::metadata(file).map_err(BackupError::file(file))?.len()))
    }

    /// Restores the archive into a temporary directory, and checks it.
    fn prove(self, file: &Path) -> Result<Contents> {
        let scratch = Scratch::beside(file)?;
        archive::extract(file, scratch.path())?;
        prove(scratch.path(), self.world)
    }
}

/// Renames a proved backup to its final name, durably.
fn name(unfinished: &Path, file: &Path) -> Result<()> {
    let name = || {
        fs::rename(unfinished, file)?;
        let directory = file.parent().filter(|directory| !directory.as_os_str().is_empty());
        File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
    };
    name().map_err(BackupError::file(file))
}

/// The state of the backups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastBackup {
    /// The creation time of the last proved backup.
    pub proved_at: Option<DateTime<Utc>>,
    /// The file of the last proved backup.
    pub file: Option<PathBuf>,
    /// The time of the last scheduled backup.
    pub scheduled_at: Option<DateTime<Utc>>,
    /// The time of the schedule's first check.
    pub scheduled_since: Option<DateTime<Utc>>,
}

impl LastBackup {
    /// Reads the state; returns the default if the file does not exist or cannot be read.
    pub fn read(data: &Path) -> LastBackup {
        state_file::read(&data.join("backup.json"))
    }

    /// Resets future times, stamped by a clock that was ahead, to `now`, so that the age of a backup starts now. A
    /// schedule without a start also starts now.
    pub(crate) fn not_after(self, now: DateTime<Utc>) -> LastBackup {
        let proved_at = self.proved_at.map(|at| at.min(now));
        let scheduled_since = Some(self.scheduled_since.map_or(now, |since| since.min(now)));
        LastBackup { proved_at, scheduled_since, ..self }
    }

    /// Updates the state.
    pub(crate) fn change(data: &Path, change: impl FnOnce(&mut LastBackup)) -> Result<()> {
        let mut last = LastBackup::read(data);
        change(&mut last);
        let path = data.join("backup.json");
        state_file::write(&path, &last).map_err(BackupError::file(&path))
    }
}
