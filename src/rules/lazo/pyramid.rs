//! The pyramids: rows of holes, the spaces above them, and their bits in sets.
//!
//! The tiles are packed like cannonballs. A space on level 2 or above rests on three spaces of the level below: the one
//! with its own row and number, and the two in the next row that touch that one. Therefore, row r starts at number 1 on
//! every level, and has as many spaces as holes. A row exists on a level only if the next row exists on the level
//! below. A stack has the same row and number on all levels.

/// The number of rows of the largest board, which is also its number of levels.
pub(crate) const ROWS: usize = 10;

/// The number of slots. Each row of each level of the largest board has one, with an empty slot before each level and
/// after the last.
pub(crate) const SLOTS: usize = 66;

/// The number of words in a set of stacks.
pub(crate) const WORDS: usize = 3;

/// A stack, as its bit in a set of stacks. Rows do not cross word boundaries, so some bits are unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stack(pub(crate) u8);

/// A set of stacks, in board order.
pub(crate) type Stacks = [u64; WORDS];

/// A board of one size, with the pyramid of spaces above it.
#[derive(Debug)]
pub(crate) struct Pyramid {
    /// The number of holes, as given by a challenge's option.
    pub holes: u16,
    /// The number of holes in row a. Each further row has one more.
    pub shortest: usize,
    /// The number of rows and of levels. Level l (from 0) has all rows except the last l.
    pub rows: usize,
    /// The number of tiles of both players together. Equal to the number of spaces if tiles never run out.
    pub tiles: u16,
    /// The number of spaces of the whole pyramid.
    pub spaces: u16,
    /// The slot of each level's first row.
    levels: [u8; ROWS],
    /// The first stack of each row.
    starts: [u8; ROWS],
    /// The row of each stack.
    row_of: [u8; 64 * WORDS],
}

/// The numbers of holes of the three boards, the default one first.
pub(crate) const SIZES: [u16; 3] = [145, 57, 26];

/// The three boards, in the order of [`SIZES`].
pub(crate) static PYRAMIDS: [Pyramid; 3] = [pyramid(10, 10, Some(2 * 95)), pyramid(7, 6, None), pyramid(5, 4, None)];

const fn pyramid(shortest: usize, rows: usize, tiles: Option<u16>) -> Pyramid {
    let mut levels = [0; ROWS];
    let (mut level, mut slot, mut holes, mut spaces) = (0, 1, 0, 0);
    while level < rows {
        levels[level] = slot;
        slot += (rows - level + 1) as u8;
        let mut row = 0;
        while row < rows - level {
            spaces += shortest + row;
            row += 1;
        }
        holes += shortest + level;
        level += 1;
    }
    let (mut starts, mut row_of) = ([0; ROWS], [0; 64 * WORDS]);
    let (mut row, mut start) = (0, 0);
    while row < rows {
        let length = shortest + row;
        if start % 64 + length > 64 {
            start = (start / 64 + 1) * 64;
        }
        starts[row] = start as u8;
        let mut number = 0;
        while number < length {
            row_of[start + number] = row as u8;
            number += 1;
        }
        start += length;
        row += 1;
    }
    let (holes, spaces) = (holes as u16, spaces as u16);
    let tiles = match tiles {
        Some(tiles) => tiles,
        None => spaces,
    };
    Pyramid { holes, shortest, rows, tiles, spaces, levels, starts, row_of }
}

impl Pyramid {
    /// Returns the stack with this row (from 0) and number (from 1), which must be on the board.
    pub(crate) fn stack(&self, row: usize, number: usize) -> Stack {
        Stack(self.starts[row] + number as u8 - 1)
    }

    /// Returns the row (from 0) and the number (from 1) of a stack.
    pub(crate) fn place(&self, stack: Stack) -> (usize, usize) {
        let row = usize::from(self.row_of[usize::from(stack.0)]);
        (row, usize::from(stack.0 - self.starts[row]) + 1)
    }

    /// Returns the number of holes in a row.
    pub(crate) const fn length(&self, row: usize) -> usize {
        self.shortest + row
    }

    /// Returns the maximum height of the stacks in a row.
    pub(crate) const fn height(&self, row: usize) -> usize {
        self.rows - row
    }

    /// Returns the slot of a row on a level (from 0). The adjacent slots are the neighbouring rows, empty at the
    /// edges.
    pub(crate) fn slot(&self, level: usize, row: usize) -> usize {
        usize::from(self.levels[level]) + row
    }

    /// Returns the location of a row in a set of stacks: the word, and the bit of number 1 in it.
    pub(crate) fn shift(&self, row: usize) -> (usize, u32) {
        let start = self.starts[row];
        (usize::from(start / 64), u32::from(start % 64))
    }

    /// Returns the numbers of the stacks in a row that belong to a set, as bits.
    pub(crate) fn numbers(&self, set: &Stacks, row: usize) -> u64 {
        let (word, shift) = self.shift(row);
        set[word] >> shift << 1 & self.all_numbers(row)
    }

    /// Returns all numbers of a row, as bits.
    pub(crate) fn all_numbers(&self, row: usize) -> u64 {
        (2 << self.length(row)) - 2
    }

    /// Iterates over every stack in board order.
    pub(crate) fn stacks(&self) -> impl Iterator<Item = Stack> {
        (0..self.rows).flat_map(move |row| (1..=self.length(row)).map(move |number| self.stack(row, number)))
    }

    /// Returns the name of a stack: `c5`.
    pub(crate) fn name(&self, stack: Stack) -> String {
        let (row, number) = self.place(stack);
        format!("{}{number}", letter(row))
    }
}

pub(crate) fn letter(row: usize) -> char {
    char::from(b'a' + row as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_have_the_sizes_of_the_rules() {
        let sizes = PYRAMIDS.each_ref().map(|pyramid| (pyramid.holes, pyramid.spaces, pyramid.tiles));
        assert_eq!(sizes, [(145, 715, 190), (57, 182, 182), (26, 60, 60)]);
        assert_eq!(sizes.map(|(holes, ..)| holes), SIZES);
        let levels: Vec<usize> =
            (0..ROWS).map(|level| (0..ROWS - level).map(|row| PYRAMIDS[0].length(row)).sum()).collect();
        assert_eq!(levels, [145, 126, 108, 91, 75, 60, 46, 33, 21, 10]);
        for pyramid in &PYRAMIDS {
            assert_eq!(pyramid.stacks().count(), usize::from(pyramid.holes));
            assert!(pyramid.slot(pyramid.rows - 1, 0) + 1 < SLOTS);
        }
        assert_eq!(PYRAMIDS[0].slot(ROWS - 1, 0) + 2, SLOTS);
    }

    #[test]
    fn a_stack_has_its_bit_its_place_and_its_name() {
        for pyramid in &PYRAMIDS {
            let stacks: Vec<Stack> = pyramid.stacks().collect();
            assert!(stacks.windows(2).all(|two| two[0] < two[1]));
            for stack in stacks {
                let (row, number) = pyramid.place(stack);
                assert_eq!(pyramid.stack(row, number), stack);
                let (word, shift) = pyramid.shift(row);
                assert_eq!(64 * word + shift as usize + number - 1, usize::from(stack.0));
            }
        }
        assert_eq!(PYRAMIDS[0].name(PYRAMIDS[0].stack(9, 19)), "j19");
    }
}
