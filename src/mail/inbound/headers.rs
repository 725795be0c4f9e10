//! The header block of a message, and the fields that several readers need.
//!
//! mailparse decodes encoded words in quadratic time, so only short values are decoded.

use mailparse::{MailAddr, MailHeader, MailHeaderMap};

use super::encoded_words;

/// The longest header field to decode, including its folded lines.
const MAX_HEADER: usize = 4 * 1024;
/// The most encoded words in one field.
const MAX_ENCODED_WORDS: usize = 60;
/// RFC 5322 allows lines of 998 octets, but a longer ID than this helps no one to find a message.
const MAX_MESSAGE_ID: usize = 250;

/// Removes the separator line with which a pipe from an mbox writer may begin.
pub(crate) fn without_mbox_line(raw: &[u8]) -> &[u8] {
    if !raw.starts_with(b"From ") {
        return raw;
    }
    raw.iter().position(|&byte| byte == b'\n').map_or(raw, |newline| &raw[newline + 1..])
}

/// Returns the end of the header block, after its empty line.
pub(crate) fn header_end(raw: &[u8]) -> Option<usize> {
    let mut at = 0;
    for line in raw.split_inclusive(|&byte| byte == b'\n') {
        at += line.len();
        if line == b"\n" || line == b"\r\n" {
            return Some(at);
        }
    }
    None
}

/// Returns the value of a header field, if it is short enough to be decoded.
pub(crate) fn decoded(header: &MailHeader<'_>) -> Option<String> {
    let raw = header.get_value_raw();
    let words = raw.windows(2).filter(|pair| pair == b"=?").count();
    if raw.len() > MAX_HEADER || words > MAX_ENCODED_WORDS {
        return None;
    }
    Some(if words == 0 { header.get_value() } else { encoded_words::decoded(raw) })
}

/// Returns the value of the first field with this name.
pub(crate) fn first(headers: &[MailHeader<'_>], name: &str) -> Option<String> {
    headers.get_first_header(name).and_then(decoded)
}

/// Returns every field with this name, in order.
pub(crate) fn named<'a, 'b>(
    headers: &'a [MailHeader<'b>],
    name: &'static str,
) -> impl Iterator<Item = &'a MailHeader<'b>> {
    headers.iter().filter(move |header| header.get_key_ref().eq_ignore_ascii_case(name))
}

/// Returns the address in lower case if exactly one `From` has exactly one address.
pub(crate) fn sender(headers: &[MailHeader<'_>]) -> Option<String> {
    let mut froms = named(headers, "from");
    let (from, None) = (froms.next()?, froms.next()) else { return None };
    decoded(from)?;
    let list = mailparse::addrparse_header(from).ok()?;
    let [MailAddr::Single(single)] = list.as_slice() else { return None };
    let address = single.addr.trim();
    // An address in another script would require SMTPUTF8 on the whole way back.
    let plain = address.len() <= 254 && address.bytes().all(|byte| byte.is_ascii_graphic());
    (plain && address.parse::<lettre::Address>().is_ok()).then(|| address.to_ascii_lowercase())
}

/// Returns the Message-ID with its angle brackets, if it is valid in our `In-Reply-To`.
pub(crate) fn message_id(headers: &[MailHeader<'_>]) -> Option<String> {
    let id = first(headers, "message-id")?;
    let id = id.trim();
    is_message_id(id).then(|| id.to_owned())
}

fn is_message_id(id: &str) -> bool {
    id.len() <= MAX_MESSAGE_ID
        && id.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).is_some_and(|inner| {
            !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'<' && byte != b'>')
        })
}
