//! A password on its way to the service.

use std::fmt;

use crate::message;
use crate::text::Message;

/// A password as it stood in a command. Its `Debug` never shows it, so no log and no panic can.
#[derive(Clone, PartialEq, Eq)]
pub enum Password {
    /// Typed out.
    Given(String),
    /// `-`: from the environment or by asking (shell), from the token or session (mail, web).
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
    /// Returns the password that was typed.
    pub fn given(&self) -> Option<&str> {
        match self {
            Password::Given(password) => Some(password),
            Password::FromContext => None,
        }
    }

    /// Says what is wrong with a new password, without repeating it; `None` if it will do.
    pub fn flaw(new: &str) -> Option<Message> {
        match new {
            _ if new.starts_with('-') => Some(message!("command.password-dash")),
            // A quote could never be typed in a mail, where quotes keep words together.
            _ if new.contains('"') => Some(message!("command.password-quote")),
            _ if new.chars().any(char::is_control) => Some(message!("command.password-control")),
            _ => None,
        }
    }
}
