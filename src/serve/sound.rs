//! The state of the database file when the last `serve` stopped, to avoid reading the whole file at the next start.
//!
//! Reading a large file takes minutes. A file that has not changed since its last check needs no new check, except for
//! damage to the disk, which the daily check finds.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::instance::Instance;
use crate::state_file;
use crate::store::Location;

/// The name of the state file in the data directory.
const FILE: &str = "sound";

/// The state of a checked file after the last server.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sound {
    checked_at: DateTime<Utc>,
    seen: Seen,
}

/// Properties of a file, at least one of which changes when the file is written or replaced.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    device: u64,
    inode: u64,
    length: u64,
    /// The modification time, in seconds and nanoseconds.
    modified: (i64, i64),
    /// The time of the last change to the file or its metadata.
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
    /// Returns when the database file was last checked; `None` if it has changed since the last server stopped.
    pub(crate) fn was_checked_at(&self) -> Option<DateTime<Utc>> {
        let Location::File(database) = self.config.location(&self.data) else { return None };
        let sound = serde_json::from_slice::<Sound>(&fs::read(self.data.join(FILE)).ok()?).ok()?;
        (log_is_empty(&database) && Seen::at(&database).ok()? == sound.seen).then_some(sound.checked_at)
    }

    /// Records the state of the database file, and the time of its check, when a server stops.
    pub(crate) fn remember_as_it_is(&self, checked_at: DateTime<Utc>) -> anyhow::Result<()> {
        let Location::File(database) = self.config.location(&self.data) else { return Ok(()) };
        // The contents of the log will change the file later.
        if log_is_empty(&database) {
            let sound = Sound { checked_at, seen: Seen::at(&database)? };
            state_file::write(&self.data.join(FILE), &sound)?;
        }
        Ok(())
    }
}

/// Returns whether the write-ahead log of the file is empty.
fn log_is_empty(database: &Path) -> bool {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).map_or_else(|error| error.kind() == ErrorKind::NotFound, |log| log.len() == 0)
}
