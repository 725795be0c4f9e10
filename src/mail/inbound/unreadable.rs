//! Why the text of a message was not read.

use super::raw::MAX_MAIL;
use crate::message;
use crate::text::Message;

/// The most parts, measured by boundary lines.
pub(crate) const MAX_PARTS: usize = 50;
/// The deepest nesting: each level requires a `Content-Type` with a separate boundary.
pub(crate) const MAX_DEPTH: usize = 20;

/// Why the text of a message was not read. [`Unreadable::reason`] informs the administrator, [`Unreadable::message`]
/// the sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The message is longer than [`MAX_MAIL`], and only its head was stored.
    TooLong,
    /// A subject is too long to be decoded.
    SubjectTooLong,
    /// There are several subjects (RFC 5322, 3.6, allows one).
    SeveralSubjects,
    /// A header field of a part is malformed.
    MalformedPartHeader(String),
    /// A header field of a part is too long to be decoded.
    PartHeaderTooLong,
    /// Multiparts are nested too deeply.
    TooDeep,
    /// There are too many parts.
    TooManyParts,
    /// The MIME structure is malformed.
    MalformedMail(String),
    /// The text cannot be decoded.
    MalformedText(String),
    /// The text is in an unknown character set.
    UnknownCharset(String),
    /// The text is encrypted.
    Encrypted,
    /// The text is inside its S/MIME signature.
    OpaquelySigned,
    /// The text is in Outlook's `winmail.dat`.
    Winmail,
    /// The text is base64 without a header that declares it.
    UnlabelledBase64,
}

impl Unreadable {
    /// Returns whether only the text is unreadable; a command in the subject is then executed.
    pub(crate) fn is_of_text(&self) -> bool {
        matches!(
            self,
            Unreadable::Encrypted | Unreadable::OpaquelySigned | Unreadable::Winmail | Unreadable::UnlabelledBase64
        )
    }

    /// Returns the reason for the administrator.
    pub fn reason(&self) -> Message {
        match self {
            Unreadable::TooLong => message!("verdict.too-long", most = MAX_MAIL / 1_000_000),
            Unreadable::SubjectTooLong => message!("verdict.subject-too-long"),
            Unreadable::SeveralSubjects => message!("verdict.several-subjects"),
            Unreadable::MalformedPartHeader(error) => message!("verdict.malformed-part-header", error),
            Unreadable::PartHeaderTooLong => message!("verdict.part-header-too-long"),
            Unreadable::TooDeep => message!("verdict.too-deep", most = MAX_DEPTH),
            Unreadable::TooManyParts => message!("verdict.too-many-parts", most = MAX_PARTS),
            Unreadable::MalformedMail(error) => message!("verdict.malformed", error),
            Unreadable::MalformedText(error) => message!("verdict.malformed-text", error),
            Unreadable::UnknownCharset(charset) => message!("verdict.unknown-charset", charset),
            Unreadable::Encrypted => message!("verdict.encrypted"),
            Unreadable::OpaquelySigned => message!("verdict.opaquely-signed"),
            Unreadable::Winmail => message!("verdict.winmail"),
            Unreadable::UnlabelledBase64 => message!("verdict.unlabelled-base64"),
        }
    }

    /// Returns the explanation for the sender.
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
            Unreadable::Encrypted => message!("mail.encrypted"),
            Unreadable::OpaquelySigned => message!("mail.opaquely-signed"),
            Unreadable::Winmail => message!("mail.winmail"),
            Unreadable::UnlabelledBase64 => message!("mail.unlabelled-base64"),
        }
    }
}
