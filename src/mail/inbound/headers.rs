//! Reads the header block of a message: fields that several modules need, encoded words, and base64 with common errors.
//!
//! mailparse decodes encoded words in quadratic time, so only short values are decoded. Encoded words (RFC 2047) are
//! decoded even if their padding is missing, if they name a language (RFC 2231, section 5), or if a character is split
//! between two words. In base64, the padding may be missing, and other text may follow it.

use charset::Charset;
use mailparse::{MailAddr, MailHeader, MailHeaderMap};

/// The longest header field to decode, including its folded lines.
const MAX_HEADER: usize = 4 * 1024;
/// The maximum number of encoded words in one field.
const MAX_ENCODED_WORDS: usize = 60;
/// The longest Message-ID to store. RFC 5322 allows lines of 998 octets, but IDs are shorter in practice.
const MAX_MESSAGE_ID: usize = 250;

/// Removes the `From ` line of the mbox format, which some programs also put above a message that they pipe to us.
pub(crate) fn without_mbox_line(raw: &[u8]) -> &[u8] {
    if !raw.starts_with(b"From ") {
        return raw;
    }
    raw.iter().position(|&byte| byte == b'\n').map_or(raw, |newline| &raw[newline + 1..])
}

/// Returns the offset of the body, below the empty line that ends the header block.
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

/// Returns the value of a header field; `None` if it is too long or contains too many encoded words.
pub(crate) fn decoded(header: &MailHeader<'_>) -> Option<String> {
    let raw = header.get_value_raw();
    let words = raw.windows(2).filter(|pair| pair == b"=?").count();
    if raw.len() > MAX_HEADER || words > MAX_ENCODED_WORDS {
        return None;
    }
    Some(if words == 0 { header.get_value() } else { decoded_words(raw) })
}

/// Returns the value of the first field with this name.
pub(crate) fn first(headers: &[MailHeader<'_>], name: &str) -> Option<String> {
    headers.get_first_header(name).and_then(decoded)
}

/// Returns all fields with this name, in order.
pub(crate) fn named<'a, 'b>(
    headers: &'a [MailHeader<'b>],
    name: &'static str,
) -> impl Iterator<Item = &'a MailHeader<'b>> {
    headers.iter().filter(move |header| header.get_key_ref().eq_ignore_ascii_case(name))
}

/// Returns the sender's address in lower case, if the message has exactly one `From` with exactly one address.
pub(crate) fn sender(headers: &[MailHeader<'_>]) -> Option<String> {
    let mut froms = named(headers, "from");
    let (from, None) = (froms.next()?, froms.next()) else { return None };
    decoded(from)?;
    let list = mailparse::addrparse_header(from).ok()?;
    let [MailAddr::Single(single)] = list.as_slice() else { return None };
    let address = single.addr.trim();
    // Ignore a non-ASCII address: every server that relays the answer would have to support SMTPUTF8.
    let plain = address.len() <= 254 && address.bytes().all(|byte| byte.is_ascii_graphic());
    (plain && address.parse::<lettre::Address>().is_ok()).then(|| address.to_ascii_lowercase())
}

/// Returns the Message-ID with its angle brackets, if it is valid and short enough for the `In-Reply-To` of an answer.
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

/// An encoded word, decoded to octets but not yet to characters.
struct Word<'a> {
    charset: &'a str,
    octets: Vec<u8>,
}

/// Returns the value of a header field as plain text on one line.
fn decoded_words(raw: &[u8]) -> String {
    // Read the value as UTF-8 (RFC 6532), or, if it is not valid UTF-8, as Latin-1, in which every octet is a
    // character.
    let value =
        String::from_utf8(raw.to_vec()).unwrap_or_else(|_| raw.iter().map(|&octet| char::from(octet)).collect());
    let value = value.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let mut text = String::new();
    let mut open: Option<Word> = None;
    let mut rest = value.as_str();
    while let Some(at) = rest.find("=?") {
        let Some((word, after)) = word(&rest[at + 2..]) else {
            close(&mut text, &mut open);
            text.push_str(&rest[..at + 2]);
            rest = &rest[at + 2..];
            continue;
        };
        // Whitespace between two encoded words is not part of the text.
        if open.is_none() || !rest[..at].trim().is_empty() {
            close(&mut text, &mut open);
            text.push_str(&rest[..at]);
        }
        match &mut open {
            Some(before) if before.charset.eq_ignore_ascii_case(word.charset) => before.octets.extend(word.octets),
            _ => {
                close(&mut text, &mut open);
                open = Some(word);
            }
        }
        rest = after;
    }
    close(&mut text, &mut open);
    text.push_str(rest);
    text
}

fn close(text: &mut String, open: &mut Option<Word<'_>>) {
    if let Some(word) = open.take()
        && let Some(charset) = Charset::for_label_no_replacement(word.charset.as_bytes())
    {
        text.push_str(&charset.decode_without_bom_handling(&word.octets).0);
    }
}

/// Returns the encoded word after `=?`, if its character set is known, and the text after it.
fn word(text: &str) -> Option<(Word<'_>, &str)> {
    let (label, rest) = text.split_once('?')?;
    let (encoding, rest) = rest.split_once('?')?;
    let (said, after) = rest.split_once("?=")?;
    let charset = label.split('*').next()?;
    Charset::for_label_no_replacement(charset.as_bytes())?;
    let octets = match encoding {
        "B" | "b" => base64_decoded(said.as_bytes()),
        "Q" | "q" => quoted_printable(said.as_bytes()),
        _ => return None,
    };
    Some((Word { charset, octets }, after))
}

fn quoted_printable(text: &[u8]) -> Vec<u8> {
    let digit = |at: usize| text.get(at).and_then(|&octet| char::from(octet).to_digit(16));
    let mut octets = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match (text[at], digit(at + 1), digit(at + 2)) {
            (b'=', Some(high), Some(low)) => {
                octets.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'_', ..) => octets.push(b' '),
            (octet, ..) => octets.push(octet),
        }
        at += 1;
    }
    octets
}

/// Decodes base64 up to its padding or the first invalid character. Ignores whitespace.
pub(crate) fn base64_decoded(text: &[u8]) -> Vec<u8> {
    let mut octets = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0);
    for value in text.iter().filter(|octet| !octet.is_ascii_whitespace()).map_while(|&octet| value(octet)) {
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            octets.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    octets
}

/// Returns whether a line is base64, with or without padding.
pub(crate) fn is_base64_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let padding = line.iter().rev().take_while(|&&octet| octet == b'=').count();
    line.len() > padding && padding <= 2 && line[..line.len() - padding].iter().all(|&octet| value(octet).is_some())
}

fn value(octet: u8) -> Option<u8> {
    match octet {
        b'A'..=b'Z' => Some(octet - b'A'),
        b'a'..=b'z' => Some(octet - b'a' + 26),
        b'0'..=b'9' => Some(octet - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_careless_programs_are_decoded() {
        for (value, text) in [
            ("=?utf-8?B?aGVscA==?=", "help"),
            ("=?utf-8?B?aGVscA?=", "help"),
            ("=?utf-8*en?Q?help_me?=", "help me"),
            ("=?UTF-8?Q?caf=C3?=\r\n =?utf-8?Q?=A9?=", "caf\u{e9}"),
            ("=?utf-8?B?w?= =?utf-8?Q?x?=", "x"),
            ("a =?iso-8859-1?q?=E9?= b =?utf-8?q?c?=", "a \u{e9} b c"),
            ("=?utf-8?q?a?= =?iso-8859-1?q?=E9?=", "a\u{e9}"),
            ("=?x-nobody?q?a?= b", "=?x-nobody?q?a?= b"),
            ("=?utf-8?x?a?= =?", "=?utf-8?x?a?= =?"),
            ("1 =? 2", "1 =? 2"),
            ("=?utf-8?q?=4?=", "=4"),
        ] {
            assert_eq!(decoded_words(value.as_bytes()), text, "{value}");
        }
        assert_eq!(decoded_words(b"caf\xe9"), "caf\u{e9}");
    }

    #[test]
    fn decoding_stops_at_the_first_other_character() {
        for (text, octets) in [
            ("aGVscA==", "help"),
            ("aGVscA", "help"),
            ("aGVs\r\ncA", "help"),
            ("aGVscA==\nxyz", "help"),
            ("", ""),
            ("a", ""),
        ] {
            assert_eq!(base64_decoded(text.as_bytes()), octets.as_bytes(), "{text}");
        }
        assert!(
            is_base64_line(b"aGVscA==\r\n")
                && !is_base64_line(b"some words")
                && !is_base64_line(b"===")
                && !is_base64_line(b"")
        );
    }
}
