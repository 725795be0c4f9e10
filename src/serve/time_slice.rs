//! The time limit of a one-shot command.

use std::fs::{File, TryLockError};
use std::time::Duration;

use crate::world::Deadline;

/// A one-shot command starts no batch after this time, because a person or a mail server waits for its end. If mail
/// keeps arriving, later commands process it. Most commands need a fraction of a second.
const WORKING: Duration = Duration::from_secs(10);
/// The longest wait for hashing a password.
const HASHING: Duration = Duration::from_secs(10);

/// The time limit for processing the queues.
pub(crate) struct TimeSlice {
    until: Option<Deadline>,
    /// `start.lock`, which a starting server holds while it waits for this process.
    starting: Option<File>,
}

impl TimeSlice {
    /// Creates a limit that never ends.
    pub(crate) fn endless() -> TimeSlice {
        TimeSlice { until: None, starting: None }
    }

    /// Creates the limit of a one-shot command, starting now; `starting` is `start.lock`.
    pub(crate) fn of_command(starting: File) -> TimeSlice {
        TimeSlice { until: Some(Deadline::after(WORKING)), starting: Some(starting) }
    }

    /// Returns the time after which no batch starts.
    pub(crate) fn until(&self) -> Option<Deadline> {
        self.until
    }

    /// Returns the longest wait for hashing a password.
    pub(crate) fn hashing(&self) -> Duration {
        self.until.map_or(HASHING, |until| until.left().unwrap_or_default().min(HASHING))
    }

    /// Returns whether another batch may start.
    pub(crate) fn goes_on(&self) -> bool {
        self.until.is_none_or(|until| until.left().is_some()) && !self.gives_way()
    }

    /// Returns whether a server is waiting for this process, which must then stop as quickly as a server after SIGTERM.
    pub(crate) fn gives_way(&self) -> bool {
        let Some(starting) = &self.starting else { return false };
        let is_held = matches!(starting.try_lock_shared(), Err(TryLockError::WouldBlock));
        if !is_held {
            let _ = starting.unlock();
        }
        is_held
    }
}
