//! Erasing what is kept no longer.

use super::Result;
use crate::clock::Span;

/// Erasing what is kept no longer. Each call changes a few rows, so that other writers do not wait long.
pub trait Retention {
    /// Erases, of at most `most` mails that were closed before the time `kept`, who sent them, what they said and what they
    /// were refused for, and the text of those that were set aside; returns how many there were. What second copies are
    /// recognized by stays. What limits did not count in that time is deleted as well. A mail that was closed after that time
    /// is erased when one that came later is old.
    fn forget_mails(&mut self, kept: &Span, most: u32) -> Result<u32>;
    /// Deletes at most `most` letters that were written before the time `kept` and were sent or given up; returns how many
    /// there were. A letter that was written after that time is deleted when one that came later is old.
    fn forget_letters(&mut self, kept: &Span, most: u32) -> Result<u32>;
}
