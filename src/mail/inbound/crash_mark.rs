//! A mark that names the message being processed, so that the next process can identify a message that crashed this
//! one.
//!
//! It is a file of eight bytes, written before each message and never synced: it survives the death of the process, but
//! not a loss of power, which no message causes.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use crate::store::InboxId;

/// The mark. Only one process may open it at a time.
pub struct CrashMark {
    file: File,
    /// The number in the file.
    marked: Cell<i64>,
}

impl CrashMark {
    /// Opens the mark in this file; also returns the message that crashed the previous process.
    ///
    /// # Errors
    /// The file cannot be created, read or written.
    pub fn open(file: &Path) -> io::Result<(CrashMark, Option<InboxId>)> {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(file)?;
        let mut bytes = [0; 8];
        // A short file is new, or was not written completely.
        let marked = match file.read_exact_at(&mut bytes, 0) {
            Ok(()) => i64::from_le_bytes(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
            Err(error) => return Err(error),
        };
        let mark = CrashMark { file, marked: Cell::new(marked) };
        mark.clear();
        Ok((mark, (marked != 0).then_some(InboxId(marked))))
    }

    pub(crate) fn set(&self, mail: InboxId) {
        self.write(mail.0);
    }

    pub(crate) fn clear(&self) {
        self.write(0);
    }

    fn write(&self, number: i64) {
        if self.marked.replace(number) == number {
            return;
        }
        // Without the mark, a crash cannot be attributed to its message; that must not delay mail.
        if let Err(error) = self.file.write_all_at(&number.to_le_bytes(), 0) {
            tracing::warn!(%error, "cannot mark the message that is being processed");
        }
    }
}
