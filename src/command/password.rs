//! A password on its way to the service.

use std::fmt;

use crate::message;
use crate::text::Message;

/// A password from a command. Its `Debug` output never shows it, so it cannot appear in logs and panics.
#[derive(Clone, PartialEq, Eq)]
pub enum Password {
    /// Typed out.
    Given(String),
    /// `-`: from the environment or a prompt (shell), from the token or session (mail, web).
    FromContext,
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Password::Given(_) => "***",
            Password::FromContext => "-",
        })
    }
}

impl Password {
    /// Returns the typed password.
    pub fn given(&self) -> Option<&str> {
        match self {
            Password::Given(password) => Some(password),
            Password::FromContext => None,
        }
    }

    /// Explains why a new password is not acceptable, without repeating it; `None` if it is.
    pub fn flaw(new: &str) -> Option<Message> {
        match new {
            _ if new.starts_with('-') => Some(message!("command.password-dash")),
            // A quote could not be typed in mail, where quotes keep words together.
            _ if new.contains('"') => Some(message!("command.password-quote")),
            _ if new.chars().any(char::is_control) => Some(message!("command.password-control")),
            _ => None,
        }
    }
}
