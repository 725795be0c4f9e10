//! The level of a server's log, changed while it runs.

use std::fs::TryLockError;

use anyhow::Context;

use super::instance::Instance;
use super::wake::{Answer, Question};

/// The log of this process, whose level can be changed.
pub trait LogLevel {
    /// The level, such as `info`, or `info,turnpost::web=debug`.
    fn level(&self) -> String;

    /// Changes it.
    ///
    /// # Errors
    /// It is no level; says so.
    fn set_level(&self, level: &str) -> Result<(), String>;
}

/// Answers what a command asks of this server.
pub(super) fn answer(question: Question, log: &dyn LogLevel) -> Answer {
    if let Question::SetLogLevel(level) = question {
        let old = log.level();
        log.set_level(&level)?;
        tracing::warn!(old, new = level, "the level of the log was changed");
    }
    Ok(log.level())
}

impl Instance {
    /// The level of the log of the server at work on this data directory, after it was changed to this one if there is
    /// one. Without a server there is none.
    ///
    /// # Errors
    /// The server does not answer, or refuses the level.
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
