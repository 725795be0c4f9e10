//! Encoded words in header fields (RFC 2047), including those of careless programs: without padding, with a language
//! (RFC 2231, section 5), or with a character split between two words.

use charset::Charset;

use super::base64;

/// A word after decoding its base64 or quoted-printable, but not yet its character set.
struct Word<'a> {
    charset: &'a str,
    octets: Vec<u8>,
}

/// Returns the value of a header field as plain text on one line.
pub(crate) fn decoded(raw: &[u8]) -> String {
    // UTF-8 by RFC 6532; otherwise Latin-1, in which every octet is a character.
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

/// Returns the word after `=?`, if its character set is known, and the text after it.
fn word(text: &str) -> Option<(Word<'_>, &str)> {
    let (label, rest) = text.split_once('?')?;
    let (encoding, rest) = rest.split_once('?')?;
    let (said, after) = rest.split_once("?=")?;
    let charset = label.split('*').next()?;
    Charset::for_label_no_replacement(charset.as_bytes())?;
    let octets = match encoding {
        "B" | "b" => base64::decoded(said.as_bytes()),
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
            assert_eq!(decoded(value.as_bytes()), text, "{value}");
        }
        assert_eq!(decoded(b"caf\xe9"), "caf\u{e9}");
    }
}
