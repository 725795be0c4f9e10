//! The interface of the program that serves the site.

use std::io;
use std::path::PathBuf;

use chrono::{DateTime, Utc};

/// The services that the site needs from its program.
pub trait Host: Send + Sync {
    /// Wakes the workers to process what a request has enqueued.
    fn wake(&self);
    /// Resumes sending letters immediately, without the pause after failures of the mail server.
    ///
    /// # Errors
    /// The record of these failures cannot be removed.
    fn mail_works_again(&self) -> io::Result<()>;
    /// Returns the time and the file of the last backup that passed its check.
    fn last_backup(&self) -> Option<(DateTime<Utc>, PathBuf)>;
    /// Returns whether the database is read-only.
    fn is_read_only(&self) -> bool;
    /// Returns the size of the data directory in bytes.
    fn data_bytes(&self) -> u64;
}
