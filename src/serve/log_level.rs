//! Changing the log level of a running server.

use std::fs::TryLockError;

use anyhow::Context;

use super::instance::Instance;
use super::wake::{Answer, Question};

/// The log of this process, with an adjustable level.
pub trait LogLevel {
    /// Returns the level, such as `info`, or `info,turnpost::web=debug`.
    fn level(&self) -> String;

    /// Sets the level.
    ///
    /// # Errors
    /// A message if the level is invalid.
    fn set_level(&self, level: &str) -> Result<(), String>;
}

/// Answers a command's question to this server.
pub(crate) fn answer(question: Question, log: &dyn LogLevel) -> Answer {
    if let Question::SetLogLevel(level) = question {
        let old = log.level();
        log.set_level(&level)?;
        tracing::warn!(old, new = level, "the level of the log was changed");
    }
    Ok(log.level())
}

impl Instance {
    /// Returns the log level of the server on this data directory, after setting it to `new` if given. Returns `None`
    /// without a server.
    ///
    /// # Errors
    /// The server does not answer, or rejects the level.
    pub fn log_level(&self, new: Option<String>) -> anyhow::Result<Option<String>> {
        let serving = self.lock_file("serve.lock")?;
        match serving.try_lock_shared() {
            Ok(()) => return Ok(None),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error).context("cannot lock serve.lock"),
        }
        let answer = self.waker().ask(&new.map_or(Question::LogLevel, Question::SetLogLevel))?;
        answer.map(Some).map_err(anyhow::Error::msg)
    }
}
