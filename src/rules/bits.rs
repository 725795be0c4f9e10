//! Sets stored as bits of words, and lists of cells with constant-time access by index.

/// The positions of the set bits of every byte, lowest first.
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
    // A byte keeps its highest bit if its sum does not exceed `number`. These bytes lie below the wanted one.
    let below = (((number as u64 * ONES) | (0x80 * ONES)) - sums) & (0x80 * ONES);
    // Eight times the count of those bytes: the highest byte of the product is the count, and every other byte is
    // below 8.
    let shift = ((below >> 7).wrapping_mul(ONES) >> 53) as u32;
    let rest = number as u64 - (sums << 8 >> shift & 0xff);
    shift + PLACES[(word >> shift & 0xff) as usize][rest as usize & 7] as u32
}

/// Treats `counts` as consecutive groups. Returns the group that contains `number`, and its offset within that group.
///
/// The number must be less than the sum of the counts.
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

/// Some cells of a board, without duplicates, each a number below `CELLS`. The order changes when a cell is removed.
///
/// The list serves random choices. A set of bits could serve too, but it yields the chosen cell some fifty cycles
/// later, and the rest of the ply has to wait for it.
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

    /// Removes a cell of the list. The last cell moves to its index.
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
