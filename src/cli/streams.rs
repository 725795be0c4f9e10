//! Standard streams with time limits: the log, whose reader may hang, and an input whose writer may never close it.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry, reload};

use crate::serve::LogLevel;
use crate::world::Deadline;

/// The default log level, which `TURNPOST_LOG` overrides.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    /// Warnings and errors.
    Warn,
    /// Warnings, errors, and information such as a line for each message and each letter.
    Info,
}

/// The running log and its level.
pub(crate) struct Log {
    level: Mutex<String>,
    reload: Box<dyn Fn(Targets) -> Result<(), reload::Error> + Send + Sync>,
}

impl LogLevel for Log {
    fn level(&self) -> String {
        self.level.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_level(&self, level: &str) -> Result<(), String> {
        (self.reload)(filter(level)?).map_err(|error| error.to_string())?;
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = level.to_owned();
        Ok(())
    }
}

/// Starts logging; a second call changes nothing.
pub(crate) fn start(level: Level, json: bool) -> Log {
    let default = match level {
        Level::Warn => "warn",
        Level::Info => "info",
    };
    let configured = std::env::var("TURNPOST_LOG").ok().filter(|level| filter(level).is_ok());
    let level = configured.unwrap_or_else(|| default.to_owned());
    let (filter, handle) = reload::Layer::new(filter(&level).expect("it is a level"));
    // If standard error cannot be written, the library would report that on standard error, and panic.
    let log = fmt::layer().with_writer(|| LogOutput).with_target(false).log_internal_errors(false);
    drop(if json {
        registry().with(filter).with(log.json().flatten_event(true).with_span_list(false)).try_init()
    } else {
        registry().with(filter).with(log.with_ansi(std::io::stderr().is_terminal())).try_init()
    });
    Log { level: Mutex::new(level), reload: Box::new(move |filter| handle.reload(filter)) }
}

/// Checks a level that an administrator typed.
///
/// # Errors
/// A description of the error if the text is not a level.
pub(crate) fn check(level: &str) -> Result<(), String> {
    filter(level).map(drop)
}

/// Parses the filter of a level such as `debug`, or `info,turnpost::web=debug`.
fn filter(level: &str) -> Result<Targets, String> {
    // An unknown single word would be treated as a part of the program, and silence all other parts.
    let single =
        level.split(',').map(str::trim).find(|part| !part.contains('=') && part.parse::<LevelFilter>().is_err());
    if let Some(word) = single {
        return Err(format!("`{word}` is not a level; use off, error, warn, info, debug or trace, or PART=LEVEL"));
    }
    let targets: Targets = level.parse().map_err(|error| format!("`{level}`: {error}"))?;
    // The IMAP library traces everything sent to the server, including the password.
    Ok(targets.with_target("imap_next", LevelFilter::OFF))
}

/// The time limits of an input.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// The maximum time in which no octet arrives.
    pub(crate) silence: Duration,
    /// The maximum total time.
    pub(crate) whole: Duration,
    /// Advice to add to the error.
    pub(crate) advice: &'static str,
}

/// An input that fails if no data arrives for some time, or if reading takes too long in total.
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
        // Do not use `Stdin` itself, because it is buffered, and poll(2) does not see the contents of its buffer.
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

/// The maximum wait for a slow reader of the log.
const PATIENCE: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
/// The maximum number of octets that a pipe with free space accepts without blocking (`PIPE_BUF` of Linux).
const PART: usize = 4_096;

/// The number of lines dropped since the last written line.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Standard error, for the log. It drops a line if the reader does not read for a second. Then it drops further lines
/// without waiting, until the reader resumes.
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
        // The writer never pauses, so only the total time limit can end the reading.
        let (reader, mut writer) = io::pipe().unwrap();
        let sender = std::thread::spawn(move || while writer.write_all(b"x").is_ok() {});
        let mut endless = PatientInput::of(reader, Patience { whole: Duration::from_millis(50), ..minute });
        let error = io::copy(&mut endless, &mut io::sink()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(endless);
        sender.join().unwrap();
    }
}
