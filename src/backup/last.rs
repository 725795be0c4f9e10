//! What is remembered of the last proved backup, in `backup.json` of the data directory.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::error::{BackupError, Result};

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
        let text = fs::read_to_string(data.join("backup.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Changes what is remembered.
    pub(super) fn change(data: &Path, change: impl FnOnce(&mut LastBackup)) -> Result<()> {
        let mut last = LastBackup::read(data);
        change(&mut last);
        let path = data.join("backup.json");
        let written = path.with_added_extension(format!("new-{}", std::process::id()));
        let write = || {
            fs::write(&written, serde_json::to_string(&last)?)?;
            fs::rename(&written, &path)
        };
        write().map_err(BackupError::file(&path))
    }
}
