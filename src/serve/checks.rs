//! Checks of the database file and of the system clock.
//!
//! The file is checked when a server starts and once a day. Verified backups also find damage, but backups are
//! optional, and a failed backup does not stop the server.

use std::thread::{self, JoinHandle};

use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};

use super::clock_monitor::{ClockMonitor, ClockStep};
use super::instance::Instance;
use crate::clock::Span;
use crate::service::SEEN;
use crate::state_file;
use crate::store::{self, FileCheck, Store, StoreError};

/// The interval between the daily tasks: the integrity check and the deletion of old data.
pub(crate) const EVERY_DAY: TimeDelta = TimeDelta::days(1);
/// The error message for a damaged database lists at most this many faults; `turnpost admin check` lists all.
const SHOWN_FAULTS: usize = 3;

/// An integrity check in a separate thread. Reading a large database takes a minute, and mail must not wait for it.
pub(crate) struct RunningCheck(JoinHandle<anyhow::Result<()>>);

impl RunningCheck {
    pub(crate) fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// Waits until the check has ended, and returns its result.
    ///
    /// # Errors
    /// The file is damaged, or the check failed.
    pub(crate) fn result(self) -> anyhow::Result<()> {
        self.0.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the check panicked")))
    }
}

impl Instance {
    /// Checks the database file for damage.
    ///
    /// # Errors
    /// The file is damaged, or the check failed.
    pub(crate) fn check_file(&self) -> anyhow::Result<()> {
        check(&mut *self.open_store()?)
    }

    /// Starts an integrity check in a separate thread.
    ///
    /// # Errors
    /// The database cannot be opened, or the thread cannot be started.
    pub(crate) fn begin_check(&self) -> anyhow::Result<RunningCheck> {
        let mut store = self.open_store()?;
        let thread = thread::Builder::new().name("check".to_owned());
        Ok(RunningCheck(thread.spawn(move || check(&mut *store))?))
    }
}

/// Checks the file for damage. `store` must be a new connection, because the page cache of a used one would hide
/// damage.
fn check(store: &mut dyn Store) -> anyhow::Result<()> {
    let faults = store.integrity_faults(FileCheck::Quick)?;
    if faults.is_empty() {
        return Ok(());
    }
    let first: Vec<String> = faults.into_iter().take(SHOWN_FAULTS).collect();
    Err(StoreError::Damaged(first.join("; ")).into())
}

impl Instance {
    /// Records, at most once an hour, that a process is running. A long time between two records is an outage, during
    /// which the players' clocks are stopped. Call this before any code that measures thinking time.
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

    /// Checks the system clock. If it was set back and its new time is trusted, adjusts all stored times that are now
    /// in the future.
    pub(crate) fn check_clock(&mut self) -> anyhow::Result<()> {
        let file = self.data.join("clock.json");
        let now = (self.world.now)();
        let before = self.clock_monitor.take().unwrap_or_else(|| ClockMonitor::read(&file));
        let mut monitor = before.clone();
        match monitor.check(now) {
            ClockStep::Nothing => {}
            ClockStep::Behind(by) => tracing::error!(
                seconds = by.num_seconds(),
                "the system clock was set back; thinking time does not advance until it reaches the previous time again, but for \
                 at most a day. Is the clock set by NTP?"
            ),
            ClockStep::Corrected(by) => {
                let mut tx = self.store.write()?;
                self.config.service(self.world).reset_times(&mut tx, now)?;
                tx.commit()?;
                tracing::error!(
                    seconds = by.num_seconds(),
                    "the system clock was set back; clocks, reminders, letters and sessions were adjusted. Is the clock set by NTP?"
                );
            }
        }
        if monitor != before {
            state_file::write(&file, &monitor).with_context(|| format!("cannot write {}", file.display()))?;
        }
        self.clock_monitor = Some(monitor);
        Ok(())
    }
}
