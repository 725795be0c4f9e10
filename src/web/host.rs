//! The program around the site.

use std::io;
use std::path::PathBuf;

use chrono::{DateTime, Utc};

/// What the site asks of the program that serves it.
pub trait Host: Send + Sync {
    /// Wakes the workers that process what a request has enqueued.
    fn wake(&self);
    /// Letters are sent at once again, whatever the mail server did before.
    ///
    /// # Errors
    /// What is known of the mail server cannot be forgotten.
    fn mail_works_again(&self) -> io::Result<()>;
    /// When the last backup that was proved was made, and its file.
    fn last_backup(&self) -> Option<(DateTime<Utc>, PathBuf)>;
    /// Whether the database is only read.
    fn is_read_only(&self) -> bool;
    /// The size of the data directory.
    fn data_bytes(&self) -> u64;
}
