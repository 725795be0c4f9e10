//! The squares of a board, and sets of them.
//!
//! A board of any size is stored in rows of [`STRIDE`] bits, two more than the largest board needs, below an empty row.
//! The squares just outside the board therefore have their own bits, and never have stones. The four neighbours of a
//! square are tested together, as bits of one [`Neighbourhood`]. A set can contain squares outside an edge.

use crate::rules::bits::List;
use crate::rules::kit::{self, Colour, Grid};

/// The possible lengths of a board's side, in squares.
pub(crate) const SIZES: &[u16] = &[5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19];
/// The length of the side of the designer's board.
pub(crate) const USUAL: u16 = 15;
/// The distance in bits from a square to the one below it.
const STRIDE: u16 = 19 + 2;
/// The number of words in a set: enough for 19 rows, the empty row above them, and the neighbourhood of the last
/// square.
const WORDS: usize = 8;

/// A square of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u16);

impl Cell {
    /// Converts a cell of a grid to a square.
    pub(crate) fn of(cell: kit::Cell, grid: &Grid) -> Cell {
        let (row, column) = (cell.index() / grid.size(), cell.index() % grid.size());
        Cell((row as u16 + 1) * STRIDE + column as u16)
    }

    /// Converts this square to a cell of a grid.
    pub(crate) fn on(self, grid: &Grid) -> kit::Cell {
        kit::Cell::new(usize::from(self.0 / STRIDE - 1) * grid.size() + usize::from(self.0 % STRIDE))
    }

    /// Returns whether the square is dark. The top left square is light.
    pub(crate) const fn is_dark(self) -> bool {
        // Light and dark also alternate along the bits, because a row has an odd number of bits. The first bit is dark.
        self.0.is_multiple_of(2)
    }

    /// Returns the neighbours that a move on this square also fills. `own` contains the stones of the player to move. A
    /// neighbour is filled if this square is one of its escorts and the player has a stone on the other.
    ///
    /// A light square's escorts are above it and to its left; a dark square's are below it and to its right.
    pub(crate) const fn falling(self, own: Neighbourhood) -> Neighbourhood {
        // This square is an escort of two neighbours. Their other escorts are to its upper right and to its lower left.
        let (upper_right, lower_left) = (own.0 >> 1 & 1, own.0 >> (2 * STRIDE - 1) & 1);
        // Half of the squares are dark, so a branch would be unpredictable.
        let of_light = upper_right << UP | lower_left << LEFT;
        let fall = of_light << ((RIGHT - UP) * self.is_dark() as u32);
        Neighbourhood(fall & !own.0)
    }

    /// Returns the squares on which a player can answer an enemy stone on this square: a stone there captures it, or
    /// joins two of the player's stones that it separates. `own` contains the player's stones.
    pub(crate) fn answers(self, own: &CellSet) -> impl Iterator<Item = Cell> {
        let around = own.around(self).0;
        let [up, left, right, down] = [UP, LEFT, RIGHT, DOWN].map(|bit| around >> bit & 1 == 1);
        // The stone's escorts are two of its four neighbours. A player who holds one captures the stone by taking the
        // other.
        let takes = match self.is_dark() {
            true => [(down, 0, 1), (right, 1, 0)],
            false => [(left, -1, 0), (up, 0, -1)],
        };
        let joins = [(up && left, -1, -1), (up && right, -1, 1), (down && left, 1, -1), (down && right, 1, 1)];
        let all = takes.into_iter().chain(joins).filter(|(is_answer, ..)| *is_answer);
        all.map(move |(_, rows, columns)| Cell(self.0.wrapping_add_signed(rows * STRIDE as i16 + columns)))
    }

    /// Returns the square that a bit of this square's neighbourhood represents.
    const fn seen(self, bit: u32) -> Cell {
        Cell(self.0 - STRIDE + bit as u16)
    }
}

/// The part of a set around a square, as bits that start with the square above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbourhood(u64);

const UP: u32 = 0;
const LEFT: u32 = STRIDE as u32 - 1;
const RIGHT: u32 = STRIDE as u32 + 1;
const DOWN: u32 = 2 * STRIDE as u32;
/// The squares that share an edge with the one in the middle.
const BESIDE: u64 = 1 << UP | 1 << LEFT | 1 << RIGHT | 1 << DOWN;

impl Neighbourhood {
    /// Returns whether a square next to the middle one is in the set.
    pub(crate) const fn touches(self) -> bool {
        self.0 & BESIDE != 0
    }

    /// Returns the squares next to `middle` in this set, without those in `there`.
    pub(crate) fn beside(self, there: Neighbourhood, middle: Cell) -> impl Iterator<Item = Cell> {
        let mut rest = self.0 & !there.0 & BESIDE;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(middle.seen(bit))
        })
    }
}

/// A set of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellSet([u64; WORDS]);

impl CellSet {
    /// Converts cells of a grid to a set of squares.
    pub(crate) fn of(cells: impl Iterator<Item = kit::Cell>, grid: &Grid) -> CellSet {
        let mut set = CellSet::default();
        cells.for_each(|cell| set.put(Cell::of(cell, grid)));
        set
    }

    /// Returns the squares just outside the first edge of a colour: above the board for Black, to its left for White.
    pub(crate) fn beyond(colour: Colour, grid: &Grid) -> CellSet {
        let bit = if colour == Colour::Black { UP } else { LEFT };
        let mut set = CellSet::default();
        let [first, _] = kit::sides(colour);
        grid.on_rim(first).for_each(|cell| set.put(Cell::of(cell, grid).seen(bit)));
        set
    }

    pub(crate) fn has(&self, cell: Cell) -> bool {
        self.0[usize::from(cell.0 / 64)] >> (cell.0 % 64) & 1 == 1
    }

    /// Returns the part of the set around a square.
    pub(crate) fn around(&self, cell: Cell) -> Neighbourhood {
        let from = cell.0 - STRIDE;
        let (word, bit) = (usize::from(from / 64), from % 64);
        Neighbourhood((u128::from(self.0[word]) | u128::from(self.0[word + 1]) << 64).wrapping_shr(bit.into()) as u64)
    }

    pub(crate) fn put(&mut self, cell: Cell) {
        self.0[usize::from(cell.0 / 64)] |= 1 << (cell.0 % 64);
    }

    pub(crate) fn take(&mut self, cell: Cell) {
        self.0[usize::from(cell.0 / 64)] &= !(1 << (cell.0 % 64));
    }

    /// Removes and returns the first square in board order.
    pub(crate) fn pop(&mut self) -> Option<Cell> {
        let (word, at) = self.0.iter_mut().zip(0..).find(|(word, _)| **word != 0)?;
        let cell = Cell(at * 64 + word.trailing_zeros() as u16);
        *word &= *word - 1;
        Some(cell)
    }

    /// Iterates over the squares in board order.
    pub(crate) fn cells(mut self) -> impl Iterator<Item = Cell> {
        std::iter::from_fn(move || self.pop())
    }

    pub(crate) fn and(mut self, other: &CellSet) -> CellSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }
}

/// A set of squares that can also be accessed by index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedSet {
    set: CellSet,
    list: List<{ 64 * WORDS }>,
}

impl ListedSet {
    pub(crate) fn new(set: CellSet) -> ListedSet {
        let mut list = List::empty();
        set.cells().for_each(|cell| list.put(cell.0));
        ListedSet { set, list }
    }

    pub(crate) const fn set(&self) -> &CellSet {
        &self.set
    }

    #[inline]
    pub(crate) const fn count(&self) -> usize {
        self.list.count()
    }

    /// Returns the square with this index, in no particular order; `None` if the index is too large.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<Cell> {
        self.list.get(number).map(Cell)
    }

    /// Removes a square, which must be in the set.
    #[inline]
    pub(crate) fn take(&mut self, cell: Cell) {
        self.set.take(cell);
        self.list.take(cell.0);
    }
}
