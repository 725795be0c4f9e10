//! Automatic backups.

use std::path::PathBuf;

use serde::Deserialize;

/// The backups that `turnpost serve` creates.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Backup {
    /// The directory for backups, if enabled. It must be used only by this server, and should be on another disk.
    /// Relative to the data directory.
    pub directory: Option<PathBuf>,
    /// Hours between two backups.
    pub every: u32,
    /// The number of backups to retain; older ones are deleted.
    pub keep: u32,
}

impl Default for Backup {
    fn default() -> Self {
        Backup { directory: None, every: 24, keep: 7 }
    }
}
