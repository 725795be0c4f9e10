//! A line that was understood.

use super::canonical;
use super::types::Command;

/// A line that was understood: its command, and the comment that it carries.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedLine {
    /// The command.
    pub command: Command,
    /// The comment given on the line itself (`--say="…"`).
    pub say: Option<String>,
    /// The line in canonical form, every password written `***`.
    pub shown: String,
}

impl ParsedLine {
    /// The line of a command that was not typed.
    pub fn of(command: Command) -> ParsedLine {
        ParsedLine::with_comment(command, None)
    }

    /// The line of a command and its comment.
    pub(super) fn with_comment(command: Command, say: Option<String>) -> ParsedLine {
        let shown = canonical::shown(&command, say.as_deref());
        ParsedLine { command, say, shown }
    }
}
