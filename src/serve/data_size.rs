//! The size of a data directory.

use std::fs;
use std::path::Path;

/// Returns the bytes of all files below a directory: the database with its log, letters, mail, backups. What cannot be read
/// is not counted, and links are not followed.
pub fn data_bytes(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => data_bytes(&entry.path()),
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => 0,
    };
    entries.flatten().map(size).sum()
}
