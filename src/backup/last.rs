//! What is remembered of the last proved backup, in `backup.json` of the data directory.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::error::{BackupError, Result};
use crate::state_file;

/// What is remembered of backups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastBackup {
    /// When the last backup that was proved was made.
    pub proved_at: Option<DateTime<Utc>>,
    /// Its file.
    pub file: Option<PathBuf>,
    /// When the schedule last made one.
    pub scheduled_at: Option<DateTime<Utc>>,
    /// When the schedule first looked.
    pub scheduled_since: Option<DateTime<Utc>>,
}

impl LastBackup {
    /// Reads it; nothing is remembered when there is no file, or when it cannot be read.
    pub fn read(data: &Path) -> LastBackup {
        state_file::read(&data.join("backup.json"))
    }

    /// Sets the times in the future, which a clock that was ahead stamped, to `now`: the age of a backup counts from now on. A
    /// schedule that has not begun begins now.
    pub(super) fn not_after(self, now: DateTime<Utc>) -> LastBackup {
        let proved_at = self.proved_at.map(|at| at.min(now));
        let scheduled_since = Some(self.scheduled_since.map_or(now, |since| since.min(now)));
        LastBackup { proved_at, scheduled_since, ..self }
    }

    /// Changes what is remembered.
    pub(super) fn change(data: &Path, change: impl FnOnce(&mut LastBackup)) -> Result<()> {
        let mut last = LastBackup::read(data);
        change(&mut last);
        let path = data.join("backup.json");
        state_file::write(&path, &last).map_err(BackupError::file(&path))
    }
}
