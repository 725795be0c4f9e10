//! Bytes as hexadecimal digits.

/// Two lower-case digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)]));
    bytes.iter().flat_map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn digits_are_lower_case_and_two_a_byte() {
        assert_eq!(hex(&[0, 1, 0x2f, 0xab, 0xff]), "00012fabff");
    }

    proptest! {
        #[test]
        fn the_bytes_can_be_read_back(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let hex = hex(&bytes);
            let back = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
            prop_assert_eq!(back.collect::<Vec<u8>>(), bytes);
        }
    }
}
