//! A password on its way to the service.

use std::fmt;

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
    /// What is wrong with a password from now on, in a sentence that does not repeat it; none if it will do.
    pub fn flaw(new: &str) -> Option<&'static str> {
        match new {
            _ if new.chars().count() < 4 => Some("A password has at least 4 characters."),
            _ if new.starts_with('-') => Some("A password cannot begin with \"-\"."),
            // A quote could never be typed in a mail, where quotes keep words together.
            _ if new.contains('"') => Some("A password cannot hold a double quote."),
            _ if new.chars().any(char::is_control) => Some("A password cannot hold control characters."),
            _ => None,
        }
    }
}
