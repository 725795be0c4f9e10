//! A password on its way to the desk.

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
