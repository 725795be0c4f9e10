//! Sets as bits of words: finding a bit by its number without visiting the bits below it.

/// The positions of the bits of every byte, from the lowest.
static PLACES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut number) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                table[byte][number] = place;
                number += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    table
};

/// The position of the bit of a word that has `number` others below it.
///
/// Trusts that the word has more than `number` bits.
#[inline]
pub(super) const fn nth(word: u64, number: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Each byte's number of bits, together with those of the bytes below it.
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let sums = ((nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(ONES);
    // A byte keeps its highest bit where its sum does not exceed the number: these bytes lie below the one sought.
    let below = (((number as u64 * ONES) | (0x80 * ONES)) - sums) & (0x80 * ONES);
    // Eight times their number: the highest byte of this product is their number, and the others are less than 8 too.
    let shift = ((below >> 7).wrapping_mul(ONES) >> 53) as u32;
    let rest = number as u64 - (sums << 8 >> shift & 0xff);
    shift + PLACES[(word >> shift & 0xff) as usize][rest as usize & 7] as u32
}

/// Where the number stands that is sought among some counts, one after the other: which count it is in, and how much of
/// it is left there.
///
/// Trusts that the number is less than all counts together.
#[inline]
pub(super) fn within<const N: usize>(counts: [u32; N], number: u32) -> (usize, u32) {
    // Without branches, which could not be predicted.
    let (mut at, mut before, mut sum) = (0, 0, 0);
    for count in counts {
        sum += count;
        let is_past = sum <= number;
        at += usize::from(is_past);
        before = if is_past { sum } else { before };
    }
    (at, number - before)
}

/// The position of the bit of some words that has `number` others before it.
///
/// Trusts that the words have more than `number` bits together.
#[inline]
pub(super) fn nth_of_words<const N: usize>(words: &[u64; N], number: u32) -> u32 {
    let (at, number) = within(words.map(u64::count_ones), number);
    64 * at as u32 + nth(words[at], number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_by_their_number() {
        for word in [1, 1 << 63, u64::MAX, 0x8000_0000_0000_0001, 0x0f0f_1234_8000_ff01, 0xaaaa_0000_5555_ffff] {
            let places = (0..64).filter(|place| word >> place & 1 == 1);
            assert!(places.zip(0..).all(|(place, number)| nth(word, number) == place), "{word:x}");
            let (words, ones) = ([word, 0, word], word.count_ones());
            assert_eq!(nth_of_words(&words, ones / 2), nth(word, ones / 2));
            assert_eq!(nth_of_words(&words, ones + ones / 2), 128 + nth(word, ones / 2));
        }
    }
}
