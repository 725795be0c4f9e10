//! What is said of a line that is no command.

use crate::text::Message;

/// A line that is no command: what was understood, the word at fault, what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// The line as far as it may be shown: passwords are `***`, and where their place is not known (an unknown verb)
    /// the line ends, with `…`, at the word at fault.
    pub line: String,
    /// Byte column of the word at fault in `line`, from 0, and its length in characters.
    pub at: Option<(usize, usize)>,
    /// What is wrong, one sentence with a full stop: `There is no game "marqe".`
    pub message: Message,
    /// The nearest valid word or command, if one is near.
    pub nearest: Option<String>,
    /// How the command is written, when the verb was understood: `marque move board userid password f3`.
    pub usage: Option<String>,
    /// The line at least began as a command (its first word is a game or server command): a face that reads free
    /// text tells a mistyped command from a letter by this.
    pub is_command: bool,
}
