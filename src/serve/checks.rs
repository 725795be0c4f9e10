//! Checks of what a server relies on: the database file, and the system clock.
//!
//! The file is checked when a server starts and once a day. Reading a large file takes minutes, so the state of the file
//! is stored when a server stops. A file that has not changed since its last check needs no new check, except for damage
//! to the disk, which the daily check finds.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::{self, JoinHandle};

use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::clock_monitor::{Looks, Shown};
use super::instance::Instance;
use crate::clock::Span;
use crate::service::SEEN;
use crate::state_file;
use crate::store::{self, FileCheck, Location, Store, StoreError};

/// The interval of integrity checks and of deleting old data.
pub(crate) const EVERY_DAY: TimeDelta = TimeDelta::days(1);
/// The number of faults in the error message; `turnpost admin check` lists all.
const TOLD_FAULTS: usize = 3;
/// The name of the state file in the data directory.
const FILE: &str = "sound";

/// A check in a separate thread. Reading a large file takes a minute, and mail must not wait for it.
pub(crate) struct RunningCheck(JoinHandle<anyhow::Result<()>>);

impl RunningCheck {
    pub(crate) fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// The file is damaged, or the check failed.
    pub(crate) fn result(self) -> anyhow::Result<()> {
        self.0.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the check panicked")))
    }
}

impl Instance {
    /// Checks the file, unless the last server checked it within a day and nothing has changed it since then. Returns
    /// the time of the check.
    ///
    /// # Errors
    /// The file is damaged, or the check failed.
    pub(crate) fn check_at_start(&self) -> anyhow::Result<DateTime<Utc>> {
        let now = (self.world.now)();
        let before =
            self.was_checked_at().filter(|checked_at| (TimeDelta::zero()..EVERY_DAY).contains(&(now - *checked_at)));
        match before {
            Some(checked_at) => {
                tracing::info!(%checked_at, "the database is as the last server left it");
                Ok(checked_at)
            }
            None => check(&mut *self.open_store()?).map(|()| now),
        }
    }

    /// Starts a check.
    ///
    /// # Errors
    /// The database cannot be opened, or the thread cannot be started.
    pub(crate) fn begin_check(&self) -> anyhow::Result<RunningCheck> {
        let mut store = self.open_store()?;
        let thread = thread::Builder::new().name("check".to_owned());
        Ok(RunningCheck(thread.spawn(move || check(&mut *store))?))
    }
}

/// Checks the file for damage over a connection without cached pages.
fn check(store: &mut dyn Store) -> anyhow::Result<()> {
    let faults = store.faults(FileCheck::Quick)?;
    if faults.is_empty() {
        return Ok(());
    }
    let first: Vec<String> = faults.into_iter().take(TOLD_FAULTS).collect();
    Err(StoreError::Damaged(first.join("; ")).into())
}

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
    fn was_checked_at(&self) -> Option<DateTime<Utc>> {
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

impl Instance {
    /// Records every hour that this server is running. After an outage, call this before all code that measures
    /// thinking time, because the outage stops the players' clocks.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn see_clocks(&mut self) -> store::Result<()> {
        let now = (self.world.now)();
        let is_fresh = |seen: Option<DateTime<Utc>>| seen.is_some_and(|seen| Span::last(SEEN, now).contains(seen));
        if is_fresh(self.clocks_seen_at) {
            return Ok(());
        }
        if !is_fresh(self.store.read()?.clocks_seen_at()?) {
            let mut tx = self.store.write()?;
            let outage = self.config.service(self.world).see_clocks(&mut tx, now)?;
            tx.commit()?;
            if let Some(Span { from, until }) = outage {
                tracing::warn!(%from, %until, "turnpost was not running, so all players' clocks were stopped");
            }
        }
        self.clocks_seen_at = Some(now);
        Ok(())
    }

    /// Checks the system clock. If a wrong clock was corrected backwards, reschedules all times that are now too far in
    /// the future.
    pub(crate) fn look_at_clock(&mut self) -> anyhow::Result<()> {
        let file = self.data.join("clock.json");
        let now = (self.world.now)();
        let before = self.looks.take().unwrap_or_else(|| Looks::read(&file));
        let mut looks = before.clone();
        match looks.look(now) {
            Shown::Nothing => {}
            Shown::Behind(by) => tracing::error!(
                seconds = by.num_seconds(),
                "the system clock was set back; thinking time does not advance until it reaches the previous time again, but for \
                 at most a day. Is the clock set by NTP?"
            ),
            Shown::Corrected(by) => {
                let mut tx = self.store.write()?;
                self.config.service(self.world).set_times_anew(&mut tx, now)?;
                tx.commit()?;
                tracing::error!(
                    seconds = by.num_seconds(),
                    "the system clock was set back; clocks, reminders, letters and sessions were adjusted. Is the clock set by NTP?"
                );
            }
        }
        if looks != before {
            state_file::write(&file, &looks).with_context(|| format!("cannot write {}", file.display()))?;
        }
        self.looks = Some(looks);
        Ok(())
    }
}
