//! A parsed line.

use super::canonical;
use super::types::Command;

/// A parsed line: its command and its comment.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedLine {
    /// The command.
    pub command: Command,
    /// The comment given on the line itself (`--say="…"`).
    pub say: Option<String>,
    /// The line in canonical form, with `***` for every password.
    pub shown: String,
}

impl ParsedLine {
    /// Creates the line of a command that was not typed.
    pub fn of(command: Command) -> ParsedLine {
        ParsedLine::with_comment(command, None)
    }

    /// Creates the line of a command with its comment.
    pub(crate) fn with_comment(command: Command, say: Option<String>) -> ParsedLine {
        let shown = canonical::shown(&command, say.as_deref());
        ParsedLine { command, say, shown }
    }
}
