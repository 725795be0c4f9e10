//! Standard input with a time limit, because its writer may never close it.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::world::Deadline;

/// The time limits of an input.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// The maximum time without an octet.
    pub(crate) silence: Duration,
    /// The maximum total time.
    pub(crate) whole: Duration,
    /// Advice to add to the error.
    pub(crate) advice: &'static str,
}

/// An input that fails after a silence, or after a total time.
pub(crate) struct PatientInput<R> {
    input: R,
    patience: Patience,
    until: Deadline,
}

impl PatientInput<File> {
    /// Returns standard input with these limits.
    ///
    /// # Errors
    /// If no file descriptor is available.
    pub(crate) fn standard(patience: Patience) -> io::Result<PatientInput<File>> {
        // Not `Stdin` itself, because it is buffered, and poll(2) does not see the contents of its buffer.
        Ok(PatientInput::of(File::from(io::stdin().as_fd().try_clone_to_owned()?), patience))
    }
}

impl<R: Read + AsFd> PatientInput<R> {
    fn of(input: R, patience: Patience) -> PatientInput<R> {
        PatientInput { input, patience, until: Deadline::after(patience.whole) }
    }

    /// Waits until input is available or has ended.
    fn wait(&self) -> io::Result<()> {
        let silence = Deadline::after(self.patience.silence);
        while let (Some(silence), Some(left)) = (silence.left(), self.until.left()) {
            let time = Timespec::try_from(silence.min(left)).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(&self.input, PollFlags::IN)], Some(&time)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        let Patience { silence, whole, advice } = self.patience;
        let why = match self.until.left() {
            Some(_) => format!("no input arrived for {} seconds", silence.as_secs()),
            None => format!("it takes longer than {} minutes", whole.as_secs() / 60),
        };
        let error = format!("standard input does not end: {why}. {advice}");
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
        let minute = Patience { silence: Duration::from_secs(60), whole: Duration::from_secs(60), advice: "" };
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"a mail").unwrap();
        drop(writer);
        let mut text = String::new();
        PatientInput::of(reader, minute).read_to_string(&mut text).unwrap();
        assert_eq!(text, "a mail");
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"half a mail").unwrap();
        let error = PatientInput::of(reader, Patience { silence: Duration::from_millis(1), ..minute })
            .read_to_string(&mut text)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        // The writer never stops sending.
        let (reader, mut writer) = io::pipe().unwrap();
        let sender = std::thread::spawn(move || while writer.write_all(b"x").is_ok() {});
        let mut endless = PatientInput::of(reader, Patience { whole: Duration::from_millis(50), ..minute });
        let error = io::copy(&mut endless, &mut io::sink()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(endless);
        sender.join().unwrap();
    }
}
