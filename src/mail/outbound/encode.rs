//! [`Letter`] → the mail that is sent.
//!
//! Ids are written unencoded and folded here: lettre would turn unusual ones into encoded words, which is not allowed in
//! ids (RFC 2047, 5). Each is checked first, so none brings a line break into the headers.

use std::time::SystemTime;

use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue, MIME_VERSION_1_0};
use lettre::message::{Attachment, Body, Mailbox, MessageBuilder, MultiPart, MultiPartKind, SinglePart};
use lettre::{Address, Message};
use sha2::{Digest, Sha256};

use super::send_error::SendError;
use crate::compose::{Html, Letter, own_address};
use crate::text;

/// The display name of a letter's `From` that says nothing of players, and of every `Reply-To`.
const NAME: &str = "Turnpost";
/// The longest ASCII line that is sent unencoded; RFC 5322 allows 998.
const MAX_LINE: usize = 900;
/// The longest display name, in characters; a longer one is cut.
const MAX_NAME: usize = 80;
/// The longest subject, in characters; a longer one is cut.
const MAX_SUBJECT: usize = 200;

/// Encodes a letter as a mail from the server's address; `url` is the base address of its web pages.
///
/// # Errors
/// [`SendError::Permanent`] when an address or the letter's own Message-ID is malformed: no later attempt can succeed.
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
        .subject(one_line(&letter.subject, MAX_SUBJECT))
        .date(SystemTime::from(letter.date))
        .raw_header(ids("Message-ID", [letter.message_id.as_str()]));
    // The mail that it answers, or the thread that it belongs to.
    let parent = letter.in_reply_to.as_ref().or(letter.references.last());
    if let Some(id) = parent.filter(|id| is_id(id)) {
        builder = builder.raw_header(ids("In-Reply-To", [id.as_str()]));
    }
    let references: Vec<&str> = letter.references.iter().map(String::as_str).filter(|id| is_id(id)).collect();
    if !references.is_empty() {
        builder = builder.raw_header(ids("References", references));
    }
    // RFC 3834, section 5: no automatic responder may answer either value.
    let auto = if letter.in_reply_to.is_some() { "auto-replied" } else { "auto-generated" };
    builder = builder
        .raw_header(plain("Auto-Submitted", auto))
        .raw_header(plain("X-Auto-Response-Suppress", "All"))
        // Outlook offers no reactions to a letter then.
        .raw_header(plain("X-MS-Reactions", "disallow"))
        .header(MIME_VERSION_1_0);
    builder = unsubscribe_headers(letter, from, url).into_iter().fold(builder, MessageBuilder::raw_header);
    match &letter.html {
        None => builder.header(ContentType::TEXT_PLAIN).body(body(&letter.text)),
        Some(html) => builder.multipart(parts(letter, html)),
    }
    .map_err(|error| SendError::Permanent(format!("the letter cannot be written as a mail: {error}")))
}

/// The header fields by which a mail program offers to stop such letters.
fn unsubscribe_headers(letter: &Letter, from: &str, url: Option<&str>) -> Vec<HeaderValue> {
    let Some(token) = &letter.unsubscribe else { return Vec::new() };
    let mut headers = Vec::new();
    // RFC 2369, 3.2. The token's alphabet has no character that must be encoded.
    let link = url.map(|url| format!("<{url}/unsubscribe/{token}>"));
    let mailto = own_address(from, &format!("u-{token}")).map(|to| format!("<mailto:{to}?subject=unsubscribe>"));
    let ways: Vec<String> = link.into_iter().chain(mailto).collect();
    if !ways.is_empty() {
        headers.push(plain("List-Unsubscribe", &ways.join(",\r\n ")));
    }
    // RFC 8058, 3.1.
    if url.is_some_and(|url| url.starts_with("https://")) {
        headers.push(plain("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
    }
    headers
}

/// The text, and the same as HTML with its pictures. The boundaries are made from the Message-ID, so that the same letter
/// has the same octets each time; their digest cannot occur in a letter.
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

/// The body of a text part.
fn body(text: &str) -> Body {
    // In transit, a lone CR or LF could become a line break, or be dropped.
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
    if text.is_ascii() && !text.contains('\0') && text.lines().all(|line| line.len() <= MAX_LINE) {
        // Left to choose, lettre uses quoted-printable for 77 columns and more, and breaks the lines of a board.
        return Body::dangerous_pre_encoded(text.into_bytes(), ContentTransferEncoding::SevenBit);
    }
    Body::new_with_encoding(text, ContentTransferEncoding::QuotedPrintable).expect("quoted-printable takes any text")
}

/// The display name of a letter's `From`. lettre quotes it where that is needed.
fn name(letter: &Letter) -> String {
    letter.from.as_ref().map(|name| one_line(name, MAX_NAME)).filter(|name| !name.is_empty()).unwrap_or(NAME.to_owned())
}

/// A text as one header line of at most so many characters.
fn one_line(text: &str, most: usize) -> String {
    let words: String = text::squeezed(text).chars().take(most).collect();
    words.trim().to_owned()
}

/// Whether this can be written as an id.
fn is_id(id: &str) -> bool {
    id.len() <= 250
        && id.starts_with('<')
        && id.ends_with('>')
        && id.len() > 2
        && id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A header field of ids, one a line, which keeps lines short without breaking an id.
fn ids<'a>(name: &'static str, ids: impl IntoIterator<Item = &'a str>) -> HeaderValue {
    plain(name, &ids.into_iter().collect::<Vec<_>>().join("\r\n "))
}

/// A header field that is written as it is.
fn plain(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(name),
        value.replace("\r\n ", " "),
        value.to_owned(),
    )
}
