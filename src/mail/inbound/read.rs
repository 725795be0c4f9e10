//! Parses raw octets into an [`Incoming`]: the unauthenticated content of a message.
//!
//! Anyone can send these octets, so a cheap scan checks the limits before they are parsed.

use mailparse::{MailHeader, MailHeaderMap};
use sha2::{Digest, Sha256};

use super::banner::without_banner;
use super::headers::{decoded, first, header_end, message_id, named, sender, without_mbox_line};
use super::sealed::Unreadable;
use super::{machine, mime};
use crate::message;
use crate::text::Message;

/// The longest header block, in octets.
pub(crate) const MAX_HEADERS: usize = 64 * 1024;
/// The maximum number of `Authentication-Results` fields to read.
const MAX_RESULTS: usize = 20;

/// The parsed content of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incoming {
    /// The single address of the single `From`, in lower case; `None` for several addresses, none, or one that is not
    /// plain ASCII.
    pub sender: Option<String>,
    /// The Message-ID, with angle brackets.
    pub message_id: Option<String>,
    /// Every `Subject` of acceptable length, decoded. Several subjects indicate a malicious message (RFC 5322, 3.6).
    pub subjects: Vec<String>,
    /// The first non-empty text part, or the plain one of alternatives. HTML is converted to text. Lines end with LF,
    /// control and bidi characters are removed, paragraphs are unfolded (RFC 3676), quoted lines begin with `>`, and
    /// gateway banners are removed. Empty if the message contains no text.
    pub text: String,
    /// Why this is machine mail, which is never answered; `None` for a person's message.
    pub machine: Option<Message>,
    /// The first `message/delivery-status` in the message (RFC 3464), up to a limit.
    pub delivery_status: Option<String>,
    /// Whether a header field lists recipients to whom another message was not delivered, as Exim and Gmail do in
    /// their reports.
    pub names_failed: bool,
    /// Whether the message is a mail server's report on the delivery of another message.
    pub reports_delivery: bool,
    /// The newest `Authentication-Results` of acceptable length, newest first.
    pub authentication_results: Vec<String>,
    /// Why the subject or the text could not be read. In the second case, `text` is empty.
    pub unreadable: Option<Unreadable>,
    /// The SHA-256 of the content that the sender wrote, in hex. It is equal for a second copy that arrived on another
    /// route.
    pub identity: String,
}

/// Why the headers of a message were not read. Such a message is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// The header block is too long.
    TooLong,
    /// The header block is malformed.
    Malformed(String),
}

impl HeaderError {
    /// Returns the reason to record in the message's verdict.
    pub fn message(&self) -> Message {
        match self {
            HeaderError::TooLong => message!("verdict.headers-too-long", most = MAX_HEADERS / 1024),
            HeaderError::Malformed(error) => message!("verdict.malformed-headers", error),
        }
    }
}

/// Parses a message; mail from the server's `own_address` is machine mail.
///
/// # Errors
/// The headers are too long, or cannot be parsed.
pub fn read(raw: &[u8], own_address: &str) -> Result<Incoming, HeaderError> {
    let raw = without_mbox_line(raw);
    let end = header_end(raw).unwrap_or(raw.len());
    if end > MAX_HEADERS {
        return Err(HeaderError::TooLong);
    }
    let (headers, _) =
        mailparse::parse_headers(&raw[..end]).map_err(|error| HeaderError::Malformed(error.to_string()))?;
    let mut incoming = Incoming { sender: sender(&headers), message_id: message_id(&headers), ..Incoming::default() };
    for header in named(&headers, "subject") {
        match decoded(header) {
            Some(subject) => incoming.subjects.push(crate::text::line(&subject)),
            None => incoming.unreadable = Some(Unreadable::SubjectTooLong),
        }
    }
    let mut machine_part = None;
    match mime::content(raw) {
        Ok(content) => {
            incoming.text = without_banner(&content.text).to_owned();
            incoming.delivery_status = content.delivery_status;
            machine_part = content.machine;
        }
        Err(error) => incoming.unreadable = Some(error),
    }
    incoming.names_failed = headers.get_first_header("x-failed-recipients").is_some();
    incoming.reports_delivery = machine::reports_delivery(&headers, incoming.sender.as_deref(), &incoming.text);
    let results = named(&headers, "authentication-results");
    incoming.authentication_results = results.take(MAX_RESULTS).filter_map(decoded).collect();
    incoming.machine =
        machine::reason(&headers, incoming.sender.as_deref(), own_address, &incoming.text).or(machine_part);
    incoming.identity = identity(&incoming, &headers, &raw[end..]);
    Ok(incoming)
}

/// Hashes the content that the sender of a message wrote, without fields added in transit (Received, Return-Path,
/// Delivered-To, …). Without a Message-ID, `Date` is included: it distinguishes the same text sent on another day from
/// a second copy.
fn identity(incoming: &Incoming, headers: &[MailHeader<'_>], body: &[u8]) -> String {
    let mut hash = Sha256::new();
    let mut add = |field: &[u8]| {
        hash.update((field.len() as u64).to_be_bytes());
        hash.update(field);
    };
    // An Exchange rule that redirects a message changes its ID, and stores the original ID in this field.
    let redirected = first(headers, "x-ms-exchange-parent-message-id").map(|id| id.trim().to_owned());
    match redirected.as_ref().or(incoming.message_id.as_ref()) {
        Some(id) => add(id.as_bytes()),
        None => add(first(headers, "date").unwrap_or_default().as_bytes()),
    }
    add(incoming.sender.as_deref().unwrap_or_default().as_bytes());
    add(incoming.subjects.join("\n").as_bytes());
    if incoming.text.is_empty() {
        add(body);
    } else {
        add(incoming.text.as_bytes());
    }
    crate::text::hex(&hash.finalize())
}
