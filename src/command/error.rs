//! The error for a wrong or missing word, and the type of passwords, which are never shown.

use std::fmt;

use crate::message;
use crate::text::Message;

/// The error for a wrong or missing word. A `ParseError` adds the line.
pub(crate) struct WordError {
    /// The index of the wrong word; `None` when a word is missing.
    pub at: Option<usize>,
    /// The number of wrong words, starting with `at`. The suggestion `nearest` replaces them.
    pub span: usize,
    /// A description of the error, in one sentence.
    pub message: Message,
    /// The nearest valid word or command, if one is close.
    pub nearest: Option<String>,
    /// Whether the word is where a password is expected and must not be shown.
    pub hidden: bool,
    /// Whether the password is missing, so that a word in its place is not hidden.
    pub lacks_password: bool,
}

impl WordError {
    /// Creates an error at the word with this index.
    pub(crate) fn at(at: usize, message: Message) -> WordError {
        WordError { at: Some(at), span: 1, message, nearest: None, hidden: false, lacks_password: false }
    }

    /// Creates an error for a missing word.
    pub(crate) fn missing(message: Message) -> WordError {
        WordError { at: None, ..WordError::at(0, message) }
    }

    /// Adds the probable correction to the error.
    pub(crate) fn near(self, nearest: Option<impl Into<String>>) -> WordError {
        WordError { nearest: nearest.map(Into::into), ..self }
    }

    /// Sets the number of wrong words.
    pub(crate) fn over(self, span: usize) -> WordError {
        WordError { span, ..self }
    }

    pub(crate) fn hide(self) -> WordError {
        WordError { hidden: true, ..self }
    }
}

/// A password from a command. Its `Debug` output never shows it, so it cannot appear in logs and panics.
#[derive(Clone, PartialEq, Eq)]
pub enum Password {
    /// A typed password.
    Given(String),
    /// `-`: the command line asks for the password or reads it from the environment. A reply by mail is authenticated
    /// by its token, a request from a page by its session, and a call of the API by its token.
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
    /// Returns the typed password.
    pub fn given(&self) -> Option<&str> {
        match self {
            Password::Given(password) => Some(password),
            Password::FromContext => None,
        }
    }

    /// Explains why a new password is not acceptable, without repeating it. Returns `None` for an acceptable password.
    pub fn flaw(new: &str) -> Option<Message> {
        match new {
            _ if new.starts_with('-') => Some(message!("command.password-dash")),
            // A password with a quote could not be typed in mail, because quotes group words there.
            _ if new.contains('"') => Some(message!("command.password-quote")),
            _ if new.chars().any(char::is_control) => Some(message!("command.password-control")),
            _ => None,
        }
    }
}
