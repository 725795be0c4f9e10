//! The schedule by which `serve` creates and deletes backups.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use super::make::{Backup, FAILED, LastBackup, Proved, UNFINISHED};
use super::{BackupError, Result};
use crate::store::Store;

/// The delay before a failed backup is retried.
const RETRY: TimeDelta = TimeDelta::hours(1);
/// The interval between warnings that the last proved backup is old.
const ALARM: TimeDelta = TimeDelta::days(1);
/// A backup is old after this many intervals.
const OLD: i32 = 3;
/// The prefix and suffix of the names of backups. The time is in between.
const NAME: (&str, &str) = ("turnpost-", ".tar.gz");

/// The schedule of backups.
#[derive(Default)]
pub struct Schedule {
    failed_at: Option<DateTime<Utc>>,
    alarmed_at: Option<DateTime<Utc>>,
}

/// The result of a check of the schedule.
#[derive(Default)]
pub struct Looked {
    /// The backup that was due.
    pub made: Option<Result<(PathBuf, Proved)>>,
    /// The age of the last proved backup, if it is old and a warning is due.
    pub old: Option<TimeDelta>,
}

impl Schedule {
    /// Creates a backup if one is due, and deletes expired ones.
    ///
    /// # Errors
    /// If the state of the backups cannot be written.
    pub fn look(&mut self, backup: Backup<'_>, store: &mut dyn Store) -> Result<Looked> {
        let (config, now) = (&backup.config.backup, (backup.world.now)());
        let Some(directory) = &config.directory else { return Ok(Looked::default()) };
        let every = TimeDelta::hours(config.every.into());
        let last = LastBackup::read(backup.data);
        let seen = last.clone().not_after(now);
        if seen != last {
            LastBackup::change(backup.data, |last| *last = seen)?;
        }
        let mut looked = Looked::default();
        if is_over(last.scheduled_at, every, now) && is_over(self.failed_at, RETRY.min(every), now) {
            let made = make(backup, store, directory);
            self.failed_at = made.is_err().then_some(now);
            looked.made = Some(made);
        }
        let last = LastBackup::read(backup.data);
        let age = last.proved_at.or(last.scheduled_since).map(|at| now - at);
        let old = age.filter(|age| *age > every * OLD);
        if old.is_some() && is_over(self.alarmed_at, ALARM, now) {
            self.alarmed_at = Some(now);
            looked.old = old;
        }
        Ok(looked)
    }
}

/// Returns whether this much time has passed since then, or the system's clock was set back to before then.
fn is_over(since: Option<DateTime<Utc>>, time: TimeDelta, now: DateTime<Utc>) -> bool {
    since.is_none_or(|since| now - since >= time || now < since)
}

fn make(backup: Backup<'_>, store: &mut dyn Store, directory: &Path) -> Result<(PathBuf, Proved)> {
    let now = (backup.world.now)();
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(BackupError::file(directory))?;
    // Remove incomplete files of an earlier process.
    let name = format!("{}{}{}", NAME.0, now.format("%Y%m%dT%H%M%SZ"), NAME.1);
    remove(directory, |name| name.contains(UNFINISHED), &name, 0)?;
    let file = directory.join(&name);
    let proved = backup.make(store, &file);
    remove(directory, |name| name.ends_with(FAILED), &name, 1)?;
    let proved = proved?;
    remove(directory, |name| name.ends_with(NAME.1), &name, backup.config.backup.keep as usize)?;
    LastBackup::change(backup.data, |last| last.scheduled_at = Some(now))?;
    Ok((file, proved))
}

/// Removes the matching backups of a directory, except for the newest `keep`. `made` is the name of the newest one. A
/// backup with a later time in its name was created by a clock that was ahead, and is older.
fn remove(directory: &Path, is_such: impl Fn(&str) -> bool, made: &str, keep: usize) -> Result<()> {
    let failed = BackupError::file;
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed(directory))? {
        let path = entry.map_err(failed(directory))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(NAME.0) && is_such(name) {
            // The time is at the same position in each name.
            let is_past = name.get(..made.len()).is_none_or(|beginning| beginning <= made);
            found.push((is_past, path));
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
