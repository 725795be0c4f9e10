//! A list of cells with constant-time access by index.

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

    /// Adds a cell that is not in the list.
    #[inline]
    pub(crate) fn put(&mut self, cell: u16) {
        self.cells[self.count()] = cell;
        self.places[usize::from(cell)] = self.count;
        self.count += 1;
    }

    /// Removes a cell of the list. The last cell takes its index.
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
