//! Errors of a line that is no command.

use crate::text::Message;

/// Why a line is no command: what was understood, the word at fault, what would be right.
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
    /// Whether the line at least began as a command (its first word is a game or server command): an adapter that
    /// reads free text tells a mistyped command from a letter by this.
    pub is_command: bool,
}

/// What is wrong with a word of a line: a [`ParseError`] without the line around it.
pub(super) struct WordError {
    /// Index of the word at fault; `None` when a word is missing.
    pub at: Option<usize>,
    /// What is wrong, one sentence.
    pub message: Message,
    /// The nearest valid word, if one is near.
    pub nearest: Option<String>,
    /// Whether the word may be a password and must not be shown.
    pub hidden: bool,
    /// Whether there is a word too many somewhere, so that the word after the password may be the password.
    pub surplus: bool,
}

impl WordError {
    /// An error at the word with this index.
    pub(super) fn at(at: usize, message: Message) -> WordError {
        WordError { at: Some(at), message, nearest: None, hidden: false, surplus: false }
    }

    /// A word is missing.
    pub(super) fn missing(message: Message) -> WordError {
        WordError { at: None, ..WordError::at(0, message) }
    }

    /// The same error with the word that was probably meant.
    pub(super) fn near(self, nearest: Option<impl Into<String>>) -> WordError {
        WordError { nearest: nearest.map(Into::into), ..self }
    }

    /// The same error at a word that must not be shown.
    pub(super) fn hide(self) -> WordError {
        WordError { hidden: true, ..self }
    }
}
