//! Small files of the data directory in which processes remember something, as JSON.
//!
//! Another process may read one at any time, and the one that writes it may be killed. So each is written beside the old
//! one and renamed: whoever reads finds all of the old or all of the new.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads what a file remembers; the default when there is no file, or when it cannot be read.
pub fn read<T: DeserializeOwned + Default>(file: &Path) -> T {
    let text = fs::read_to_string(file).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Replaces what a file remembers. One thread of a process writes to a file at a time.
///
/// # Errors
/// The file cannot be written; the old one is still there.
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
    fn whoever_reads_while_it_is_written_finds_all_of_it() {
        let data = tempfile::tempdir().unwrap();
        let (file, long) = (data.path().join("state.json"), "x".repeat(100_000));
        write(&file, &long).unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| (0..500).for_each(|_| write(&file, &long).unwrap()));
            while !writer.is_finished() {
                assert!(read::<String>(&file) == long, "a part of it was read");
            }
        });
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let data = tempfile::tempdir().unwrap();
        let directory = data.path().join("state.json");
        fs::create_dir(&directory).unwrap();
        write(&directory, &1).unwrap_err();
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1);
        assert_eq!(read::<u32>(&directory), 0);
    }
}
