//! Standard input with a time limit: its writer may never close it.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::world::Deadline;

/// How long a mail may take to arrive, however short the silences are.
const WHOLE: Duration = Duration::from_secs(60 * 60);

/// An input whose reading fails after a silence.
pub(super) struct PatientInput<R> {
    input: R,
    silence: Duration,
    until: Deadline,
}

impl PatientInput<File> {
    /// Standard input with this limit of silence.
    ///
    /// # Errors
    /// No file descriptor is available.
    pub(super) fn standard(silence: Duration) -> io::Result<PatientInput<File>> {
        // Not `Stdin` itself, because it is buffered: poll(2) does not see what is in its buffer.
        Ok(PatientInput::of(File::from(io::stdin().as_fd().try_clone_to_owned()?), silence))
    }
}

impl<R: Read + AsFd> PatientInput<R> {
    fn of(input: R, silence: Duration) -> PatientInput<R> {
        PatientInput { input, silence, until: Deadline::after(WHOLE) }
    }

    /// Waits until there is something to read or the input has ended.
    fn wait(&self) -> io::Result<()> {
        let silence = Deadline::after(self.silence);
        while let (Some(silence), Some(left)) = (silence.left(), self.until.left()) {
            let time = Timespec::try_from(silence.min(left)).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(&self.input, PollFlags::IN)], Some(&time)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        let why = match self.until.left() {
            Some(_) => format!("nothing came for {} seconds (receive.idle in turnpost.toml)", self.silence.as_secs()),
            None => format!("it takes longer than {} minutes", WHOLE.as_secs() / 60),
        };
        let error = format!("the mail on standard input does not end: {why}. It is not stored; send it again");
        Err(io::Error::new(ErrorKind::TimedOut, error))
    }
}

impl<R: Read + AsFd> Read for PatientInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.wait()?;
            match self.input.read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn an_input_is_read_to_its_end_or_fails_after_a_silence() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"a mail").unwrap();
        drop(writer);
        let mut text = String::new();
        PatientInput::of(reader, Duration::from_secs(60)).read_to_string(&mut text).unwrap();
        assert_eq!(text, "a mail");
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"half a mail").unwrap();
        let error = PatientInput::of(reader, Duration::from_millis(1)).read_to_string(&mut text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
