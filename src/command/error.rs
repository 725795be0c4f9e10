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
    /// Whether the word stands where a password does and must not be shown.
    pub hidden: bool,
    /// Whether what stands in the password's place is another word, because the password is missing.
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

    /// The same error at so many words.
    pub(super) fn over(self, span: usize) -> WordError {
        WordError { span, ..self }
    }

    /// The same error at a word that must not be shown.
    pub(super) fn hide(self) -> WordError {
        WordError { hidden: true, ..self }
    }
}
