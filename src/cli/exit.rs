//! Exit statuses and output.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use serde::Serialize;
use serde_json::json;

use super::streams::LogOutput;
use crate::backup::BackupError;
use crate::config::ConfigError;
use crate::serve::{NoDatabase, WrongTemplates};
use crate::service::Rejection;
use crate::service::transfer::TransferError;
use crate::store::StoreError;
use crate::text::Message;

/// The exit statuses of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// The command succeeded.
    Done = 0,
    /// The rules or the server refused the command.
    Refused = 1,
    /// The command was not understood.
    NotUnderstood = 2,
    /// The database or a file cannot be used in its present state: `EX_DATAERR`. This name and the names below are from
    /// sysexits.h.
    Unusable = 65,
    /// The database, a file or a directory is missing: `EX_NOINPUT`.
    Missing = 66,
    /// The command succeeded, but its answer cannot be printed: `EX_IOERR`.
    NotPrinted = 74,
    /// A failure that may be temporary: `EX_TEMPFAIL`, after which a mail server tries again.
    TryAgain = 75,
    /// The program lacks a permission: `EX_NOPERM`.
    NotPermitted = 77,
    /// The configuration is wrong: `EX_CONFIG`.
    WrongConfiguration = 78,
}

/// An error that ends the program with this exit status.
#[derive(Debug, thiserror::Error)]
#[error("{1}")]
pub(crate) struct ErrorWith(pub(crate) Exit, pub(crate) String);

/// Returns the exit status of an error: [`Exit::TryAgain`] unless the cause is known to be permanent.
fn status(error: &anyhow::Error) -> Exit {
    error.chain().find_map(status_of_cause).unwrap_or(Exit::TryAgain)
}

fn status_of_cause(cause: &(dyn Error + 'static)) -> Option<Exit> {
    if let Some(ErrorWith(exit, _)) = cause.downcast_ref() {
        return Some(*exit);
    }
    if let Some(error) = cause.downcast_ref::<StoreError>() {
        return status_of_store(error);
    }
    if let Some(error) = cause.downcast_ref::<io::Error>() {
        return status_of_io(error);
    }
    match (cause.downcast_ref::<BackupError>(), cause.downcast_ref::<TransferError>()) {
        (Some(BackupError::File { error, .. }), _) | (_, Some(TransferError::Io(error))) => return status_of_io(error),
        (Some(BackupError::Store(error)), _) | (_, Some(TransferError::Store(error))) => return status_of_store(error),
        _ => {}
    }
    if cause.is::<WrongTemplates>() || matches!(cause.downcast_ref(), Some(ConfigError::Wrong(_))) {
        return Some(Exit::WrongConfiguration);
    }
    cause.is::<NoDatabase>().then_some(Exit::Missing)
}

fn status_of_store(error: &StoreError) -> Option<Exit> {
    use StoreError::{
        Damaged, Denied, Empty, Foreign, ForeignSchema, LogRemoved, Missing, Moved, NoFile, NoSuchDatabase, NotUtf8,
        OrphanLog, TooNew, TooOld,
    };
    match error {
        Damaged(_)
        | Foreign { .. }
        | ForeignSchema(_)
        | LogRemoved(_)
        | OrphanLog(_)
        | TooNew { .. }
        | TooOld { .. } => Some(Exit::Unusable),
        Missing(_) | Empty(_) | NoSuchDatabase(_) => Some(Exit::Missing),
        Denied(_) => Some(Exit::NotPermitted),
        Moved(_) | NotUtf8(_) => Some(Exit::WrongConfiguration),
        NoFile => Some(Exit::Refused),
        _ => None,
    }
}

fn status_of_io(error: &io::Error) -> Option<Exit> {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => Some(Exit::Missing),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Some(Exit::NotPermitted),
        // A file is not UTF-8.
        ErrorKind::InvalidData => Some(Exit::Unusable),
        _ => None,
    }
}

/// Writes a message to standard error. Ignores an error, because there is no other way to report it.
pub(crate) fn report(text: impl Display) {
    let _ = LogOutput.write_all(format!("turnpost: {text}\n").as_bytes());
}

/// Reports an error and returns the exit status. If `as_json` is set, prints a refusal as JSON, in the same form as the
/// refusal of a player's command.
pub(crate) fn failed(error: &anyhow::Error, as_json: bool) -> Exit {
    let exit = status(error);
    let not_understood = exit == Exit::NotUnderstood;
    if as_json && (not_understood || exit == Exit::Refused) {
        let message = Message::verbatim(format!("{error:#}"));
        let refused = Rejection { message, not_understood, ..Rejection::default() };
        // Ignore an error, because the exit status also reports the refusal.
        let _ = print(&(json!({ "refused": refused }).to_string() + "\n"));
    } else {
        report(format_args!("{error:#}"));
    }
    exit
}

/// Creates the error for a refused command.
pub(crate) fn refused(why: impl Display) -> anyhow::Error {
    ErrorWith(Exit::Refused, why.to_string()).into()
}

/// Creates the error for a command that was not understood.
pub(crate) fn not_understood(why: impl Display) -> anyhow::Error {
    ErrorWith(Exit::NotUnderstood, why.to_string()).into()
}

/// Reports that a command needs a confirmation. Does not print JSON, because the effects were already printed as JSON.
pub(crate) fn unconfirmed(why: impl Display) -> Exit {
    report(why);
    Exit::Refused
}

/// Prints to standard output. Succeeds even if the program that reads the output has ended, for example `head`.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(not_printed(&error)),
        _ => Ok(()),
    }
}

/// Prints an answer: `facts` as a line of JSON if `as_json` is set, otherwise `words`.
pub(crate) fn say(as_json: bool, facts: impl Serialize, words: impl FnOnce() -> String) -> anyhow::Result<Exit> {
    print(&if as_json { serde_json::to_string(&facts)? + "\n" } else { words() })?;
    Ok(Exit::Done)
}

/// Creates the error for an answer that cannot be printed.
pub(crate) fn not_printed(error: &io::Error) -> anyhow::Error {
    ErrorWith(Exit::NotPrinted, format!("cannot print: {error}")).into()
}
