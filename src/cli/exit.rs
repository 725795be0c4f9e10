//! Exit statuses, and printing.

use std::fmt::Display;
use std::io::Write;

use anyhow::Context;

use super::log_output::LogOutput;

/// The exit statuses of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Exit {
    /// The command was carried out.
    Done = 0,
    /// The rules or the server refused it.
    Refused = 1,
    /// The command was not understood.
    NotUnderstood = 2,
    /// Something failed that may work later: `EX_TEMPFAIL` of sysexits.h, on which a mail server keeps the mail and
    /// tries again.
    TryAgain = 75,
    /// The configuration is wrong: `EX_CONFIG` of sysexits.h.
    WrongConfiguration = 78,
}

/// Tells something on standard error. When nobody can read it, nothing else can be done about it.
pub(super) fn tell(text: impl Display) {
    let _ = LogOutput.write_all(format!("turnpost: {text}\n").as_bytes());
}

/// Reports a failure that neither the command nor the rules caused.
pub(super) fn failed(error: &anyhow::Error) -> Exit {
    tell(format_args!("{error:#}"));
    Exit::TryAgain
}

/// Reports why an administrator's command was refused.
pub(super) fn refused(why: impl Display) -> Exit {
    tell(why);
    Exit::Refused
}

/// Reports why a command was not understood.
pub(super) fn not_understood(why: impl Display) -> Exit {
    tell(why);
    Exit::NotUnderstood
}

/// Prints to standard output. A reader that went away (`| head`) is no error.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error).context("cannot print"),
        _ => Ok(()),
    }
}
