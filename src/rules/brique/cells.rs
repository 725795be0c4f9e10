//! The squares of a board, and sets of them.
//!
//! A board of any size lies in rows of [`STRIDE`] squares, two more than the largest board has, below an empty row. So
//! the surroundings of the board have bits of their own, which are never stones; the four neighbours of a square are
//! bits of one neighbourhood, which are tested together; and a set can hold what lies outside an edge.

use crate::rules::cell_name;
use crate::rules::list::List;

/// The least number of squares of a side.
pub(super) const LEAST: u16 = 5;
/// The number of squares of a side on the designer's board.
pub(super) const USUAL: u16 = 15;
/// The greatest number of squares of a side.
pub(super) const MOST: u16 = 19;
/// Every number of squares that a side can have.
pub(super) const SIZES: [u16; (MOST - LEAST + 1) as usize] = sizes();
/// The distance in bits from a square to the one below it.
const STRIDE: u16 = MOST + 2;
/// The words of a set: enough for 19 rows, the empty one above them, and the neighbourhood of the last square.
const WORDS: usize = 8;

const fn sizes() -> [u16; (MOST - LEAST + 1) as usize] {
    let mut sizes = [LEAST; (MOST - LEAST + 1) as usize];
    let mut at = 1;
    while at < sizes.len() {
        sizes[at] = sizes[at - 1] + 1;
        at += 1;
    }
    sizes
}

/// A square of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u16);

impl Cell {
    /// The square in this row from the top and this column from the left, from 0.
    pub(super) const fn at(row: u16, column: u16) -> Cell {
        Cell((row + 1) * STRIDE + column)
    }

    /// The row from the top, from 0.
    pub(super) const fn row(self) -> u16 {
        self.0 / STRIDE - 1
    }

    /// The column from the left, from 0.
    pub(super) const fn column(self) -> u16 {
        self.0 % STRIDE
    }

    /// Whether the square is dark; the top left one is light.
    pub(super) const fn is_dark(self) -> bool {
        // Light and dark alternate along the bits too, since a row has an odd number of them; the first bit is dark.
        self.0.is_multiple_of(2)
    }

    /// The squares that a move on this one fills beside it, when `own` are the mover's stones around it: those that
    /// have it as an escort, and whose other escort is the mover's already.
    ///
    /// A light square's escorts are above and to its left, a dark one's below and to its right.
    pub(super) const fn falling(self, own: Neighbourhood) -> Neighbourhood {
        // The other escort of both is to the upper right or to the lower left.
        let (upper_right, lower_left) = (own.0 >> 1 & 1, own.0 >> (2 * STRIDE - 1) & 1);
        // Half of the squares are dark, so a branch could not be predicted.
        let of_light = upper_right << UP | lower_left << LEFT;
        let fall = of_light << ((RIGHT - UP) * self.is_dark() as u32);
        Neighbourhood(fall & !own.0)
    }

    /// The squares with which a player answers an enemy stone on this one, when `own` are their stones: those that take it,
    /// and those that join two stones which it keeps apart.
    pub(super) fn answers(self, own: &CellSet) -> impl Iterator<Item = Cell> {
        let around = own.around(self).0;
        let [up, left, right, down] = [UP, LEFT, RIGHT, DOWN].map(|bit| around >> bit & 1 == 1);
        // The stone's escorts are two of the four; whoever holds the one takes the stone with the other.
        let takes = match self.is_dark() {
            true => [(down, 0, 1), (right, 1, 0)],
            false => [(left, -1, 0), (up, 0, -1)],
        };
        let joins = [(up && left, -1, -1), (up && right, -1, 1), (down && left, 1, -1), (down && right, 1, 1)];
        let all = takes.into_iter().chain(joins).filter(|(is_answer, ..)| *is_answer);
        all.map(move |(_, rows, columns)| Cell(self.0.wrapping_add_signed(rows * STRIDE as i16 + columns)))
    }

    /// The square that a bit of this one's neighbourhood stands for.
    const fn seen(self, bit: u32) -> Cell {
        Cell(self.0 - STRIDE + bit as u16)
    }

    /// The name of the square on a board of this size: the column's letter, and the row from the bottom.
    pub(super) fn name(self, size: u16) -> String {
        format!("{}{}", letter(self.column()), size - self.row())
    }

    /// The square of this name, in any case.
    pub(super) fn named(word: &str, size: u16) -> Option<Cell> {
        let (letter, number) = cell_name::split(word)?;
        let column = u16::from(letter as u8 - b'a');
        let number = u16::try_from(number).ok().filter(|number| (1..=size).contains(number))?;
        (column < size).then(|| Cell::at(size - number, column))
    }
}

/// The letter of a column.
pub(super) fn letter(column: u16) -> char {
    char::from(b'a' + column as u8)
}

/// The part of a set around a square, as bits from the square above it on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Neighbourhood(u64);

const UP: u32 = 0;
const LEFT: u32 = STRIDE as u32 - 1;
const RIGHT: u32 = STRIDE as u32 + 1;
const DOWN: u32 = 2 * STRIDE as u32;
/// The squares that share an edge with the one in the middle.
const BESIDE: u64 = 1 << UP | 1 << LEFT | 1 << RIGHT | 1 << DOWN;

impl Neighbourhood {
    /// Whether a square beside the middle one is in the set.
    pub(super) const fn touches(self) -> bool {
        self.0 & BESIDE != 0
    }

    /// The squares beside `middle` that are here and not in `there`.
    pub(super) fn beside(self, there: Neighbourhood, middle: Cell) -> impl Iterator<Item = Cell> {
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
pub(super) struct CellSet([u64; WORDS]);

impl CellSet {
    fn of(cells: impl Iterator<Item = Cell>) -> CellSet {
        let mut set = CellSet::default();
        cells.for_each(|cell| set.put(cell));
        set
    }

    /// The places above the top row, outside the board.
    pub(super) fn beyond_top(size: u16) -> CellSet {
        CellSet::of((0..size).map(|column| Cell::at(0, column).seen(UP)))
    }

    /// The places left of the first column, outside the board.
    pub(super) fn beyond_left(size: u16) -> CellSet {
        CellSet::of((0..size).map(|row| Cell::at(row, 0).seen(LEFT)))
    }

    /// The bottom row.
    pub(super) fn bottom(size: u16) -> CellSet {
        CellSet::of((0..size).map(|column| Cell::at(size - 1, column)))
    }

    /// The last column.
    pub(super) fn right(size: u16) -> CellSet {
        CellSet::of((0..size).map(|row| Cell::at(row, size - 1)))
    }

    /// Every square of a board of this size, in board order.
    pub(super) fn board(size: u16) -> CellSet {
        CellSet::of((0..size).flat_map(|row| (0..size).map(move |column| Cell::at(row, column))))
    }

    pub(super) fn has(&self, cell: Cell) -> bool {
        self.0[usize::from(cell.0 / 64)] >> (cell.0 % 64) & 1 == 1
    }

    /// The part of the set around a square.
    pub(super) fn around(&self, cell: Cell) -> Neighbourhood {
        let from = cell.0 - STRIDE;
        let (word, bit) = (usize::from(from / 64), from % 64);
        Neighbourhood((u128::from(self.0[word]) | u128::from(self.0[word + 1]) << 64).wrapping_shr(bit.into()) as u64)
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

    /// The squares, in board order.
    pub(super) fn cells(mut self) -> impl Iterator<Item = Cell> {
        std::iter::from_fn(move || self.pop())
    }

    pub(super) fn and(mut self, other: &CellSet) -> CellSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }
}

/// A set of squares that can also be found by number.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedSet {
    set: CellSet,
    list: List<{ 64 * WORDS }>,
}

impl ListedSet {
    pub(super) fn new(set: CellSet) -> ListedSet {
        let mut list = List::empty();
        set.cells().for_each(|cell| list.put(cell.0));
        ListedSet { set, list }
    }

    pub(super) const fn set(&self) -> &CellSet {
        &self.set
    }

    #[inline]
    pub(super) const fn count(&self) -> usize {
        self.list.count()
    }

    /// The square of this number, in no order; `None` when there are not so many.
    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<Cell> {
        self.list.get(number).map(Cell)
    }

    /// Takes out a square of the set.
    #[inline]
    pub(super) fn take(&mut self, cell: Cell) {
        self.set.take(cell);
        self.list.take(cell.0);
    }
}
