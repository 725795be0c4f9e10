//! The error for a line that is not a command.

use std::fmt;

use super::mask::{Shown, mask};
use crate::text::Message;

/// The error for a line that is not a command. It identifies the word at fault and suggests a correction.
///
/// A typing error can put a password anywhere, so the line and the message are masked before they are shown.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", message.code)]
pub struct ParseError {
    /// The line, with `***` for every word that may be a password.
    pub line: String,
    /// Byte column of the words at fault in `line`, from 0, and their length in characters.
    pub at: Option<(usize, usize)>,
    /// The fault in one sentence, with a full stop: `There is no game "marqe".`
    pub message: Message,
    /// The suggestion, if there is one: a replacement for the words at fault, or a complete command.
    pub nearest: Option<String>,
    /// How to write the command, if the verb was recognized: `marque move board userid password f3`.
    pub usage: Option<String>,
    /// Whether the line at least began as a command (its first word is a game or server command). An adapter that reads
    /// free text uses this to distinguish a mistyped command from a letter.
    pub is_command: bool,
}

impl fmt::Debug for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = mask(&self.line, None, Shown::Kept, &|_| false).line;
        f.debug_struct("ParseError").field("line", &line).field("message", &self.message.code).finish_non_exhaustive()
    }
}
