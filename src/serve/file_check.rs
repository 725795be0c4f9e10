//! Checking the file of the database: at the start of a server, and once a day beside its work.

use std::thread::{self, JoinHandle};

use chrono::{DateTime, TimeDelta, Utc};

use super::instance::Instance;
use crate::store::{FileCheck, Store, StoreError};

/// How often the file is checked, besides at the start, and what is old is erased.
pub(super) const EVERY_DAY: TimeDelta = TimeDelta::days(1);
/// How many faults of a damaged file are told; `turnpost admin check` tells them all.
const TOLD_FAULTS: usize = 3;

/// A check in a thread of its own: to read a large file takes a minute, in which no mail is to wait.
pub(super) struct RunningCheck(JoinHandle<anyhow::Result<()>>);

impl RunningCheck {
    pub(super) fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// The file is damaged, or cannot be checked.
    pub(super) fn result(self) -> anyhow::Result<()> {
        self.0.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the check panicked")))
    }
}

impl Instance {
    /// Checks the file, unless it is as the last server left it, which had checked it less than a day ago. Returns when it was
    /// checked.
    ///
    /// # Errors
    /// It is damaged, or cannot be checked.
    pub(super) fn check_at_start(&self) -> anyhow::Result<DateTime<Utc>> {
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

    /// Begins to check the file.
    ///
    /// # Errors
    /// It cannot be opened, or no thread can be started.
    pub(super) fn begin_check(&self) -> anyhow::Result<RunningCheck> {
        let mut store = self.open_store()?;
        let thread = thread::Builder::new().name("check".to_owned());
        Ok(RunningCheck(thread.spawn(move || check(&mut *store))?))
    }
}

/// Finds out whether the file is damaged, over a connection that remembers none of its pages.
fn check(store: &mut dyn Store) -> anyhow::Result<()> {
    let faults = store.faults(FileCheck::Quick)?;
    if faults.is_empty() {
        return Ok(());
    }
    let first: Vec<String> = faults.into_iter().take(TOLD_FAULTS).collect();
    Err(StoreError::Damaged(first.join("; ")).into())
}
