//! Raw bytes → [`Incoming`]: who wrote what, as far as a mail can be believed.
//!
//! The bytes come from anybody, so what costs more than a scan is bounded before the parser sees them. mailparse
//! itself bounds the nesting (100) but neither the number of parts nor the length of a header, and decodes encoded
//! words in quadratic time. The bounds are checked on lines, which is coarser than MIME and never more lenient.

use charset::Charset;
use mailparse::{MailAddr, MailHeader, MailHeaderMap, ParsedMail};
use sha2::{Digest, Sha256};

use super::{flowed, html, machine};

/// The longest header block, in bytes.
const MAX_HEADERS: usize = 64 * 1024;
/// The longest single header that is decoded, folded lines together.
const MAX_HEADER: usize = 4 * 1024;
/// The most encoded words in one header.
const MAX_ENCODED_WORDS: usize = 60;
/// The most parts, which the boundary lines are counted for.
const MAX_PARTS: usize = 50;
/// The deepest nesting: each level needs a `Content-Type` with a boundary of its own.
const MAX_DEPTH: usize = 20;
/// The most `Authentication-Results` that are looked at.
const MAX_RESULTS: usize = 20;
/// What of a delivery status is looked at, in bytes.
const MAX_STATUS: usize = 16 * 1024;
/// RFC 5322 lines hold 998 octets, but an id longer than this helps nobody to find a mail.
const MAX_MESSAGE_ID: usize = 250;

/// A mail as far as it was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incoming {
    /// The one address of the one `From`, in lower case; `None` when there are more or none.
    pub sender: Option<String>,
    /// With angle brackets.
    pub message_id: Option<String>,
    /// Every `Subject`, decoded; more than one is a trap and not a mail (RFC 5322, 3.6).
    pub subjects: Vec<String>,
    /// The first text that is not empty, and of alternatives the plain one; HTML as text: LF, no control or bidi
    /// characters, paragraphs unfolded (RFC 3676), quoted lines with `>`. Empty when there is none.
    pub text: String,
    /// Why this is a machine's mail, which is never answered; `None` for a person's.
    pub machine: Option<String>,
    /// The first `message/delivery-status` in it (RFC 3464), as far as it is looked at.
    pub delivery_status: Option<String>,
    /// It names recipients whom another mail has not reached, as Exim and Gmail do.
    pub names_failed: bool,
    /// Every `Authentication-Results` that is not too long, the newest first.
    pub authentication_results: Vec<String>,
    /// Why its text could not be read, in a sentence; `text` is then empty.
    pub trouble: Option<String>,
    /// The SHA-256 of what the sender wrote, in hex: the same for a second copy that came another way.
    pub identity: String,
}

/// Reads a mail; `own_address` is the server's, whose mail is a machine's.
///
/// # Errors
/// A sentence, when not even the headers can be read.
pub fn read(raw: &[u8], own_address: &str) -> Result<Incoming, String> {
    let raw = without_mbox_line(raw);
    let end = header_end(raw).unwrap_or(raw.len());
    if end > MAX_HEADERS {
        return Err(format!("The headers are longer than {} KB.", MAX_HEADERS / 1024));
    }
    let (headers, _) =
        mailparse::parse_headers(&raw[..end]).map_err(|error| format!("The headers cannot be read ({error})."))?;
    let mut incoming = Incoming { sender: sender(&headers), message_id: message_id(&headers), ..Incoming::default() };
    for header in headers.iter().filter(|header| header.get_key_ref().eq_ignore_ascii_case("subject")) {
        match decoded(header) {
            Some(subject) => incoming.subjects.push(crate::text::line(&subject)),
            None => incoming.trouble = Some("The subject is too long.".to_owned()),
        }
    }
    let mut report = false;
    match text(raw) {
        Ok(parts) => {
            incoming.text = parts.text;
            incoming.delivery_status = parts.delivery_status;
            report = parts.is_report;
        }
        Err(trouble) => incoming.trouble = Some(trouble),
    }
    incoming.names_failed = headers.get_first_header("x-failed-recipients").is_some();
    let results = headers.iter().filter(|header| header.get_key_ref().eq_ignore_ascii_case("authentication-results"));
    incoming.authentication_results = results.take(MAX_RESULTS).filter_map(decoded).collect();
    incoming.machine = machine::reason(&headers, incoming.sender.as_deref(), own_address, &incoming.text)
        .or(report.then_some("It is a report about another mail."))
        .map(str::to_owned);
    incoming.identity = identity(&incoming, &headers, &raw[end..]);
    Ok(incoming)
}

/// A pipe from an mbox writer may begin with its separator, which is no header.
pub(super) fn without_mbox_line(raw: &[u8]) -> &[u8] {
    if !raw.starts_with(b"From ") {
        return raw;
    }
    raw.iter().position(|&byte| byte == b'\n').map_or(raw, |newline| &raw[newline + 1..])
}

/// Where the header block ends: behind its empty line.
fn header_end(raw: &[u8]) -> Option<usize> {
    let mut at = 0;
    for line in raw.split_inclusive(|&byte| byte == b'\n') {
        at += line.len();
        if line == b"\n" || line == b"\r\n" {
            return Some(at);
        }
    }
    None
}

/// A header's value, when it is short enough to be decoded.
fn decoded(header: &MailHeader<'_>) -> Option<String> {
    let raw = header.get_value_raw();
    let words = raw.windows(2).filter(|pair| pair == b"=?").count();
    (raw.len() <= MAX_HEADER && words <= MAX_ENCODED_WORDS).then(|| header.get_value())
}

pub(super) fn first(headers: &[MailHeader<'_>], name: &str) -> Option<String> {
    headers.get_first_header(name).and_then(decoded)
}

fn sender(headers: &[MailHeader<'_>]) -> Option<String> {
    let mut froms = headers.iter().filter(|header| header.get_key_ref().eq_ignore_ascii_case("from"));
    let (from, None) = (froms.next()?, froms.next()) else { return None };
    decoded(from)?;
    let list = mailparse::addrparse_header(from).ok()?;
    let [MailAddr::Single(single)] = list.as_slice() else { return None };
    let address = single.addr.trim();
    // Only ASCII: an address in another script would need SMTPUTF8 on the whole way back.
    let plain = address.len() <= 254 && address.bytes().all(|byte| byte.is_ascii_graphic());
    (plain && address.parse::<lettre::Address>().is_ok()).then(|| address.to_ascii_lowercase())
}

pub(super) fn message_id(headers: &[MailHeader<'_>]) -> Option<String> {
    let id = first(headers, "message-id")?;
    let id = id.trim();
    is_message_id(id).then(|| id.to_owned())
}

/// Whether this can stand in an `In-Reply-To` of ours as it is.
fn is_message_id(id: &str) -> bool {
    id.len() <= MAX_MESSAGE_ID
        && id.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).is_some_and(|inner| {
            !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'<' && byte != b'>')
        })
}

/// What is read of a mail's parts.
struct Parts {
    /// As a plain mail would hold it.
    text: String,
    /// A part of it is a report.
    is_report: bool,
    delivery_status: Option<String>,
}

fn text(raw: &[u8]) -> Result<Parts, String> {
    check_bounds(raw)?;
    let mail = mailparse::parse_mail(raw).map_err(|error| format!("The mail cannot be read ({error})."))?;
    let report = mail.parts().any(|part| machine::is_report(&part.ctype.mimetype));
    // Also in UTF-8 (RFC 6533).
    let status = mail.parts().find(|part| {
        matches!(part.ctype.mimetype.as_str(), "message/delivery-status" | "message/global-delivery-status")
    });
    let status = status.and_then(|part| part.get_body_raw().ok());
    Ok(Parts {
        text: body(&mail, true)?.unwrap_or_default(),
        is_report: report,
        delivery_status: status
            .map(|bytes| String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_STATUS)]).into_owned()),
    })
}

/// The first text in a part that is not empty. Some programs write an empty plain part, and only the HTML in earnest.
fn body(part: &ParsedMail<'_>, is_whole: bool) -> Result<Option<String>, String> {
    if part.ctype.mimetype == "multipart/alternative" {
        for mimetype in ["text/plain", "text/html"] {
            for leaf in part.parts().filter(|leaf| leaf.ctype.mimetype == mimetype) {
                if let Some(text) = leaf_body(leaf, false)? {
                    return Ok(Some(text));
                }
            }
        }
        return Ok(None);
    }
    if part.subparts.is_empty() {
        return leaf_body(part, is_whole);
    }
    for inner in &part.subparts {
        if let Some(text) = body(inner, false)? {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

fn leaf_body(leaf: &ParsedMail<'_>, is_whole: bool) -> Result<Option<String>, String> {
    let disposition = leaf.get_content_disposition();
    // A file that is shown in the mail is a file: only a whole mail may be named.
    let named = leaf.ctype.params.contains_key("name") || disposition.params.contains_key("filename");
    if disposition.disposition == mailparse::DispositionType::Attachment || (named && !is_whole) {
        return Ok(None);
    }
    let text = match leaf.ctype.mimetype.as_str() {
        "text/plain" => unfolded(leaf, &leaf_text(leaf)?),
        "text/html" => html::text(&leaf_text(leaf)?),
        _ => return Ok(None),
    };
    let text = crate::text::lines(&text);
    Ok((!text.trim().is_empty()).then_some(text))
}

/// A text whose lines are whole again, when its sender says that it was folded.
fn unfolded(leaf: &ParsedMail<'_>, text: &str) -> String {
    let is = |name: &str, value: &str| leaf.ctype.params.get(name).is_some_and(|it| it.eq_ignore_ascii_case(value));
    if is("format", "flowed") { flowed::unfolded(text, is("delsp", "yes")) } else { text.to_owned() }
}

fn leaf_text(leaf: &ParsedMail<'_>) -> Result<String, String> {
    let broken = |error| format!("The text cannot be decoded ({error}).");
    let bytes = leaf.get_body_raw().map_err(broken)?;
    // Many a script sends UTF-8 and declares nothing, or something else that is not so; read as ASCII it would be
    // mojibake.
    let label = leaf.ctype.charset.trim();
    let charset = Charset::for_label_no_replacement(label.as_bytes());
    if (label.is_empty() || label.eq_ignore_ascii_case("us-ascii") || charset.is_none())
        && let Ok(text) = std::str::from_utf8(&bytes)
    {
        return Ok(text.to_owned());
    }
    match charset {
        Some(charset) => Ok(charset.decode(&bytes).0.into_owned()),
        None => {
            let label: String = label.chars().filter(char::is_ascii_graphic).take(40).collect();
            Err(format!("The text is in a character set that is not known ({label})."))
        }
    }
}

/// Refuses what would cost the parser too much, by looking at lines that can be headers of a part.
fn check_bounds(raw: &[u8]) -> Result<(), String> {
    let lines: Vec<&[u8]> = raw.split_inclusive(|&byte| byte == b'\n').collect();
    let mut boundaries = Vec::new();
    let mut start = 0;
    for (index, line) in lines.iter().enumerate() {
        let at = start;
        start += line.len();
        if !["content-type:", "content-transfer-encoding:", "content-disposition:"]
            .iter()
            .any(|name| line.get(..name.len()).is_some_and(|key| key.eq_ignore_ascii_case(name.as_bytes())))
        {
            continue;
        }
        let folded = lines[index + 1..].iter().take_while(|next| matches!(next.first(), Some(b' ' | b'\t')));
        let length = line.len() + folded.map(|next| next.len()).sum::<usize>();
        let (header, _) =
            mailparse::parse_header(&raw[at..at + length]).map_err(|error| format!("A header is broken ({error})."))?;
        let value = decoded(&header).ok_or("A header of a part is too long.")?;
        let content = mailparse::parse_content_type(&value);
        if content.mimetype.starts_with("multipart")
            && let Some(boundary) = content.params.get("boundary")
        {
            boundaries.push(format!("--{boundary}"));
        }
        if boundaries.len() > MAX_DEPTH {
            return Err(format!("The mail is nested deeper than {MAX_DEPTH} levels."));
        }
    }
    boundaries.sort();
    boundaries.dedup();
    let parts: usize = boundaries
        .iter()
        .map(|boundary| lines.iter().filter(|line| line.starts_with(boundary.as_bytes())).count())
        .sum();
    // Each multipart has one line more than parts.
    if parts > MAX_PARTS + boundaries.len() {
        return Err(format!("The mail has more than {MAX_PARTS} parts."));
    }
    Ok(())
}

/// Over what the sender wrote and not over what the way added (Received, Return-Path, Delivered-To, …). `Date` counts
/// where there is no Message-ID: it tells the same words sent on another day from a second copy.
fn identity(incoming: &Incoming, headers: &[MailHeader<'_>], body: &[u8]) -> String {
    let mut hash = Sha256::new();
    let mut add = |field: &[u8]| {
        hash.update((field.len() as u64).to_be_bytes());
        hash.update(field);
    };
    match &incoming.message_id {
        Some(id) => add(id.as_bytes()),
        None => add(first(headers, "date").unwrap_or_default().as_bytes()),
    }
    add(incoming.sender.as_deref().unwrap_or_default().as_bytes());
    add(incoming.subjects.join("\n").as_bytes());
    if incoming.text.is_empty() {
        add(body)
    } else {
        add(incoming.text.as_bytes())
    }
    crate::text::hex(&hash.finalize())
}
