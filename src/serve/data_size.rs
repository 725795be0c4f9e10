//! The size of a data directory.

use std::fs;
use std::path::Path;

/// Returns the total size in bytes of all files in the data directory: database, log, letters, mail, backups. Skips
/// unreadable files and does not follow links.
pub fn data_bytes(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => data_bytes(&entry.path()),
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => 0,
    };
    entries.flatten().map(size).sum()
}
