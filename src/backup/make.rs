//! Creates and verifies backups, on request and on a schedule. The schedule also deletes old backups.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::archive::{self, Configuration, Content, Source};
use super::restore::{Contents, Scratch, verify};
use super::{BackupError, Result};
use crate::config::{Config, DATABASE_FILE};
use crate::state_file;
use crate::store::{Store, StoreError};
use crate::world::World;

/// The extension of an incomplete file, which may remain after a crash.
pub(crate) const UNFINISHED: &str = "unfinished";
/// The extension of a backup that could not be verified.
pub(crate) const FAILED: &str = "failed";

/// The inputs for creating a backup.
#[derive(Clone, Copy)]
pub struct Backup<'a> {
    /// The data directory.
    pub data: &'a Path,
    /// The configuration of the server.
    pub config: &'a Config,
    /// The source of time and randomness.
    pub world: World,
}

/// A backup that was restored and checked successfully.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The time when the backup was created.
    pub made_at: DateTime<Utc>,
    /// The size of the file.
    pub bytes: u64,
    /// The number of boards and entries that were checked.
    pub contents: Contents,
    /// Files that the configuration names, but that do not exist.
    pub missing: Vec<PathBuf>,
}

impl Backup<'_> {
    /// Creates a backup file, and replaces an existing one. The file gets its final name only after it has been
    /// verified.
    ///
    /// # Errors
    /// [`BackupError`]; [`BackupError::Unverified`] contains the name of the unverified file.
    pub fn make(self, store: &mut dyn Store, file: &Path) -> Result<Verified> {
        let made_at = (self.world.now)();
        if file.is_dir() {
            return Err(BackupError::file(file)(ErrorKind::IsADirectory.into()));
        }
        let unfinished = file.with_added_extension(UNFINISHED);
        let written = self.write(store, &unfinished, made_at);
        let (missing, bytes) = written.inspect_err(|_| {
            // Ignore a failure: the original error is reported, and an incomplete file is harmless.
            let _ = fs::remove_file(&unfinished);
        })?;
        let contents = self.verify(&unfinished).or_else(|why| {
            let kept = file.with_added_extension(FAILED);
            fs::rename(&unfinished, &kept).map_err(BackupError::file(&kept))?;
            Err(BackupError::Unverified { kept, why: Box::new(why) })
        })?;
        name(&unfinished, file)?;
        LastBackup::change(self.data, |last| {
            last.verified_at = Some(made_at);
            last.file = Some(std::path::absolute(file).unwrap_or_else(|_| file.to_owned()));
        })?;
        Ok(Verified { made_at, bytes, contents, missing })
    }

    /// Writes the archive. Returns the missing files and the archive's length.
    fn write(self, store: &mut dyn Store, file: &Path, made_at: DateTime<Utc>) -> Result<(Vec<PathBuf>, u64)> {
        let scratch = Scratch::next_to(file)?;
        let copy = scratch.path().join(DATABASE_FILE);
        store.copy_to(&copy).map_err(|error| match error {
            StoreError::Disk(why) => BackupError::file(&copy)(io::Error::other(why)),
            error => error.into(),
        })?;
        let Configuration { mut sources, missing } = Configuration::read(self.data, self.config)?;
        sources.insert(0, Source { name: DATABASE_FILE.to_owned(), from: None, content: Content::File(copy) });
        archive::write(file, &sources, made_at)?;
        Ok((missing, fs::metadata(file).map_err(BackupError::file(file))?.len()))
    }

    /// Restores the archive into a temporary directory, and checks it.
    fn verify(self, file: &Path) -> Result<Contents> {
        let scratch = Scratch::next_to(file)?;
        archive::extract(file, scratch.path())?;
        verify(scratch.path(), self.world)
    }
}

/// Renames a verified backup to its final name, and syncs the directory.
fn name(unfinished: &Path, file: &Path) -> Result<()> {
    let name = || {
        fs::rename(unfinished, file)?;
        let directory = file.parent().filter(|directory| !directory.as_os_str().is_empty());
        File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
    };
    name().map_err(BackupError::file(file))
}

/// The last backups and their times, stored in `backup.json` of the data directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastBackup {
    /// The creation time of the last verified backup.
    pub verified_at: Option<DateTime<Utc>>,
    /// The file of the last verified backup.
    pub file: Option<PathBuf>,
    /// The time of the last scheduled backup.
    pub scheduled_at: Option<DateTime<Utc>>,
    /// The time when the schedule was first checked.
    pub scheduled_since: Option<DateTime<Utc>>,
}

impl LastBackup {
    /// Reads the state of the backups; returns the default if the file does not exist or cannot be read.
    pub fn read(data: &Path) -> LastBackup {
        state_file::read(&data.join("backup.json"))
    }

    /// Limits `verified_at` and `scheduled_since` to `now`, so that the age of a backup is never negative. Later times
    /// were stored while the system's clock was fast. Sets `scheduled_since` to `now` if it is `None`.
    pub(crate) fn not_after(self, now: DateTime<Utc>) -> LastBackup {
        let verified_at = self.verified_at.map(|at| at.min(now));
        let scheduled_since = Some(self.scheduled_since.map_or(now, |since| since.min(now)));
        LastBackup { verified_at, scheduled_since, ..self }
    }

    /// Reads the state, changes it, and writes it back to its file.
    pub(crate) fn change(data: &Path, change: impl FnOnce(&mut LastBackup)) -> Result<()> {
        let mut last = LastBackup::read(data);
        change(&mut last);
        let path = data.join("backup.json");
        state_file::write(&path, &last).map_err(BackupError::file(&path))
    }
}

/// The delay before a failed backup is retried.
const RETRY: TimeDelta = TimeDelta::hours(1);
/// The interval between warnings that the last verified backup is old.
const ALARM: TimeDelta = TimeDelta::days(1);
/// The number of schedule intervals after which the last verified backup is reported as old.
const OLD: i32 = 3;
/// The parts of a backup's file name before and after its time.
const NAME: (&str, &str) = ("turnpost-", ".tar.gz");

/// The schedule of backups, with the times of the last failure and of the last warning.
#[derive(Default)]
pub struct Schedule {
    failed_at: Option<DateTime<Utc>>,
    alarmed_at: Option<DateTime<Utc>>,
}

/// The result of [`Schedule::run`].
#[derive(Default)]
pub struct ScheduleResult {
    /// The result of the backup, if one was due.
    pub made: Option<Result<(PathBuf, Verified)>>,
    /// The age of the last verified backup, if it is old and a warning is due.
    pub old: Option<TimeDelta>,
}

impl Schedule {
    /// Creates a backup if one is due, and deletes expired ones.
    ///
    /// # Errors
    /// If the state of the backups cannot be written.
    pub fn run(&mut self, backup: Backup<'_>, store: &mut dyn Store) -> Result<ScheduleResult> {
        let (config, now) = (&backup.config.backup, (backup.world.now)());
        let Some(directory) = &config.directory else { return Ok(ScheduleResult::default()) };
        let every = TimeDelta::hours(config.every.into());
        let last = LastBackup::read(backup.data);
        let seen = last.clone().not_after(now);
        if seen != last {
            LastBackup::change(backup.data, |last| *last = seen)?;
        }
        let mut result = ScheduleResult::default();
        if is_over(last.scheduled_at, every, now) && is_over(self.failed_at, RETRY.min(every), now) {
            let made = make(backup, store, directory);
            self.failed_at = made.is_err().then_some(now);
            result.made = Some(made);
        }
        let last = LastBackup::read(backup.data);
        let age = last.verified_at.or(last.scheduled_since).map(|at| now - at);
        let old = age.filter(|age| *age > every * OLD);
        if old.is_some() && is_over(self.alarmed_at, ALARM, now) {
            self.alarmed_at = Some(now);
            result.old = old;
        }
        Ok(result)
    }
}

/// Returns whether at least `time` has passed since the moment `since`. Also returns true if `since` is `None` or in
/// the future. A moment in the future means that the system's clock was set back.
fn is_over(since: Option<DateTime<Utc>>, time: TimeDelta, now: DateTime<Utc>) -> bool {
    since.is_none_or(|since| now - since >= time || now < since)
}

fn make(backup: Backup<'_>, store: &mut dyn Store, directory: &Path) -> Result<(PathBuf, Verified)> {
    let now = (backup.world.now)();
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(BackupError::file(directory))?;
    let name = format!("{}{}{}", NAME.0, now.format("%Y%m%dT%H%M%SZ"), NAME.1);
    // Remove the incomplete files of a process that crashed.
    remove(directory, |rest| rest.starts_with('.') && rest.contains(UNFINISHED), &name, 0)?;
    let file = directory.join(&name);
    let verified = backup.make(store, &file);
    remove(directory, |rest| rest.strip_prefix('.') == Some(FAILED), &name, 1)?;
    let verified = verified?;
    remove(directory, str::is_empty, &name, backup.config.backup.keep as usize)?;
    LastBackup::change(backup.data, |last| last.scheduled_at = Some(now))?;
    Ok((file, verified))
}

/// Removes scheduled backups from a directory, except for the newest `keep`. `made` is the name of the newest one. A
/// file is a scheduled backup if its name has the form of `made`, followed by text that `is_such` accepts. Other files
/// belong to the administrator. A backup whose name contains a later time than `made` was created while the clock was
/// fast, so it is treated as older than `made`.
fn remove(directory: &Path, is_such: impl Fn(&str) -> bool, made: &str, keep: usize) -> Result<()> {
    let has_form = |name: &str| {
        name.bytes()
            .zip(made.bytes())
            .all(|(own, other)| own == other || own.is_ascii_digit() && other.is_ascii_digit())
    };
    let failed = BackupError::file;
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed(directory))? {
        let path = entry.map_err(failed(directory))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some((name, rest)) = name.split_at_checked(made.len())
            && has_form(name)
            && is_such(rest)
        {
            found.push((name <= made, path));
        }
    }
    found.sort();
    found.truncate(found.len().saturating_sub(keep));
    for (_, path) in found {
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(failed(&path))?;
    }
    Ok(())
}
