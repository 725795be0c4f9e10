//! The mark of the mail that is being processed, by which the next process knows that this one died over it.
//!
//! It is a file of eight bytes that is written before each mail and never synced: it outlives a process that is killed or
//! crashes, and after a loss of power it may say nothing, which is right, since no mail causes one.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use crate::store::InboxId;

/// The mark. Only one process may have it at a time.
pub struct CrashMark {
    file: File,
}

impl CrashMark {
    /// Opens the mark in this file; also gives the mail over which the process before this one died.
    ///
    /// # Errors
    /// The file cannot be created, read or written.
    pub fn open(file: &Path) -> io::Result<(CrashMark, Option<InboxId>)> {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(file)?;
        let mut bytes = [0; 8];
        // A file that ends early is a new one, or was not written to the end.
        let marked = match file.read_exact_at(&mut bytes, 0) {
            Ok(()) => i64::from_le_bytes(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
            Err(error) => return Err(error),
        };
        let mark = CrashMark { file };
        mark.clear();
        Ok((mark, (marked != 0).then_some(InboxId(marked))))
    }

    /// Marks a mail.
    pub(super) fn set(&self, mail: InboxId) {
        self.write(mail.0);
    }

    /// Removes the mark.
    pub(super) fn clear(&self) {
        self.write(0);
    }

    fn write(&self, number: i64) {
        // Without the mark, a crash is only not seen to be a mail's; that must keep no mail waiting.
        if let Err(error) = self.file.write_all_at(&number.to_le_bytes(), 0) {
            tracing::warn!(%error, "the mark of the mail that is being processed cannot be written");
        }
    }
}
