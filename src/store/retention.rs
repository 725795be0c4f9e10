//! Erasing what is kept no longer.

use chrono::{DateTime, Utc};

use super::Result;

/// Erasing what is kept no longer. Each call changes a few rows, so that other writers do not wait long.
pub trait Retention {
    /// Erases, of at most `most` mails that were closed before `before`, who sent them, what they said and what they were
    /// refused for, and the text of those that were set aside; returns how many there were. What second copies are
    /// recognized by stays. What limits counted before then is deleted as well.
    fn forget_mails(&mut self, before: DateTime<Utc>, most: u32) -> Result<u32>;
    /// Deletes at most `most` letters that were written before `before` and were sent or given up; returns how many
    /// there were.
    fn forget_letters(&mut self, before: DateTime<Utc>, most: u32) -> Result<u32>;
}
