//! What the file of the database was like when `serve` stopped, so that a start need not read all of it.
//!
//! A large file takes minutes to read. One that nobody has written to since it was checked and closed is as sound as it was
//! then, but for the disk, whose damage the daily check finds.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::instance::Instance;
use crate::state_file;
use crate::store::Location;

/// The file in the data directory that says it.
const FILE: &str = "sound";

/// A file that was checked, and what it was like at the end.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sound {
    checked_at: DateTime<Utc>,
    seen: Seen,
}

/// A file as it was. Whoever writes to it, or puts another in its place, changes one of these.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    device: u64,
    inode: u64,
    length: u64,
    /// When it was written to, in seconds and nanoseconds.
    modified: (i64, i64),
    /// When it was last changed in any way, its times included.
    changed: (i64, i64),
}

impl Seen {
    fn at(path: &Path) -> io::Result<Seen> {
        let file = fs::metadata(path)?;
        Ok(Seen {
            device: file.dev(),
            inode: file.ino(),
            length: file.len(),
            modified: (file.mtime(), file.mtime_nsec()),
            changed: (file.ctime(), file.ctime_nsec()),
        })
    }
}

impl Instance {
    /// When the file of the database was checked, if it is as it was when the last server here stopped.
    pub(super) fn was_checked_at(&self) -> Option<DateTime<Utc>> {
        let Location::File(database) = self.config.location(&self.data) else { return None };
        let sound = serde_json::from_slice::<Sound>(&fs::read(self.data.join(FILE)).ok()?).ok()?;
        (log_is_empty(&database) && Seen::at(&database).ok()? == sound.seen).then_some(sound.checked_at)
    }

    /// Says what the file of the database is like, at the end of a server, and when it was checked.
    pub(super) fn remember_as_it_is(&self, checked_at: DateTime<Utc>) -> anyhow::Result<()> {
        let Location::File(database) = self.config.location(&self.data) else { return Ok(()) };
        // What is still in the log comes into the file after this.
        if log_is_empty(&database) {
            let sound = Sound { checked_at, seen: Seen::at(&database)? };
            state_file::write(&self.data.join(FILE), &sound)?;
        }
        Ok(())
    }
}

/// Whether nothing is in the log beside the file.
fn log_is_empty(database: &Path) -> bool {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).map_or_else(|error| error.kind() == ErrorKind::NotFound, |log| log.len() == 0)
}
