//! Sets stored as bits of words, and lists of cells with constant-time access by index.

/// For each value of a byte, the positions of its set bits, lowest first.
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

/// Returns the position of the set bit that has `number` set bits below it.
///
/// The word must have more than `number` set bits.
#[inline]
pub(crate) const fn nth(word: u64, number: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // For each byte, the number of its set bits and of those in the bytes below it.
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let sums = ((nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(ONES);
    // Set the highest bit of each byte whose sum does not exceed `number`. All these bytes are below the byte of the
    // wanted bit.
    let below = (((number as u64 * ONES) | (0x80 * ONES)) - sums) & (0x80 * ONES);
    // The highest byte of the product counts those bytes. Shifting by 53 instead of 56 also multiplies the count by 8.
    // The three additional bits are zeros, because the second highest byte is below 8.
    let shift = ((below >> 7).wrapping_mul(ONES) >> 53) as u32;
    let rest = number as u64 - (sums << 8 >> shift & 0xff);
    shift + PLACES[(word >> shift & 0xff) as usize][rest as usize & 7] as u32
}

/// Finds an item in consecutive groups of these sizes. Returns the index of its group, and its index within the group.
///
/// `number` is the index of the item over all groups, and must be less than the sum of the counts.
#[inline]
pub(crate) fn within<const N: usize>(counts: [u32; N], number: u32) -> (usize, u32) {
    // Avoid branches, which would be unpredictable.
    let (mut at, mut before, mut sum) = (0, 0, 0);
    for count in counts {
        sum += count;
        let is_past = sum <= number;
        at += usize::from(is_past);
        before = if is_past { sum } else { before };
    }
    (at, number - before)
}

/// Returns the position of the set bit that has `number` set bits before it in these words.
///
/// The words must have more than `number` set bits in total.
#[inline]
pub(crate) fn nth_of_words<const N: usize>(words: &[u64; N], number: u32) -> u32 {
    let (at, number) = within(words.map(u64::count_ones), number);
    64 * at as u32 + nth(words[at], number)
}

/// A set of cells, each a number below `CELLS`, with access by index for random choices. Removing a cell changes the
/// order.
///
/// Finding the chosen cell in a set of bits takes some fifty processor cycles longer, and the rest of the ply has to
/// wait for that cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<const CELLS: usize> {
    cells: [u16; CELLS],
    /// The index of each cell in the list.
    places: [u16; CELLS],
    count: u16,
}

impl<const CELLS: usize> List<CELLS> {
    pub(crate) const fn empty() -> Self {
        List { cells: [0; CELLS], places: [0; CELLS], count: 0 }
    }

    #[inline]
    pub(crate) const fn count(&self) -> usize {
        self.count as usize
    }

    /// Returns the cell with this index, from 0; `None` if the index is too large.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<u16> {
        self.cells[..self.count()].get(number).copied()
    }

    /// Adds a cell that the list does not contain.
    #[inline]
    pub(crate) fn put(&mut self, cell: u16) {
        self.cells[self.count()] = cell;
        self.places[usize::from(cell)] = self.count;
        self.count += 1;
    }

    /// Removes a cell of the list, and moves the last cell to its index.
    #[inline]
    pub(crate) fn take(&mut self, cell: u16) {
        self.count -= 1;
        let (last, place) = (self.cells[self.count()], self.places[usize::from(cell)]);
        self.cells[usize::from(place)] = last;
        self.places[usize::from(last)] = place;
    }
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

    #[test]
    fn a_list_contains_added_cells_until_removed() {
        let mut list: List<100> = List::empty();
        (0..100).for_each(|cell| list.put(cell));
        (0..100).filter(|cell| cell % 3 > 0).for_each(|cell| list.take(cell));
        (0..100).filter(|cell| cell % 6 == 1).for_each(|cell| list.put(cell));
        let mut cells: Vec<u16> = (0..list.count()).map(|number| list.get(number).unwrap()).collect();
        cells.sort();
        assert_eq!(cells, (0..100).filter(|cell| cell % 3 == 0 || cell % 6 == 1).collect::<Vec<u16>>());
        assert_eq!(list.get(list.count()), None);
        cells.into_iter().for_each(|cell| list.take(cell));
        assert_eq!((list.count(), list.get(0)), (0, None));
    }
}
