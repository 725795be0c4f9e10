//! Integrity checks of the database file, when a server starts and once a day.

use std::thread::{self, JoinHandle};

use chrono::{DateTime, TimeDelta, Utc};

use super::instance::Instance;
use crate::store::{FileCheck, Store, StoreError};

/// The interval of integrity checks and of deleting old data.
pub(crate) const EVERY_DAY: TimeDelta = TimeDelta::days(1);
/// The number of faults in the error message; `turnpost admin check` lists all.
const TOLD_FAULTS: usize = 3;

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
