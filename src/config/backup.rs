//! Backups that a server makes by itself.

use std::path::PathBuf;

use serde::Deserialize;

/// Backups that `turnpost serve` makes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Backup {
    /// Where they are made, if they are: a directory for this server alone, on another disk; relative to the data
    /// directory.
    pub directory: Option<PathBuf>,
    /// Hours from one backup to the next.
    pub every: u32,
    /// How many are kept; older ones are deleted.
    pub keep: u32,
}

impl Default for Backup {
    fn default() -> Self {
        Backup { directory: None, every: 24, keep: 7 }
    }
}
