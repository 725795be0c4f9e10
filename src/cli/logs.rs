//! The log, on standard error: as text, or as JSON on request.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::reload;

use crate::serve::LogLevel;

/// What is logged unless `TURNPOST_LOG` says otherwise.
#[derive(Clone, Copy)]
pub(super) enum Level {
    /// Warnings and errors.
    Warn,
    /// Each mail and each letter as well.
    Info,
}

/// The log that was started, and its level.
pub(super) struct Log {
    level: Mutex<String>,
    reload: Box<dyn Fn(EnvFilter) -> Result<(), reload::Error> + Send + Sync>,
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
pub(super) fn start(level: Level, json: bool) -> Log {
    let default = match level {
        Level::Warn => "warn",
        Level::Info => "info",
    };
    let configured = std::env::var("TURNPOST_LOG").ok().filter(|level| EnvFilter::try_new(level).is_ok());
    let level = configured.unwrap_or_else(|| default.to_owned());
    let filter = quiet(EnvFilter::new(&level));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    // It would tell of an unwritable standard error on standard error, and panic.
    let log = log.log_internal_errors(false);
    let level = Mutex::new(level);
    if json {
        let log = log.json().flatten_event(true).with_span_list(false).with_filter_reloading();
        let handle = log.reload_handle();
        drop(log.try_init());
        Log { level, reload: Box::new(move |filter| handle.reload(filter)) }
    } else {
        let log = log.with_ansi(std::io::stderr().is_terminal()).with_filter_reloading();
        let handle = log.reload_handle();
        drop(log.try_init());
        Log { level, reload: Box::new(move |filter| handle.reload(filter)) }
    }
}

/// Says what is wrong with a level that an administrator has typed.
///
/// # Errors
/// It is no level.
pub(super) fn check(level: &str) -> Result<(), String> {
    filter(level).map(drop)
}

/// The filter of a level such as `debug`, or `info,turnpost::web=debug`.
fn filter(level: &str) -> Result<EnvFilter, String> {
    // A single word that is no level would be taken for a part of the program, and everything else be silent.
    let single =
        level.split(',').map(str::trim).find(|part| !part.contains('=') && part.parse::<LevelFilter>().is_err());
    if let Some(word) = single {
        return Err(format!("`{word}` is no level: off, error, warn, info, debug or trace, or PART=LEVEL"));
    }
    EnvFilter::try_new(level).map(quiet).map_err(|error| format!("`{level}`: {error}"))
}

/// Without the IMAP library, which traces everything that is sent to the server, the password included.
fn quiet(filter: EnvFilter) -> EnvFilter {
    filter.add_directive("imap_next=off".parse().expect("it is a directive"))
}
