//! Converts the MIME parts of a message to its text. Reads plain text, `format=flowed` (RFC 3676), HTML, and
//! `text/enriched` (RFC 1896). Supports only those features of these formats that affect the newly written text.
//!
//! mailparse limits the nesting (100) but not the number of parts. We therefore count the lines that may be boundaries
//! or header fields of parts: this may find too many parts, but never too few.

use charset::Charset;
use mailparse::body::Body;
use mailparse::{MailHeaderMap, MailParseError, ParsedMail};

use super::headers::{base64_decoded, decoded, is_base64_line};
use super::sealed::{self, MAX_DEPTH, MAX_PARTS, Unreadable};
use super::{html, machine};
use crate::text::Message;

/// The escape sequences with which Japanese text begins in ISO-2022-JP. No other text contains them.
const JAPANESE: &[&[u8]] = &[b"\x1b$B", b"\x1b$@", b"\x1b(I"];
/// How many octets of a delivery status to read.
const MAX_STATUS: usize = 16 * 1024;

/// The content of a message's parts.
pub(crate) struct Content {
    /// The text, converted to plain text.
    pub(crate) text: String,
    /// Why the message is machine mail, if one of its parts shows that.
    pub(crate) machine: Option<Message>,
    pub(crate) delivery_status: Option<String>,
}

pub(crate) fn content(raw: &[u8]) -> Result<Content, Unreadable> {
    check_bounds(raw)?;
    let mail = mailparse::parse_mail(raw).map_err(|error| Unreadable::MalformedMail(error.to_string()))?;
    // RFC 6533 adds the second type.
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Html,
    Enriched,
}

/// Returns the format of a part; `None` if it is not text. Some programs and gateways omit half of the type, or append
/// something to it.
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

/// Returns the first non-empty text in a part. Some programs write an empty plain part and put the text in the HTML
/// part.
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
    // A part with a file name is an attachment, even if it is displayed inline, unless it is the whole message.
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
        Form::Enriched => html::text(&html_of_enriched(&text)),
    };
    let text = crate::text::lines(&text);
    Ok(text.contains(is_visible).then_some(text))
}

/// Returns whether text declared as plain is HTML.
fn is_html(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(15).collect::<String>().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html>") || start.starts_with("<html ")
}

/// Returns whether a character is visible, and not a joiner or a filler.
fn is_visible(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '\u{34f}' | '\u{200c}' | '\u{200d}' | '\u{2800}' | '\u{3164}')
}

/// Unfolds the lines of a text, if its sender declares that they are folded.
fn unfolded(leaf: &ParsedMail<'_>, text: &str) -> String {
    let is = |name: &str, value: &str| leaf.ctype.params.get(name).is_some_and(|it| it.eq_ignore_ascii_case(value));
    if is("format", "flowed") { unflowed(text, is("delsp", "yes")) } else { text.to_owned() }
}

fn leaf_text(leaf: &ParsedMail<'_>) -> Result<String, Unreadable> {
    let bytes = decoded_body(leaf).map_err(|error| Unreadable::MalformedText(error.to_string()))?;
    // Many scripts send UTF-8 without declaring it; read as ASCII, it would be garbled.
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

/// Returns whether a text is ISO-2022-JP. Some programs do not label it, or label it as another character set.
fn is_japanese(octets: &[u8]) -> bool {
    let escapes = |three: &[u8]| JAPANESE.contains(&three);
    octets.is_ascii() && octets.contains(&0x1b) && octets.windows(3).any(escapes)
}

/// Decodes the octets of a part. The name of its encoding may be surrounded by quotes, blanks or a semicolon.
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

/// Decodes a base64 part without padding, or with a clear-text footer from a mail server. If its first line is not
/// base64, returns the part unchanged.
fn damaged_base64(raw: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = raw.split(|&octet| octet == b'\n').map(<[u8]>::trim_ascii).collect();
    let width = lines.iter().find(|line| !line.is_empty()).map_or(0, |line| line.len());
    let mut encoded = Vec::with_capacity(raw.len());
    for line in lines.into_iter().skip_while(|line| line.is_empty()) {
        if !is_base64_line(line) {
            break;
        }
        encoded.extend_from_slice(line);
        // The last line is shorter or ends in padding.
        if line.len() < width || line.ends_with(b"=") {
            break;
        }
    }
    if encoded.is_empty() { raw.to_vec() } else { base64_decoded(&encoded) }
}

/// Refuses messages that would be too expensive to parse, by scanning the lines that can be header fields of a part.
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
    // Each multipart has one more boundary line than parts.
    if parts > MAX_PARTS + boundaries.len() {
        return Err(Unreadable::TooManyParts);
    }
    Ok(())
}

/// Converts enriched text to HTML that looks the same to a reader.
fn html_of_enriched(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    let text = text.replace("\r\n", "\n");
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['<', '&', '\n']) {
        html.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix('&') {
            html.push_str("&amp;");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("<<") {
            html.push_str("&lt;");
            rest = after;
        } else if rest.starts_with('\n') {
            // A single line break becomes a space. A sequence of several line breaks is shortened by one.
            let breaks = rest.bytes().take_while(|&octet| octet == b'\n').count();
            html.push_str(&if breaks == 1 { " ".to_owned() } else { "<br>".repeat(breaks - 1) });
            rest = &rest[breaks..];
        } else {
            let (tag, after) = rest[1..].split_once('>').unwrap_or((&rest[1..], ""));
            rest = after;
            match tag.to_ascii_lowercase().as_str() {
                "param" => rest = after.split_once("</param>").map_or("", |(_, after)| after),
                "excerpt" => html.push_str("<blockquote>"),
                "/excerpt" => html.push_str("</blockquote>"),
                _ => {}
            }
        }
    }
    html.push_str(rest);
    html
}

/// Joins the lines that a mail program has folded. Quoted lines retain their `>`. An empty line is inserted between a
/// quote and text immediately below it, because that text is never the second half of a quoted line.
fn unflowed(text: &str, delete_space: bool) -> String {
    let mut whole = String::with_capacity(text.len());
    // The quote depth of the previous line, and whether it flows into the current one.
    let mut before: Option<(usize, bool)> = None;
    for line in text.lines() {
        let depth = line.bytes().take_while(|&byte| byte == b'>').count();
        let line = &line[depth..];
        let line = line.strip_prefix(' ').unwrap_or(line);
        let is_signature = line == "-- ";
        let goes_on = before.is_some_and(|(last, flows)| flows && last == depth) && !is_signature;
        if !goes_on {
            if before.is_some() {
                whole.push('\n');
            }
            if depth == 0 && before.is_some_and(|(last, _)| last > 0) && !line.trim().is_empty() {
                whole.push('\n');
            }
            if depth > 0 {
                whole.extend(std::iter::repeat_n('>', depth));
                whole.push(' ');
            }
        }
        let flows = line.ends_with(' ') && !is_signature;
        whole.push_str(if flows && delete_space { &line[..line.len() - 1] } else { line });
        before = Some((depth, flows));
    }
    whole.push('\n');
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_and_tags_become_html() {
        assert_eq!(html_of_enriched("<bold>a</bold>\nb\n\nc << d & e"), "a b<br>c &lt; d &amp; e");
        assert_eq!(
            html_of_enriched("<color><param>red</param>a</color><excerpt>q</excerpt>"),
            "a<blockquote>q</blockquote>"
        );
        assert_eq!(html_of_enriched("a <unclosed"), "a ");
    }
}
