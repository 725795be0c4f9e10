//! The time limit of a one-shot command.

use std::fs::{File, TryLockError};
use std::time::Duration;

use crate::world::Deadline;

/// After this time a one-shot command begins no further batch: a person or a mail server waits for its end. Mail that keeps
/// arriving brings further commands, which do the rest. Most commands need a fraction of a second.
const WORKING: Duration = Duration::from_secs(10);
/// The longest wait for the hash of a password.
const HASHING: Duration = Duration::from_secs(10);

/// How long a process works on the queues.
pub(super) struct TimeSlice {
    until: Option<Deadline>,
    /// `start.lock`, which a starting server holds while it waits for this process.
    starting: Option<File>,
}

impl TimeSlice {
    /// No limit: until nothing is due.
    pub(super) fn endless() -> TimeSlice {
        TimeSlice { until: None, starting: None }
    }

    /// The limit of a one-shot command, from now; `starting` is `start.lock`.
    pub(super) fn of_command(starting: File) -> TimeSlice {
        TimeSlice { until: Some(Deadline::after(WORKING)), starting: Some(starting) }
    }

    /// The moment after which no batch is begun.
    pub(super) fn until(&self) -> Option<Deadline> {
        self.until
    }

    /// Returns how long to wait for the hash of a password.
    pub(super) fn hashing(&self) -> Duration {
        self.until.map_or(HASHING, |until| until.left().unwrap_or_default().min(HASHING))
    }

    /// Returns whether another batch may be begun.
    pub(super) fn goes_on(&self) -> bool {
        self.until.is_none_or(|until| until.left().is_some()) && !self.gives_way()
    }

    /// Returns whether a server waits for this process, which then stops as quickly as a server does on SIGTERM.
    pub(super) fn gives_way(&self) -> bool {
        let Some(starting) = &self.starting else { return false };
        let is_held = matches!(starting.try_lock_shared(), Err(TryLockError::WouldBlock));
        if !is_held {
            let _ = starting.unlock();
        }
        is_held
    }
}
