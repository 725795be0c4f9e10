//! What is wrong with a word of a line.

use crate::text::Message;

/// What is wrong with a word of a line: a `ParseError` without the line around it.
pub(super) struct WordError {
    /// Index of the word at fault; `None` when a word is missing.
    pub at: Option<usize>,
    /// How many words are at fault, from that one on: those that `nearest` replaces.
    pub span: usize,
    /// What is wrong, one sentence.
    pub message: Message,
    /// The nearest valid word or command, if one is near.
    pub nearest: Option<String>,
    /// Whether the word is in the place of a password and must not be shown.
    pub hidden: bool,
    /// Whether the password is missing and another word is in its place.
    pub lacks_password: bool,
}

impl WordError {
    /// An error at the word with this index.
    pub(super) fn at(at: usize, message: Message) -> WordError {
        WordError { at: Some(at), span: 1, message, nearest: None, hidden: false, lacks_password: false }
    }

    /// A word is missing.
    pub(super) fn missing(message: Message) -> WordError {
        WordError { at: None, ..WordError::at(0, message) }
    }

    /// The same error with the word that was probably meant.
    pub(super) fn near(self, nearest: Option<impl Into<String>>) -> WordError {
        WordError { nearest: nearest.map(Into::into), ..self }
    }

    /// Sets the number of words at fault.
    pub(super) fn over(self, span: usize) -> WordError {
        WordError { span, ..self }
    }

    /// Marks the word at fault as hidden.
    pub(super) fn hide(self) -> WordError {
        WordError { hidden: true, ..self }
    }
}
