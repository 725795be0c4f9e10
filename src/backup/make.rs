//! Making a backup, and proving it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::archive::{self, Content, Source};
use super::error::{BackupError, Result};
use super::last::LastBackup;
use super::prove::{Contents, DATABASE, prove};
use super::scratch::Scratch;
use super::sources::Configuration;
use crate::config::Config;
use crate::store::Store;
use crate::world::World;

/// The ending of a file that is being written, or that was when the program ended.
pub(super) const UNFINISHED: &str = "unfinished";
/// The ending of a backup that could not be proved.
pub(super) const FAILED: &str = "failed";

/// What is backed up.
#[derive(Clone, Copy)]
pub struct Backup<'a> {
    /// The data directory.
    pub data: &'a Path,
    /// Its configuration.
    pub config: &'a Config,
    /// Time and randomness.
    pub world: World,
}

/// A backup that was proved.
#[derive(Clone, Debug)]
pub struct Proved {
    /// When it was made.
    pub made_at: DateTime<Utc>,
    /// The size of its file.
    pub bytes: u64,
    /// What is in it.
    pub contents: Contents,
    /// Files that the configuration names and that are not there.
    pub missing: Vec<PathBuf>,
}

impl Backup<'_> {
    /// Makes a backup in a file, in place of one that is there. Its name means a proved backup: until then it is called
    /// otherwise.
    ///
    /// # Errors
    /// [`BackupError`]; [`BackupError::Unproved`] says under which name the backup is kept.
    pub fn make(self, store: &mut dyn Store, file: &Path) -> Result<Proved> {
        let made_at = (self.world.now)();
        let unfinished = file.with_added_extension(UNFINISHED);
        let written = self.write(store, &unfinished, made_at);
        let (missing, bytes) = written.inspect_err(|_| {
            // The error is told; half a file is no use to anybody.
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

    /// Writes the archive; returns the files that are missing, and how long it is.
    fn write(self, store: &mut dyn Store, file: &Path, made_at: DateTime<Utc>) -> Result<(Vec<PathBuf>, u64)> {
        let scratch = Scratch::beside(file)?;
        let copy = scratch.path().join(DATABASE);
        store.copy_to(&copy)?;
        let Configuration { mut sources, missing } = Configuration::read(self.data, self.config)?;
        sources.insert(0, Source { name: DATABASE.to_owned(), from: None, content: Content::File(copy) });
        archive::write(file, &sources, made_at)?;
        Ok((missing, fs::metadata(file).map_err(BackupError::file(file))?.len()))
    }

    /// Restores the archive into a directory beside it, and checks that.
    fn prove(self, file: &Path) -> Result<Contents> {
        let scratch = Scratch::beside(file)?;
        archive::extract(file, scratch.path())?;
        prove(scratch.path(), self.world)
    }
}

/// Gives a proved backup its name, for good.
fn name(unfinished: &Path, file: &Path) -> Result<()> {
    let name = || {
        fs::rename(unfinished, file)?;
        let directory = file.parent().filter(|directory| !directory.as_os_str().is_empty());
        File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
    };
    name().map_err(BackupError::file(file))
}
