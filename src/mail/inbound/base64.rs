//! Lenient base64: padding may be missing, and other text may follow it.

/// Decodes base64 up to its padding or the first other character; whitespace is ignored.
pub(crate) fn decoded(text: &[u8]) -> Vec<u8> {
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
pub(crate) fn is_line(line: &[u8]) -> bool {
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
    fn decoding_stops_at_the_first_other_character() {
        for (text, octets) in [
            ("aGVscA==", "help"),
            ("aGVscA", "help"),
            ("aGVs\r\ncA", "help"),
            ("aGVscA==\nxyz", "help"),
            ("", ""),
            ("a", ""),
        ] {
            assert_eq!(decoded(text.as_bytes()), octets.as_bytes(), "{text}");
        }
        assert!(is_line(b"aGVscA==\r\n") && !is_line(b"some words") && !is_line(b"===") && !is_line(b""));
    }
}
