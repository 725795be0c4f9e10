//! The squares of a board, and sets of them.
//!
//! Whatever its size, a board lies in rows of [`STRIDE`] squares, from the top left: one more than the largest board
//! has, so that what lies left and right of a board's squares is never a stone.

use super::super::names;

/// The squares of a side, at least.
pub(super) const LEAST: u16 = 5;
/// The squares of a side, at most.
pub(super) const MOST: u16 = 19;
/// From a square to the one below it.
const STRIDE: u16 = MOST + 1;
/// Enough for 19 rows.
const WORDS: usize = 6;

/// A square of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell(u16);

impl Cell {
    /// By its row from the top and its column from the left, from 0.
    pub(super) const fn at(row: u16, column: u16) -> Cell {
        Cell(row * STRIDE + column)
    }

    /// From the top, from 0.
    pub(super) const fn row(self) -> u16 {
        self.0 / STRIDE
    }

    /// From the left, from 0.
    pub(super) const fn column(self) -> u16 {
        self.0 % STRIDE
    }

    /// The colour of the square: the top left one is light.
    pub(super) const fn is_dark(self) -> bool {
        (self.row() + self.column()) % 2 == 1
    }

    // A step may leave the board: no set has what it leads to then, be it beside the rows or beyond the words.
    const fn up(self) -> Cell {
        Cell(self.0.wrapping_sub(STRIDE))
    }

    const fn down(self) -> Cell {
        Cell(self.0 + STRIDE)
    }

    const fn left(self) -> Cell {
        Cell(self.0.wrapping_sub(1))
    }

    const fn right(self) -> Cell {
        Cell(self.0 + 1)
    }

    /// The squares that share an edge with it.
    pub(super) const fn beside(self) -> [Cell; 4] {
        [self.up(), self.left(), self.right(), self.down()]
    }

    /// The two squares that have this one as an escort, each with its other escort: a light square's escorts are above
    /// and to its left, a dark one's below and to its right.
    pub(super) const fn escorts(self) -> [(Cell, Cell); 2] {
        let (upper_right, lower_left) = (self.up().right(), self.down().left());
        if self.is_dark() {
            [(self.down(), lower_left), (self.right(), upper_right)]
        } else {
            [(self.up(), upper_right), (self.left(), lower_left)]
        }
    }

    /// Its name on a board of this size: the column's letter, and the row from the bottom.
    pub(super) fn name(self, size: u16) -> String {
        format!("{}{}", letter(self.column()), size - self.row())
    }

    /// The square of this name, in any case.
    pub(super) fn named(word: &str, size: u16) -> Option<Cell> {
        let (letter, number) = names::split(word)?;
        let column = u16::from(letter as u8 - b'a');
        let number = u16::try_from(number).ok().filter(|number| (1..=size).contains(number))?;
        (column < size).then(|| Cell::at(size - number, column))
    }
}

/// The letter of a column.
pub(super) fn letter(column: u16) -> char {
    char::from(b'a' + column as u8)
}

/// A set of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set([u64; WORDS]);

impl Set {
    /// Every square of a board of this size.
    pub(super) fn board(size: u16) -> Set {
        let mut set = Set::default();
        for row in 0..size {
            (0..size).for_each(|column| set.put(Cell::at(row, column)));
        }
        set
    }

    pub(super) fn has(&self, cell: Cell) -> bool {
        self.0.get(usize::from(cell.0 / 64)).is_some_and(|word| word >> (cell.0 % 64) & 1 == 1)
    }

    pub(super) fn put(&mut self, cell: Cell) {
        self.0[usize::from(cell.0 / 64)] |= 1 << (cell.0 % 64);
    }

    pub(super) fn take(&mut self, cell: Cell) {
        self.0[usize::from(cell.0 / 64)] &= !(1 << (cell.0 % 64));
    }

    /// Takes out the first square, in board order.
    pub(super) fn pop(&mut self) -> Option<Cell> {
        let (word, at) = self.0.iter_mut().zip(0..).find(|(word, _)| **word != 0)?;
        let cell = Cell(at * 64 + word.trailing_zeros() as u16);
        *word &= *word - 1;
        Some(cell)
    }

    /// The square with so many others before it, in board order.
    pub(super) fn nth(&self, mut number: u32) -> Option<Cell> {
        for (mut word, at) in self.0.into_iter().zip(0..) {
            let count = word.count_ones();
            if number < count {
                for _ in 0..number {
                    word &= word - 1;
                }
                return Some(Cell(at * 64 + word.trailing_zeros() as u16));
            }
            number -= count;
        }
        None
    }

    /// The squares, in board order.
    pub(super) fn cells(mut self) -> impl Iterator<Item = Cell> {
        std::iter::from_fn(move || self.pop())
    }

    pub(super) fn and(mut self, other: &Set) -> Set {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }
}
