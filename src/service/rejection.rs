//! Rejections of requests, and other errors of the service.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::command::ParseError;
use crate::message;
use crate::numbers::BoardNumber;
use crate::rules::{Refusal, RefusalKind};
use crate::service::account::passwords::Stale;
use crate::service::board::views::BoardView;
use crate::store::{Failure, PlayerId, StoreError};
use crate::text::Message;

/// Why a request was refused and not carried out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Rejection {
    /// The line as the server understood it, with `***` for passwords.
    pub line: String,
    /// The position in `line` of the word that caused the rejection: its byte column, and its length in characters.
    pub at: Option<(usize, usize)>,
    /// The explanation for the requester.
    pub message: Message,
    /// The nearest valid word or command.
    pub nearest: Option<String>,
    /// The usage of the command.
    pub usage: Option<String>,
    /// The current board, if the line named one on which the requester plays.
    pub board: Option<Box<BoardView>>,
    /// Whether the line was not understood (exit status 2) rather than refused (1).
    pub not_understood: bool,
    /// The reason code, from which the web adapter chooses a status code and the API a problem type.
    #[serde(skip)]
    pub reason: Reason,
    /// The player who was authenticated before the request was refused.
    #[serde(skip)]
    pub proved: Option<PlayerId>,
    /// The author's text from the refused message, which they can copy into another message; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The reason code of a rejection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reason {
    /// The rules or the current state forbid the request.
    #[default]
    State,
    /// The request names something that does not exist.
    NotThere,
    /// The requester lacks the right to do this.
    NotYours,
    /// The requester is not authenticated.
    Unknown,
    /// There were too many attempts.
    TooOften,
}

/// Why a handler stopped: the request was rejected, the hash of a password is missing, or the store failed.
pub(crate) enum RequestError {
    Rejected(Box<Rejection>),
    Stale,
    Store(StoreError),
}

pub(crate) type RequestResult<T> = Result<T, RequestError>;

/// Converts a handler's result for callers outside the service: a rejection becomes a normal value, and other errors
/// remain errors.
pub(crate) fn split_rejection<T>(result: RequestResult<T>) -> ServiceResult<Result<T, Rejection>> {
    match result {
        Ok(done) => Ok(Ok(done)),
        Err(RequestError::Rejected(rejection)) => Ok(Err(*rejection)),
        Err(RequestError::Stale) => Err(ServiceError::Stale),
        Err(RequestError::Store(error)) => Err(error.into()),
    }
}

/// Like [`split_rejection`], for a handler that needs no password and therefore cannot find a stale one.
pub(crate) fn split_rejection_without_password<T>(
    result: RequestResult<T>,
) -> Result<Result<T, Rejection>, StoreError> {
    split_rejection(result).map_err(ServiceError::without_password)
}

impl Rejection {
    /// Creates the rejection of a line, and points at `word` in it.
    pub(crate) fn of_line(line: &str, word: &str, message: Message) -> Rejection {
        Rejection { at: find_word(line, word), line: line.to_owned(), message, ..Rejection::default() }
    }

    /// Creates the rejection of a line that is not a command. Possible passwords in the line are not masked yet.
    pub(crate) fn not_understood(error: ParseError) -> Rejection {
        let ParseError { line, at, message, nearest, usage, .. } = error;
        Rejection { line, at, message, nearest, usage, not_understood: true, ..Rejection::default() }
    }

    /// Creates the rejection of a line that the rules of a game refuse.
    pub(crate) fn by_rules(line: &str, refusal: Refusal) -> Rejection {
        let Refusal { kind, word, message, nearest } = refusal;
        let not_understood = matches!(kind, RefusalKind::NotAMove | RefusalKind::Options);
        Rejection { nearest, not_understood, ..Rejection::of_line(line, &word, message) }
    }

    pub(crate) fn because(self, reason: Reason) -> Rejection {
        Rejection { reason, ..self }
    }

    /// Returns whether the message says that this board does not exist.
    pub(crate) fn denies(&self, board: BoardNumber) -> bool {
        self.message == message!("service.no-such-board", number = board)
    }

    pub(crate) fn near(self, nearest: Option<String>) -> Rejection {
        Rejection { nearest, ..self }
    }

    pub(crate) fn at_board(self, board: BoardView) -> Rejection {
        Rejection { board: Some(Box::new(board)), ..self }
    }
}

/// Returns the last position of a complete word in a line: byte column and length in characters. Skips the text of
/// `--say`.
fn find_word(line: &str, word: &str) -> Option<(usize, usize)> {
    if word.is_empty() {
        return None;
    }
    let (line, word) = (line.to_lowercase(), word.to_lowercase());
    let whole = |&(at, _): &(usize, &str)| {
        let edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        edge(line[..at].chars().next_back()) && edge(line[at + word.len()..].chars().next())
    };
    let said = said_at(&line);
    let at = line.match_indices(&word).filter(|(at, _)| !said.contains(at)).filter(whole).last()?.0;
    Some((at, word.chars().count()))
}

/// Returns the byte range of the option `--say` with its text in a line; empty if the line has none.
fn said_at(line: &str) -> Range<usize> {
    const SAY: &str = "--say=";
    let Some(begin) = line.find(SAY) else { return 0..0 };
    let text = &line[begin + SAY.len()..];
    let length = match text.strip_prefix('"') {
        Some(quoted) => quoted.find('"').map(|end| end + 2),
        None => text.find(char::is_whitespace),
    };
    begin..begin + SAY.len() + length.unwrap_or(text.len())
}

impl From<Stale> for RequestError {
    fn from(_: Stale) -> Self {
        RequestError::Stale
    }
}

impl From<ServiceError> for RequestError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Store(error) => error.into(),
            ServiceError::Stale => RequestError::Stale,
        }
    }
}

impl From<StoreError> for RequestError {
    fn from(error: StoreError) -> Self {
        RequestError::Store(error)
    }
}

impl From<Rejection> for RequestError {
    fn from(rejection: Rejection) -> Self {
        RequestError::Rejected(Box::new(rejection))
    }
}

/// An error that prevented an answer. The transaction must be dropped.
#[derive(Debug)]
pub enum ServiceError {
    /// The store failed.
    Store(StoreError),
    /// A password was not hashed before the transaction, or has changed since. Prepare the request again.
    Stale,
}

/// The result of service functions that check a password.
pub type ServiceResult<T> = Result<T, ServiceError>;

impl ServiceError {
    /// Converts the error of a request without a password. Such a request should never cause [`ServiceError::Stale`].
    pub fn without_password(self) -> StoreError {
        match self {
            ServiceError::Store(error) => error,
            ServiceError::Stale => StoreError::Failed("a request without a password needed one".to_owned()),
        }
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> ServiceError {
        ServiceError::Store(error)
    }
}

impl Failure for ServiceError {
    fn of_store(&self) -> Option<&StoreError> {
        match self {
            ServiceError::Store(error) => Some(error),
            ServiceError::Stale => None,
        }
    }
}

impl From<Stale> for ServiceError {
    fn from(_: Stale) -> ServiceError {
        ServiceError::Stale
    }
}
