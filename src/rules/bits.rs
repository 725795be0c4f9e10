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
    let shift = 8 * below.count_ones();
    let rest = number as u64 - (sums << 8 >> shift & 0xff);
    shift + PLACES[(word >> shift & 0xff) as usize][rest as usize & 7] as u32
}

/// [`nth`] for a word of 128 bits.
#[inline]
pub(super) const fn nth_of_two(set: u128, number: u32) -> u32 {
    let (low, high) = (set as u64, (set >> 64) as u64);
    let count = low.count_ones();
    if number < count { nth(low, number) } else { 64 + nth(high, number - count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_by_their_number() {
        for word in [1, 1 << 63, u64::MAX, 0x8000_0000_0000_0001, 0x0f0f_1234_8000_ff01, 0xaaaa_0000_5555_ffff] {
            let places = (0..64).filter(|place| word >> place & 1 == 1);
            assert!(places.zip(0..).all(|(place, number)| nth(word, number) == place), "{word:x}");
            let (long, ones) = (u128::from(word) << 64 | u128::from(word), word.count_ones());
            assert_eq!(nth_of_two(long, ones + ones / 2), 64 + nth(word, ones / 2));
        }
    }
}
