//! The spelling of tokens: numbers as bytes, and bytes as lower-case letters and digits.

/// The length of a signature in bytes.
pub(crate) const SIGNATURE: usize = 16;
/// The maximum length of a token's text: a mark, three numbers of five bytes each, the signature.
pub const LONGEST: usize = (1 + 3 * 5 + SIGNATURE) * 8 / 5 + 1;
/// The letters of a token's text, five bits each. None of them look alike.
pub(crate) const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Appends a number with seven bits per byte, the lowest bits first. The last byte is below 128.
pub(crate) fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Removes a number in the format of [`push_number`] from the front of the bytes, and returns it.
pub(crate) fn number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).ok();
        }
    }
    None
}

/// Encodes bytes as letters.
pub(crate) fn spell(bytes: &[u8]) -> String {
    let (mut bits, mut held, mut text) = (0_u32, 0, String::new());
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        held += 8;
        while held >= 5 {
            held -= 5;
            text.push(char::from(LETTERS[(bits >> held) as usize & 31]));
        }
        bits &= (1 << held) - 1;
    }
    if held > 0 {
        text.push(char::from(LETTERS[(bits << (5 - held)) as usize & 31]));
    }
    text
}

/// Decodes a text that [`spell`] wrote, ignoring case; `None` for any other text, or one longer than [`LONGEST`].
pub(crate) fn unspell(text: &str) -> Option<Vec<u8>> {
    if text.len() > LONGEST {
        return None;
    }
    // Except for case, each token has exactly one text, so reject extra letters, and bits set after the last byte.
    unspell_bits(text).filter(|(_, rest)| rest.bits == 0 && rest.held < 5).map(|(bytes, _)| bytes)
}

/// The remaining bits after the last whole byte of a text.
pub(crate) struct Rest {
    bits: u32,
    /// The number of remaining bits.
    held: u32,
}

/// Decodes five bits per letter; `None` if the text contains other characters.
pub(crate) fn unspell_bits(text: &str) -> Option<(Vec<u8>, Rest)> {
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.bytes() {
        let value = LETTERS.iter().position(|known| *known == letter.to_ascii_lowercase())?;
        bits = bits << 5 | value as u32;
        held += 5;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some((bytes, Rest { bits, held }))
}
