//! Removes tokens from text that other people will read.
//!
//! People quote headers, paste links and forward the source of messages, so a token may occur in a text in any form:
//! after `+` or `%2B`, in a Message-ID, across lines with quote marks, percent-encoded, as quoted-printable, as HTML
//! character references, in base64. Tokens are found at any position. An envelope sender is found only after its tag
//! [`ENVELOPE_TAG`]. Invitations are not searched for.

use std::ops::Range;

use data_encoding::BASE64_MIME_PERMISSIVE as BASE64;

use super::spelling::{LETTERS, LONGEST, SIGNATURE, number, unspell_bits};
use super::{
    Calendar, ConfirmationToken, ENVELOPE_TAG, EnvelopeSender, Key, LetterId, LetterToken, Login, NewPassword, Token,
    Unsubscribe,
};

/// The replacement for a token.
const MASK: &str = "***";
/// The minimum number of letters in a token: one number of one byte, and the signature.
const SHORTEST: usize = ((1 + SIGNATURE) * 8).div_ceil(5);
/// A lower bound of the number of base64 characters that can contain a token.
const SHORTEST_BASE64: usize = SHORTEST * 4 / 3;

/// Returns the text with `***` instead of every token that this key signed, except invitations. Returns `None` if the
/// text contains no such token.
pub fn redacted(text: &str, key: &Key) -> Option<String> {
    let mut found = base64_ranges(text, key);
    for decode in [true, false] {
        found.extend(ranges(&letters(text, decode), key));
    }
    if found.is_empty() {
        return None;
    }
    found.sort_by_key(|range| range.start);
    let (mut clean, mut end) = (String::with_capacity(text.len()), 0);
    for range in found {
        if range.start >= end {
            clean.push_str(&text[end..range.start]);
            clean.push_str(MASK);
        }
        end = end.max(range.end);
    }
    clean.push_str(&text[end..]);
    Some(clean)
}

/// A decoded character of a text, and its position.
struct Placed {
    character: char,
    at: Range<usize>,
}

/// Returns the characters of a text, decoded if `decode` is set, and their positions. Omits characters that a mail
/// program inserts when it wraps or quotes a long word.
fn letters(text: &str, decode: bool) -> Vec<Placed> {
    let (mut placed, mut at) = (Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let (character, length) = decode.then(|| encoded(&text[at..])).flatten().unwrap_or((first, first.len_utf8()));
        if !is_wrapping(character) {
            placed.push(Placed { character: character.to_ascii_lowercase(), at: at..at + length });
        }
        at += length;
    }
    placed
}

/// Reads an encoded character at the start of a text: `%2B`, `=2B`, `&#43;` or `&#x2b;`. Returns the character and the
/// length of its encoding.
fn encoded(text: &str) -> Option<(char, usize)> {
    let (code, length) = match text.as_bytes() {
        [b'%' | b'=', rest @ ..] if rest.len() >= 2 && rest[..2].iter().all(u8::is_ascii_hexdigit) => {
            (u32::from_str_radix(&text[1..3], 16).ok()?, 3)
        }
        [b'&', b'#', ..] => {
            let end = text.find(';').filter(|end| *end <= 8)?;
            let digits = &text[2..end];
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            (code, end + 1)
        }
        _ => return None,
    };
    // Non-ASCII bytes are never letters of a token, in any character set.
    char::from_u32(code).filter(char::is_ascii).map(|character| (character, length))
}

fn is_wrapping(character: char) -> bool {
    matches!(character, '>' | '|' | '=' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
        || character.is_whitespace()
}

/// Returns the positions of tokens among these characters.
fn ranges(placed: &[Placed], key: &Key) -> Vec<Range<usize>> {
    let (mut found, mut begin) = (Vec::new(), 0);
    while begin + SHORTEST <= placed.len() {
        let word: String =
            placed[begin..].iter().map(|placed| placed.character).take_while(is_letter).take(LONGEST).collect();
        match token_length(&word, tag_before(placed, begin), key) {
            Some(length) => {
                let last = begin + length - 1;
                found.push(placed[begin].at.start..placed[last].at.end);
                begin += length;
            }
            None => begin += 1,
        }
    }
    found
}

fn is_letter(character: &char) -> bool {
    u8::try_from(*character).is_ok_and(|letter| LETTERS.contains(&letter))
}

/// Returns whether the text before a word marks it as an envelope sender.
fn tag_before(placed: &[Placed], begin: usize) -> bool {
    let tag = ENVELOPE_TAG.chars().rev();
    let before = placed[..begin].iter().rev().map(|placed| placed.character);
    before.take(ENVELOPE_TAG.len()).eq(tag)
}

/// The format of a kind of token: the number of mark bytes at its start, the number of numbers after them, and the
/// function that verifies a text.
type SignedKind = (usize, usize, fn(&str, &Key) -> bool);

/// Returns the length of the token at the start of a word. If `is_tagged` is set, the word is an envelope sender. Its
/// signature also covers an unknown address, so any text of the right form is accepted.
fn token_length(word: &str, is_tagged: bool, key: &Key) -> Option<usize> {
    if is_tagged && EnvelopeSender::read(word).is_some() {
        return Some(word.len());
    }
    let bytes = unspell_prefix(word);
    let reads: [SignedKind; 9] = [
        (1, 3, |text, key| Token::verify(text, key).is_some()),
        (0, 2, |text, key| LetterToken::verify(text, key).is_some()),
        (1, 1, |text, key| Unsubscribe::verify(text, key).is_some()),
        (1, 2, |text, key| Unsubscribe::verify(text, key).is_some()),
        (0, 1, |text, key| LetterId::verify(text, key).is_some()),
        (0, 1, |text, key| ConfirmationToken::verify(text, key).is_some()),
        (0, 1, |text, key| Login::verify(text, key).is_some()),
        (0, 1, |text, key| NewPassword::verify(text, key).is_some()),
        (0, 1, |text, key| Calendar::verify(text, key).is_some()),
    ];
    reads.into_iter().find_map(|(marks, numbers, is_signed)| {
        let mut rest = bytes.get(marks..)?;
        for _ in 0..numbers {
            number(&mut rest)?;
        }
        let length = ((bytes.len() - rest.len() + SIGNATURE) * 8).div_ceil(5);
        is_signed(word.get(..length)?, key).then_some(length)
    })
}

/// Decodes a word of token letters, without the incomplete last byte.
fn unspell_prefix(word: &str) -> Vec<u8> {
    unspell_bits(word).map(|(bytes, _)| bytes).unwrap_or_default()
}

/// Returns the positions of base64 runs that contain a token. A word before the encoded text may belong to the same
/// run, so decoding is tried from each of the first four characters.
fn base64_ranges(text: &str, key: &Key) -> Vec<Range<usize>> {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '\r' | '\n');
    let mut found = Vec::new();
    for run in text.split(|c| !is_base64(c)).filter(|run| run.len() >= SHORTEST_BASE64) {
        let begin = run.as_ptr() as usize - text.as_ptr() as usize;
        let characters: Vec<u8> = run.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let has_token = (0..4).any(|skipped| {
            let mut rest = characters.get(skipped..).unwrap_or_default().to_vec();
            if rest.len() % 4 == 1 {
                rest.pop();
            }
            rest.resize(rest.len().next_multiple_of(4), b'=');
            let decoded = BASE64.decode(&rest);
            decoded.is_ok_and(|bytes| !ranges(&letters(&String::from_utf8_lossy(&bytes), true), key).is_empty())
        });
        if has_token {
            let end = begin + run.len();
            let padding = text[end..].bytes().take_while(|byte| b"=\r\n".contains(byte)).count();
            found.push(begin..end + padding);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{Proposed, UnwantedLetters};
    use super::*;
    use crate::numbers::{BoardNumber, EntryNumber};
    use proptest::prelude::*;

    const KEY: [u8; 32] = [7; 32];

    fn token() -> String {
        Token { player: 1, board: BoardNumber(300), entry: EntryNumber(14), proposal: Some(Proposed::Draw) }
            .sign(&Key::new(KEY))
    }

    /// Returns the text as other players read it.
    fn clean(text: &str) -> String {
        redacted(text, &Key::new(KEY)).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn tokens_are_found_in_any_wrapping() {
        let token = token();
        let (head, tail) = token.split_at(17);
        let quoted: String = token.bytes().map(|byte| format!("={byte:02X}")).collect();
        let references: String = token.bytes().map(|byte| format!("&#{byte};")).collect();
        let percent: String = token.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let base64 = BASE64.encode(format!("Reply-To: turnpost+{token}@example.org").as_bytes());
        for (text, expected) in [
            (format!("turnpost+{token}@example.org"), "turnpost+***@example.org"),
            (
                format!("mailto:turnpost%2B{token}@example.org?subject=f3"),
                "mailto:turnpost%2B***@example.org?subject=f3",
            ),
            (format!("<12.0123456789.{}@x>", token.to_uppercase()), "<12.0123456789.***@x>"),
            (format!("> turnpost+{head}\n> > {tail}@x"), "> turnpost+***@x"),
            (format!("turnpost=2B{head}=\n{tail}@x"), "turnpost=2B***@x"),
            (format!("turnpost+{head}\u{200b}{tail}@x"), "turnpost+***@x"),
            (format!("a {quoted} b"), "a *** b"),
            (format!("a {references} b"), "a *** b"),
            (format!("a {percent} b"), "a *** b"),
            (format!("={token}"), "=***"),
            (format!("see {base64}"), "see ***"),
            (format!("Here is: my letter\n{base64}"), "Here is: my ***"),
            (format!("Encoding: base64\r\n\r\n{base64}\r\n"), "Encoding: ***"),
            (format!("{token} and {token}"), "*** and ***"),
        ] {
            assert_eq!(clean(&text), expected, "{text}");
        }
    }

    #[test]
    fn each_kind_is_found() {
        let key = Key::new(KEY);
        let letter = LetterToken { player: 3, letter: 700 }.sign(&key);
        assert_eq!(clean(&format!("turnpost+{letter}@example.org")), "turnpost+***@example.org");
        let id = LetterId { letter: 700 }.sign(&key);
        assert_eq!(clean(&format!("<700.0123456789.{id}@x>")), "<700.0123456789.***@x>");
        let asked = ConfirmationToken { letter: 700 }.sign(&key);
        assert_eq!(clean(&format!("turnpost+{asked}@example.org")), "turnpost+***@example.org");
        for letters in [UnwantedLetters::Followed, UnwantedLetters::Board(BoardNumber(300))] {
            let unsubscribe = Unsubscribe { player: 3, letters }.sign(&key);
            assert_eq!(clean(&format!("https://x/unsubscribe/{unsubscribe}")), "https://x/unsubscribe/***");
        }
        let new = NewPassword { link: 9 }.sign(&key);
        assert_eq!(clean(&format!("https://x/password/{new}")), "https://x/password/***");
        let calendar = Calendar { calendar: 9 }.sign(&key);
        assert_eq!(clean(&format!("https://x/calendar/{calendar}.ics")), "https://x/calendar/***.ics");
        let login = Login { link: 9 }.sign(&key);
        assert_eq!(clean(&format!("https://x/login/{login}")), "https://x/login/***");
        let envelope = EnvelopeSender::sign(12, "alice@example.org", &key);
        assert_eq!(clean(&format!("Return-Path: <turnpost+b-{envelope}@x>")), "Return-Path: <turnpost+b-***@x>");
    }

    #[test]
    fn other_text_is_not_redacted() {
        let other =
            Token { player: 1, board: BoardNumber(300), entry: EntryNumber(14), proposal: Some(Proposed::Draw) }
                .sign(&Key::new([8; 32]));
        for text in ["Thanks, f3 was a surprise! 100 % = all of it &#43; more", &other, "", "%", "=4", "&#x2b", "b-"] {
            assert_eq!(redacted(text, &Key::new(KEY)), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,120}|[a-z2-9=%&#;\n]{0,200}") {
            clean(&text);
        }

        #[test]
        fn a_token_is_found_in_any_text(before in "\\PC{0,40}", after in "\\PC{0,40}") {
            let text = format!("{before}{}{after}", token());
            prop_assert!(!clean(&text).contains(&token()));
        }
    }
}
