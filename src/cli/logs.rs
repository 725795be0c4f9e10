//! The log, on standard error: as text, or as JSON on request.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// What is logged unless `TURNPOST_LOG` says otherwise.
#[derive(Clone, Copy)]
pub(super) enum Level {
    /// Warnings and errors.
    Warn,
    /// Each mail and each letter as well.
    Info,
}

/// Starts logging; a second call changes nothing.
pub(super) fn start(level: Level, json: bool) {
    let default = match level {
        Level::Warn => "warn",
        Level::Info => "info",
    };
    let filter = EnvFilter::try_from_env("TURNPOST_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    // It traces everything that is sent to the server, the password included.
    let filter = filter.add_directive("imap_next=off".parse().expect("it is a directive"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    // It would tell of an unwritable standard error on standard error, and panic.
    let log = log.log_internal_errors(false);
    let started = if json {
        log.json().flatten_event(true).with_span_list(false).try_init()
    } else {
        log.with_ansi(std::io::stderr().is_terminal()).try_init()
    };
    drop(started);
}
