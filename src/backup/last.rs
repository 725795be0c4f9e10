//! The state of the backups, stored in `backup.json` in the data directory.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::error::{BackupError, Result};
use crate::state_file;

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
