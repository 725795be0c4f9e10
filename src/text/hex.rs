//! Bytes as hexadecimal digits.

/// Writes two lower-case digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)]));
    bytes.iter().flat_map(digits).collect()
}

/// Decodes hex digits. `None` for any text that [`hex`] does not write.
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(value(*high)? << 4 | value(*low)?));
    if rest.is_empty() { bytes.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn digits_are_lower_case_and_two_a_byte() {
        assert_eq!(hex(&[0, 1, 0x2f, 0xab, 0xff]), "00012fabff");
    }

    #[test]
    fn other_texts_are_not_decoded() {
        assert_eq!(unhex(""), Some(vec![]));
        for digits in ["0", "abc", "AB", "0g", "+1", "é", "0 "] {
            assert_eq!(unhex(digits), None, "{digits}");
        }
    }

    proptest! {
        #[test]
        fn the_bytes_can_be_read_back(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let hex = hex(&bytes);
            let back = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
            prop_assert_eq!(back.collect::<Vec<u8>>(), bytes.clone());
            prop_assert_eq!(unhex(&hex), Some(bytes));
        }
    }
}
