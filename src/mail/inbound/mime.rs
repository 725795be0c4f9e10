//! The MIME parts of a mail → its text.
//!
//! mailparse itself bounds the nesting (100) but not the number of parts. The bounds are checked on lines, which is
//! coarser than MIME and never more lenient.

use charset::Charset;
use mailparse::body::Body;
use mailparse::{MailHeaderMap, MailParseError, ParsedMail};

use super::headers::decoded;
use super::unreadable::{MAX_DEPTH, MAX_PARTS, Unreadable};
use super::{base64, enriched, flowed, html, machine, sealed};
use crate::text::Message;

/// The escape sequences of ISO-2022-JP that begin Japanese characters. No other text has them.
const JAPANESE: &[&[u8]] = &[b"\x1b$B", b"\x1b$@", b"\x1b(I"];
/// How much of a delivery status is read, in octets.
const MAX_STATUS: usize = 16 * 1024;

/// The content of a mail's parts, as far as it is read.
pub(super) struct Content {
    /// The text, as a plain mail would hold it.
    pub(super) text: String,
    /// Why one of the parts is a machine's.
    pub(super) machine: Option<Message>,
    /// The first `message/delivery-status`.
    pub(super) delivery_status: Option<String>,
}

/// Reads the parts of a mail.
pub(super) fn content(raw: &[u8]) -> Result<Content, Unreadable> {
    check_bounds(raw)?;
    let mail = mailparse::parse_mail(raw).map_err(|error| Unreadable::MalformedMail(error.to_string()))?;
    // Also in UTF-8 (RFC 6533).
    let status = mail.parts().find(|part| {
        matches!(part.ctype.mimetype.as_str(), "message/delivery-status" | "message/global-delivery-status")
    });
    let status = status.and_then(|part| part.get_body_raw().ok());
    let text = body(&mail, true)?.map(sealed::without_armour);
    let machine = mail.parts().find_map(machine::by_part);
    if machine.is_none()
        && let Some(why) = sealed::sealed(&mail, text.as_deref())
    {
        return Err(why);
    }
    Ok(Content {
        text: text.unwrap_or_default(),
        machine,
        delivery_status: status
            .map(|bytes| String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_STATUS)]).into_owned()),
    })
}

/// The forms in which a text can be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Html,
    Enriched,
}

/// The form of a part; `None` for what is no text. Some programs and gateways leave out half of the type, or leave
/// something behind it.
fn form(mimetype: &str) -> Option<Form> {
    let end = mimetype.find(|c: char| !(c.is_ascii_alphanumeric() || "/.+-".contains(c))).unwrap_or(mimetype.len());
    match &mimetype[..end] {
        "text/plain" | "text/markdown" | "text/x-markdown" | "text" | "text/" | "plain" | "application/pgp" => {
            Some(Form::Plain)
        }
        "text/html" | "application/xhtml+xml" | "html" => Some(Form::Html),
        "text/enriched" | "text/richtext" => Some(Form::Enriched),
        _ => None,
    }
}

/// The first text in a part that is not empty. Some programs write an empty plain part and put the text in the HTML.
fn body(part: &ParsedMail<'_>, is_whole: bool) -> Result<Option<String>, Unreadable> {
    if part.ctype.mimetype == "multipart/alternative" {
        for wanted in [Form::Plain, Form::Html, Form::Enriched] {
            for leaf in part.parts().filter(|leaf| form(&leaf.ctype.mimetype) == Some(wanted)) {
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

fn leaf_body(leaf: &ParsedMail<'_>, is_whole: bool) -> Result<Option<String>, Unreadable> {
    let disposition = leaf.get_content_disposition();
    // A named part is a file, even one that is displayed inline; only a whole mail may have a name.
    let named = leaf.ctype.params.contains_key("name") || disposition.params.contains_key("filename");
    if disposition.disposition == mailparse::DispositionType::Attachment || (named && !is_whole) {
        return Ok(None);
    }
    let Some(form) = form(&leaf.ctype.mimetype) else { return Ok(None) };
    let text = leaf_text(leaf)?;
    let text = match form {
        Form::Plain if is_html(&text) => html::text(&text),
        Form::Plain => unfolded(leaf, &text),
        Form::Html => html::text(&text),
        Form::Enriched => html::text(&enriched::html(&text)),
    };
    let text = crate::text::lines(&text);
    Ok(text.contains(is_visible).then_some(text))
}

/// Whether a text that is declared as plain is HTML.
fn is_html(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(15).collect::<String>().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html>") || start.starts_with("<html ")
}

/// Whether a reader sees this character; the rest are joiners and fillers.
fn is_visible(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '\u{34f}' | '\u{200c}' | '\u{200d}' | '\u{2800}' | '\u{3164}')
}

/// Joins the lines of a text again, if its sender says that it was folded.
fn unfolded(leaf: &ParsedMail<'_>, text: &str) -> String {
    let is = |name: &str, value: &str| leaf.ctype.params.get(name).is_some_and(|it| it.eq_ignore_ascii_case(value));
    if is("format", "flowed") { flowed::unfolded(text, is("delsp", "yes")) } else { text.to_owned() }
}

fn leaf_text(leaf: &ParsedMail<'_>) -> Result<String, Unreadable> {
    let bytes = decoded_body(leaf).map_err(|error| Unreadable::MalformedText(error.to_string()))?;
    // Many scripts send UTF-8 and declare nothing, or declare something else; read as ASCII it would be mojibake.
    let label = if is_japanese(&bytes) { "iso-2022-jp" } else { leaf.ctype.charset.trim() };
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
            Err(Unreadable::UnknownCharset(label))
        }
    }
}

/// Whether a text is ISO-2022-JP. Some programs do not label it, or label it as another character set.
fn is_japanese(octets: &[u8]) -> bool {
    let escapes = |three: &[u8]| JAPANESE.contains(&three);
    octets.is_ascii() && octets.contains(&0x1b) && octets.windows(3).any(escapes)
}

/// The octets of a part. Its encoding may be named with quotes, blanks or a semicolon around the name.
fn decoded_body(leaf: &ParsedMail<'_>) -> Result<Vec<u8>, MailParseError> {
    let raw = match leaf.get_body_encoded() {
        Body::Base64(body) | Body::QuotedPrintable(body) => body.get_raw(),
        Body::SevenBit(body) | Body::EightBit(body) => body.get_raw(),
        Body::Binary(body) => body.get_raw(),
    };
    let named = leaf.headers.get_first_value("content-transfer-encoding").map(|value| {
        let name = value.trim_start_matches(['"', ' ']).split(['"', ';', ' ', '(']).next();
        name.unwrap_or_default().to_lowercase()
    });
    match Body::new(raw, &leaf.ctype, &named) {
        Body::Base64(body) => Ok(body.get_decoded().unwrap_or_else(|_| damaged_base64(raw))),
        Body::QuotedPrintable(body) => body.get_decoded(),
        Body::SevenBit(_) | Body::EightBit(_) | Body::Binary(_) => Ok(raw.to_vec()),
    }
}

/// The octets of a base64 part that has no padding, or to which a mail server added a footer in clear text. A part that
/// is no base64 at all is what it looks like.
fn damaged_base64(raw: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = raw.split(|&octet| octet == b'\n').map(<[u8]>::trim_ascii).collect();
    let width = lines.iter().find(|line| !line.is_empty()).map_or(0, |line| line.len());
    let mut encoded = Vec::with_capacity(raw.len());
    for line in lines.into_iter().skip_while(|line| line.is_empty()) {
        if !base64::is_line(line) {
            break;
        }
        encoded.extend_from_slice(line);
        // The last line is shorter, or ends in padding.
        if line.len() < width || line.ends_with(b"=") {
            break;
        }
    }
    if encoded.is_empty() { raw.to_vec() } else { base64::decoded(&encoded) }
}

/// Refuses what would cost the parser too much, by scanning the lines that can be header fields of a part.
fn check_bounds(raw: &[u8]) -> Result<(), Unreadable> {
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
        let (header, _) = mailparse::parse_header(&raw[at..at + length])
            .map_err(|error| Unreadable::MalformedPartHeader(error.to_string()))?;
        let value = decoded(&header).ok_or(Unreadable::PartHeaderTooLong)?;
        let content = mailparse::parse_content_type(&value);
        if content.mimetype.starts_with("multipart")
            && let Some(boundary) = content.params.get("boundary")
        {
            boundaries.push(format!("--{boundary}"));
        }
        if boundaries.len() > MAX_DEPTH {
            return Err(Unreadable::TooDeep);
        }
    }
    boundaries.sort();
    boundaries.dedup();
    let parts: usize = boundaries
        .iter()
        .map(|boundary| lines.iter().filter(|line| line.starts_with(boundary.as_bytes())).count())
        .sum();
    // Each multipart has one boundary line more than it has parts.
    if parts > MAX_PARTS + boundaries.len() {
        return Err(Unreadable::TooManyParts);
    }
    Ok(())
}
