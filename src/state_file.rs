//! Small JSON files in the data directory, in which processes store their state.
//!
//! Other processes may read a file at any time, and the writer may be killed. Each file is therefore written under a
//! temporary name and then renamed: readers see either the complete old content or the complete new content. `mail`,
//! `backup` and `serve` store their state in this way.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads the state; returns the default if the file does not exist or cannot be read.
pub fn read<T: DeserializeOwned + Default>(file: &Path) -> T {
    let text = fs::read_to_string(file).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Replaces the state. Only one thread of a process may write to a file at a time.
///
/// # Errors
/// If the file cannot be written. The old file then still exists.
pub fn write(file: &Path, value: &impl Serialize) -> io::Result<()> {
    let unfinished = file.with_added_extension(format!("new-{}", std::process::id()));
    let written = fs::write(&unfinished, serde_json::to_string(value)?).and_then(|()| fs::rename(&unfinished, file));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_during_a_write_finds_the_complete_file() {
        let data = tempfile::tempdir().unwrap();
        let (file, long) = (data.path().join("state.json"), "x".repeat(100_000));
        write(&file, &long).unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| (0..500).for_each(|_| write(&file, &long).unwrap()));
            while !writer.is_finished() {
                assert!(read::<String>(&file) == long, "a reader never sees a partial file");
            }
        });
    }

    #[test]
    fn failed_writes_change_nothing() {
        let data = tempfile::tempdir().unwrap();
        let directory = data.path().join("state.json");
        fs::create_dir(&directory).unwrap();
        write(&directory, &1).unwrap_err();
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1);
        assert_eq!(read::<u32>(&directory), 0);
    }
}
