//! Why the text of a mail was not read.

use super::raw::MAX_MAIL;
use crate::message;
use crate::text::Message;

/// The most parts, for which the boundary lines are counted.
pub(super) const MAX_PARTS: usize = 50;
/// The deepest nesting: each level needs a `Content-Type` with a boundary of its own.
pub(super) const MAX_DEPTH: usize = 20;

/// Why the text of a mail was not read. `Display` is for the administrator, [`Unreadable::message`] for the sender.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is longer than [`MAX_MAIL`], and only its head was stored.
    #[error("the mail is longer than {} MB", MAX_MAIL / 1_000_000)]
    TooLong,
    /// A subject is too long to be decoded.
    #[error("the subject is too long")]
    SubjectTooLong,
    /// There are several subjects (RFC 5322, 3.6, allows one).
    #[error("the mail has more than one subject")]
    SeveralSubjects,
    /// A header field of a part is malformed.
    #[error("a header field of a part is malformed: {0}")]
    MalformedPartHeader(String),
    /// A header field of a part is too long to be decoded.
    #[error("a header field of a part is too long")]
    PartHeaderTooLong,
    /// Multiparts are nested too deeply.
    #[error("the mail is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// There are too many parts.
    #[error("the mail has more than {MAX_PARTS} parts")]
    TooManyParts,
    /// The MIME structure is malformed.
    #[error("the mail cannot be parsed: {0}")]
    MalformedMail(String),
    /// The text cannot be decoded.
    #[error("the text cannot be decoded: {0}")]
    MalformedText(String),
    /// The text is in an unknown character set.
    #[error("the character set {0} is not known")]
    UnknownCharset(String),
}

impl Unreadable {
    /// What the sender is told.
    pub fn message(&self) -> Message {
        match self {
            Unreadable::TooLong => message!("mail.too-long", most = MAX_MAIL / 1_000_000),
            Unreadable::SubjectTooLong => message!("mail.subject-too-long"),
            Unreadable::SeveralSubjects => message!("mail.several-subjects"),
            Unreadable::MalformedPartHeader(error) => message!("mail.malformed-part-header", error),
            Unreadable::PartHeaderTooLong => message!("mail.part-header-too-long"),
            Unreadable::TooDeep => message!("mail.too-deep", most = MAX_DEPTH),
            Unreadable::TooManyParts => message!("mail.too-many-parts", most = MAX_PARTS),
            Unreadable::MalformedMail(error) => message!("mail.malformed", error),
            Unreadable::MalformedText(error) => message!("mail.malformed-text", error),
            Unreadable::UnknownCharset(charset) => message!("mail.unknown-charset", charset),
        }
    }
}
