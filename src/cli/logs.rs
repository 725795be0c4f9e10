//! The log on standard error: as text, or as JSON on request.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry, reload};

use super::log_output::LogOutput;
use crate::serve::LogLevel;

/// The default log level, which `TURNPOST_LOG` overrides.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    /// Warnings and errors.
    Warn,
    /// Also each message and each letter.
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
    // Otherwise it would report an unwritable standard error on standard error, and panic.
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
/// A description of the fault if it is not a level.
pub(crate) fn check(level: &str) -> Result<(), String> {
    filter(level).map(drop)
}

/// Parses the filter of a level such as `debug`, or `info,turnpost::web=debug`.
fn filter(level: &str) -> Result<Targets, String> {
    // An unknown single word would be treated as a part of the program, and everything else would be silent.
    let single =
        level.split(',').map(str::trim).find(|part| !part.contains('=') && part.parse::<LevelFilter>().is_err());
    if let Some(word) = single {
        return Err(format!("`{word}` is not a level; use off, error, warn, info, debug or trace, or PART=LEVEL"));
    }
    let targets: Targets = level.parse().map_err(|error| format!("`{level}`: {error}"))?;
    // The IMAP library traces everything that is sent to the server, including the password.
    Ok(targets.with_target("imap_next", LevelFilter::OFF))
}
