//! Sets of cells as bits, and chains of connected stones.

use super::grid::{CELLS, Cell};
use crate::rules::bits::{self, List};

const WORDS: usize = CELLS / 64;

/// A set of cells of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CellSet([u64; WORDS]);

impl CellSet {
    /// Returns whether the cell is in the set.
    #[inline]
    pub fn has(&self, cell: Cell) -> bool {
        self.0[cell.index() / 64] >> (cell.index() % 64) & 1 == 1
    }

    /// Adds a cell.
    #[inline]
    pub fn put(&mut self, cell: Cell) {
        self.0[cell.index() / 64] |= 1 << (cell.index() % 64);
    }

    /// Removes a cell.
    #[inline]
    pub fn take(&mut self, cell: Cell) {
        self.0[cell.index() / 64] &= !(1 << (cell.index() % 64));
    }

    /// Returns the number of cells.
    #[inline]
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Returns the cells in both sets.
    pub fn and(&self, other: &CellSet) -> CellSet {
        CellSet(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Returns the cells in either set.
    pub fn or(&self, other: &CellSet) -> CellSet {
        CellSet(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Returns the cells that the other set does not contain.
    pub fn without(&self, other: &CellSet) -> CellSet {
        CellSet(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Returns the cell with this index in board order, from 0; `None` if the index is too large.
    #[inline]
    pub fn nth(&self, number: usize) -> Option<Cell> {
        let number = u32::try_from(number).ok().filter(|number| (*number as usize) < self.count())?;
        Some(Cell::new(bits::nth_of_words(&self.0, number) as usize))
    }

    /// Returns the first cell after this one in board order.
    pub(crate) fn after(&self, cell: Cell) -> Option<Cell> {
        let first = cell.index() + 1;
        let later = |at: usize| if at == first / 64 { u64::MAX << (first % 64) } else { u64::MAX };
        let word = (first / 64..WORDS).find(|at| self.0[*at] & later(*at) != 0)?;
        Some(Cell::new(word * 64 + (self.0[word] & later(word)).trailing_zeros() as usize))
    }

    /// Returns the cells in board order.
    pub fn cells(mut self) -> impl Iterator<Item = Cell> {
        std::iter::from_fn(move || {
            let (word, at) = self.0.iter_mut().zip(0..).find(|(word, _)| **word != 0)?;
            let cell = Cell::new(at * 64 + word.trailing_zeros() as usize);
            *word &= *word - 1;
            Some(cell)
        })
    }
}

impl FromIterator<Cell> for CellSet {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> CellSet {
        let mut set = CellSet::default();
        cells.into_iter().for_each(|cell| set.put(cell));
        set
    }
}

/// A set of cells that can also be accessed by index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedSet {
    set: CellSet,
    list: List<CELLS>,
}

impl ListedSet {
    pub(crate) fn new(set: CellSet) -> ListedSet {
        let mut list = List::empty();
        set.cells().for_each(|cell| list.put(cell.index() as u16));
        ListedSet { set, list }
    }

    #[inline]
    pub(crate) fn set(&self) -> &CellSet {
        &self.set
    }

    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.list.count()
    }

    /// Returns the cell with this index, in no particular order; `None` if the index is too large.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<Cell> {
        self.list.get(number).map(|cell| Cell::new(cell.into()))
    }

    /// Adds a cell that the set does not contain.
    #[inline]
    pub(crate) fn put(&mut self, cell: Cell) {
        self.set.put(cell);
        self.list.put(cell.index() as u16);
    }

    /// Removes a cell, which must be in the set.
    #[inline]
    pub(crate) fn take(&mut self, cell: Cell) {
        self.set.take(cell);
        self.list.take(cell.index() as u16);
    }
}

/// The chains of a board, as a union-find forest. Each chain is identified by one of its cells, the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chains {
    /// For each cell, another cell of its chain that is nearer to the root. A root points to itself.
    parents: [u16; CELLS],
    /// For each root, the number of cells in its chain.
    sizes: [u16; CELLS],
    /// For each root, the sides and corners that its chain touches.
    rims: [u16; CELLS],
}

impl Chains {
    pub(crate) const fn new() -> Chains {
        let mut parents = [0; CELLS];
        let mut at = 0;
        while at < CELLS {
            parents[at] = Cell::new(at).index() as u16;
            at += 1;
        }
        Chains { parents, sizes: [1; CELLS], rims: [0; CELLS] }
    }

    /// Makes a cell a separate chain.
    #[inline]
    pub(crate) fn put(&mut self, cell: Cell, rim: u16) {
        let at = cell.index();
        (self.parents[at], self.sizes[at], self.rims[at]) = (at as u16, 1, rim);
    }

    #[inline]
    pub(crate) fn root(&self, cell: Cell) -> Cell {
        let mut at = cell.index();
        while usize::from(self.parents[at]) != at {
            at = self.parents[at].into();
        }
        Cell::new(at)
    }

    /// Joins the chains of two roots and returns the new root. The root of the larger chain remains, so that paths to
    /// roots stay short.
    #[inline]
    pub(crate) fn join(&mut self, one: Cell, other: Cell) -> Cell {
        if one == other {
            return one;
        }
        let (one, other) = (one.index(), other.index());
        let (from, to) = if self.sizes[one] < self.sizes[other] { (one, other) } else { (other, one) };
        self.parents[from] = to as u16;
        self.sizes[to] += self.sizes[from];
        self.rims[to] |= self.rims[from];
        Cell::new(to)
    }

    /// Returns the number of cells in a cell's chain.
    pub(crate) fn size(&self, cell: Cell) -> usize {
        self.sizes[self.root(cell).index()].into()
    }

    /// Returns the sides and corners that a cell's chain touches.
    pub(crate) fn rim(&self, cell: Cell) -> u16 {
        self.rim_of_root(self.root(cell))
    }

    #[inline]
    pub(crate) fn rim_of_root(&self, root: Cell) -> u16 {
        self.rims[root.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_iterates_in_board_order() {
        let cells: Vec<Cell> = [0, 1, 63, 64, 200, CELLS - 1].map(Cell::new).into();
        let mut set: CellSet = cells.iter().copied().collect();
        assert_eq!((set.cells().collect::<Vec<_>>(), set.count()), (cells.clone(), cells.len()));
        assert!((0..cells.len()).all(|number| set.nth(number) == Some(cells[number])));
        assert_eq!(set.nth(cells.len()), None);
        assert!(cells.windows(2).all(|two| set.after(two[0]) == Some(two[1])));
        assert_eq!(set.after(Cell::new(CELLS - 1)), None);
        cells.iter().for_each(|cell| set.take(*cell));
        assert_eq!(set, CellSet::default());
    }
}
