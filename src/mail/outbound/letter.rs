//! A letter ready to be sent, its encoding as a message, and the result of sending it.
//!
//! This module writes Message-IDs itself, unencoded and folded: lettre would turn unusual IDs into encoded words, which
//! are not allowed in a Message-ID (RFC 2047, 5). Each ID is checked first, so that it cannot inject a line break into
//! the headers.

use std::sync::Arc;
use std::time::SystemTime;

use lettre::address::Envelope;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue, MIME_VERSION_1_0};
use lettre::message::{Attachment, Body, Mailbox, MessageBuilder, MultiPart, MultiPartKind, SinglePart};
use lettre::{Address, Message};
use sha2::{Digest, Sha256};

use crate::compose::{Html, Letter, own_address};
use crate::mail::oauth::OAuthError;
use crate::store::{OutboxId, OutboxNotice, PlayerId, Work};
use crate::text;

/// A letter ready to be sent.
pub(crate) struct PreparedLetter {
    /// The notices in the letter; the first one determines its number and Message-ID.
    pub(crate) notices: Vec<OutboxNotice>,
    /// The encoded message, with headers and body.
    pub(crate) mail: Vec<u8>,
    /// The recipients who have neither received nor refused the letter.
    pub(crate) recipients: Vec<Recipient>,
}

pub(crate) struct Recipient {
    pub(crate) address: String,
    /// The envelope sender, to which a bounce is sent.
    pub(crate) envelope_sender: String,
}

/// The result of sending a letter to one recipient.
pub(crate) type SendResult = Result<(), SendError>;

/// A letter and its result for each recipient.
pub(crate) type SentLetter = (Arc<PreparedLetter>, Vec<SendResult>);

impl PreparedLetter {
    /// Creates a letter that cannot be sent, so that its failure can be recorded.
    pub(crate) fn without_recipients(notices: Vec<OutboxNotice>) -> PreparedLetter {
        PreparedLetter { notices, mail: Vec::new(), recipients: Vec::new() }
    }

    pub(crate) fn id(&self) -> OutboxId {
        let first = &self.notices[0];
        first.letter.unwrap_or(first.id)
    }

    /// Returns the work that a node leases in order to send this letter.
    pub(crate) fn work(&self) -> Work {
        work(&self.notices)
    }

    /// Returns the player who reads the letter; `None` if it is for an address without a player.
    pub(crate) fn reader(&self) -> Option<PlayerId> {
        reader(&self.notices)
    }
}

/// Returns the player who reads the letter of these notices; `None` if it is for an address without a player.
pub(crate) fn reader(notices: &[OutboxNotice]) -> Option<PlayerId> {
    notices[0].player.as_ref().map(|player| player.id)
}

/// Returns the work that a node leases in order to send the letter of these notices.
pub(crate) fn work(notices: &[OutboxNotice]) -> Work {
    reader(notices).map_or(Work::Letter(notices[0].id), Work::LettersTo)
}

impl Recipient {
    pub(crate) fn envelope(&self) -> Result<Envelope, SendError> {
        let parsed = |text: &str| {
            text.parse::<Address>()
                .map_err(|error| SendError::Permanent(format!("{text:?} is not a mail address: {error}")))
        };
        Envelope::new(Some(parsed(&self.envelope_sender)?), vec![parsed(&self.address)?])
            .map_err(|error| SendError::Permanent(error.to_string()))
    }
}

/// Why a letter was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Retrying is useless: the recipient is refused, or the letter cannot be sent.
    #[error("{0}")]
    Permanent(String),
    /// A later attempt may succeed.
    #[error("{0}")]
    Temporary(String),
    /// The mail server refuses us, independently of the letter: for example a wrong password or an untrusted
    /// certificate. A later attempt may succeed once the cause is fixed.
    #[error("{0}")]
    Relay(String),
    /// No access token is available until the administrator authorizes the mailbox. The letter was not sent to the
    /// server.
    #[error("{0}")]
    Unauthorized(String),
    /// The mail server refuses the letter for a reason unrelated to the recipient: for example, relaying is denied or
    /// we are blocked. A later attempt may succeed once the cause is fixed.
    #[error("{0}")]
    Policy(String),
    /// The server or the sendmail program did not answer in time. A later attempt may succeed.
    #[error("{0}")]
    Hung(String),
}

impl From<OAuthError> for SendError {
    fn from(error: OAuthError) -> SendError {
        match error {
            OAuthError::Permanent(why) => SendError::Unauthorized(why),
            OAuthError::Temporary(why) => SendError::Temporary(why),
        }
    }
}

impl SendError {
    /// Returns whether retrying is useless.
    pub fn is_permanent(&self) -> bool {
        matches!(self, SendError::Permanent(_))
    }
}

/// Returns a server's text as one line without control characters.
pub(crate) fn one_line(text: &str) -> String {
    text::line(text).chars().take(500).collect::<String>().trim().to_owned()
}

/// The display name in `Reply-To`, and in the `From` of letters that do not name players.
const NAME: &str = "Turnpost";
/// The longest ASCII line to send unencoded; RFC 5322 allows 998.
const MAX_LINE: usize = 900;
/// The longest display name, in characters; longer names are cut.
const MAX_NAME: usize = 80;
/// The longest subject, in characters; longer subjects are cut.
const MAX_SUBJECT: usize = 200;

/// Encodes a letter as a message. `from` is the server's mail address, and `url` is the base address of its web pages.
///
/// # Errors
/// [`SendError::Permanent`] when an address or the letter's own Message-ID is malformed: every later attempt would fail
/// too.
pub fn encode(letter: &Letter, from: &str, url: Option<&str>) -> Result<Message, SendError> {
    let address = |text: &str| {
        text.parse::<Address>()
            .map_err(|error| SendError::Permanent(format!("{text:?} is not a mail address: {error}")))
    };
    if !is_id(&letter.message_id) {
        return Err(SendError::Permanent(format!("{:?} is not a Message-ID", letter.message_id)));
    }
    let mut builder = Message::builder().from(Mailbox::new(Some(name(letter)), address(from)?));
    for to in &letter.to {
        builder = builder.to(Mailbox::new(None, address(to)?));
    }
    if let Some(reply_to) = &letter.reply_to {
        builder = builder.reply_to(Mailbox::new(Some(NAME.to_owned()), address(reply_to)?));
    }
    builder = builder
        .subject(shortened(&letter.subject, MAX_SUBJECT))
        .date(SystemTime::from(letter.date))
        .raw_header(ids("Message-ID", [letter.message_id.as_str()]));
    // The message that the letter answers, or by default the last message in its thread.
    let parent = letter.in_reply_to.as_ref().or(letter.references.last());
    if let Some(id) = parent.filter(|id| is_id(id)) {
        builder = builder.raw_header(ids("In-Reply-To", [id.as_str()]));
    }
    let references: Vec<&str> = letter.references.iter().map(String::as_str).filter(|id| is_id(id)).collect();
    if !references.is_empty() {
        builder = builder.raw_header(ids("References", references));
    }
    // Automatic responders must not answer a letter with either value (RFC 3834, section 5).
    let auto = if letter.in_reply_to.is_some() { "auto-replied" } else { "auto-generated" };
    builder = builder
        .raw_header(plain("Auto-Submitted", auto))
        .raw_header(plain("X-Auto-Response-Suppress", "All"))
        // With this field, Outlook does not offer reactions to the letter.
        .raw_header(plain("X-MS-Reactions", "disallow"))
        .header(MIME_VERSION_1_0);
    builder = unsubscribe_headers(letter, from, url).into_iter().fold(builder, MessageBuilder::raw_header);
    match &letter.html {
        None => builder.header(ContentType::TEXT_PLAIN).body(body(&letter.text)),
        Some(html) => builder.multipart(parts(letter, html)),
    }
    .map_err(|error| SendError::Permanent(format!("the letter cannot be encoded: {error}")))
}

/// Returns the header fields from which mail programs create an unsubscribe button.
fn unsubscribe_headers(letter: &Letter, from: &str, url: Option<&str>) -> Vec<HeaderValue> {
    let Some(token) = &letter.unsubscribe else { return Vec::new() };
    let mut headers = Vec::new();
    // RFC 2369, 3.2. A token contains only characters that need no encoding.
    let link = url.map(|url| format!("<{url}/unsubscribe/{token}>"));
    let mailto = own_address(from, &format!("u-{token}")).map(|to| format!("<mailto:{to}?subject=unsubscribe>"));
    let ways: Vec<String> = link.into_iter().chain(mailto).collect();
    if !ways.is_empty() {
        headers.push(plain("List-Unsubscribe", &ways.join(",\r\n ")));
    }
    // RFC 8058, 3.1, requires HTTPS.
    if url.is_some_and(|url| url.starts_with("https://")) {
        headers.push(plain("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
    }
    headers
}

/// Joins the text with the HTML version and its pictures. The boundaries are digests of the Message-ID, so that every
/// attempt sends the same octets, and the boundaries do not occur in the text.
fn parts(letter: &Letter, html: &Html) -> MultiPart {
    let digest = Sha256::digest(&letter.message_id);
    let boundary = |name: &str| format!("{name}-{}", text::hex(&digest[..12]));
    let page = SinglePart::builder().header(ContentType::TEXT_HTML).body(body(&html.html));
    let mut related = MultiPart::builder().kind(MultiPartKind::Related).boundary(boundary("related")).singlepart(page);
    let png = ContentType::parse("image/png").expect("it is a media type");
    for picture in &html.pictures {
        let inline = Attachment::new_inline(picture.id.clone());
        related = related.singlepart(inline.body(picture.png.to_vec(), png.clone()));
    }
    MultiPart::builder()
        .kind(MultiPartKind::Alternative)
        .boundary(boundary("alternative"))
        .singlepart(SinglePart::builder().header(ContentType::TEXT_PLAIN).body(body(&letter.text)))
        .multipart(related)
}

/// Encodes the body of a text part.
fn body(text: &str) -> Body {
    // Mail servers may turn a single CR or LF into a line break, or drop it.
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
    if text.is_ascii() && !text.contains('\0') && text.lines().all(|line| line.len() <= MAX_LINE) {
        // By default, lettre encodes lines of 77 columns and more as quoted-printable, which breaks the lines of a
        // board.
        return Body::dangerous_pre_encoded(text.into_bytes(), ContentTransferEncoding::SevenBit);
    }
    Body::new_with_encoding(text, ContentTransferEncoding::QuotedPrintable)
        .expect("quoted-printable can encode any text")
}

/// Returns the display name of a letter's `From`. lettre quotes it if necessary.
fn name(letter: &Letter) -> String {
    letter
        .from
        .as_ref()
        .map(|name| shortened(name, MAX_NAME))
        .filter(|name| !name.is_empty())
        .unwrap_or(NAME.to_owned())
}

/// Returns a text as one header line of at most `most` characters.
fn shortened(text: &str, most: usize) -> String {
    let words: String = text::squeezed(text).chars().take(most).collect();
    words.trim().to_owned()
}

/// Returns whether a text can be written as a message ID.
fn is_id(id: &str) -> bool {
    id.len() <= 250
        && id.starts_with('<')
        && id.ends_with('>')
        && id.len() > 2
        && id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Returns a header field of IDs, with one ID on each line, which keeps lines short without breaking an ID.
fn ids<'a>(name: &'static str, ids: impl IntoIterator<Item = &'a str>) -> HeaderValue {
    plain(name, &ids.into_iter().collect::<Vec<_>>().join("\r\n "))
}

/// Returns a header field with this value, which needs no encoding.
fn plain(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(name),
        value.replace("\r\n ", " "),
        value.to_owned(),
    )
}
