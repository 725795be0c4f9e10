//! Standard error with a time limit, so that a hanging log collector does not stop a server.

use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The maximum wait for a slow reader.
const PATIENCE: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
/// The maximum number of octets that a pipe with free space accepts without blocking (`PIPE_BUF` of Linux).
const PART: usize = 4_096;

/// The number of lines dropped since the last written line.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Standard error. After dropping a line, it drops further lines without waiting until the reader resumes.
pub(crate) struct LogOutput;

impl Write for LogOutput {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let standard_error = io::stderr();
        let time = if DROPPED.load(Ordering::Relaxed) == 0 { PATIENCE } else { Timespec::default() };
        if poll(&mut [PollFd::new(&standard_error, PollFlags::OUT)], Some(&time)) == Ok(0) {
            DROPPED.fetch_add(1, Ordering::Relaxed);
            return Err(ErrorKind::TimedOut.into());
        }
        let written = standard_error.lock().write(&text[..text.len().min(PART)])?;
        let dropped = DROPPED.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            tracing::warn!(lines = dropped, "lines of the log are lost: standard error was not read");
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
