//! Chains: stones of one colour that are connected, joined as the stones are placed.

use super::grid::{CELLS, Cell};

/// The chains of a board. One of its cells, its root, identifies a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chains {
    /// Another cell of the chain, nearer to its root; a root has itself.
    parents: [u16; CELLS],
    /// The number of cells of a root's chain.
    sizes: [u16; CELLS],
    /// The sides and corners that a root's chain touches.
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

    /// Makes a cell a chain of its own.
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

    /// Joins the chains of two cells. The smaller one gets the other's root, so that ways to roots stay short.
    pub(crate) fn join(&mut self, one: Cell, other: Cell) {
        let (one, other) = (self.root(one).index(), self.root(other).index());
        if one == other {
            return;
        }
        let (from, to) = if self.sizes[one] < self.sizes[other] { (one, other) } else { (other, one) };
        self.parents[from] = to as u16;
        self.sizes[to] += self.sizes[from];
        self.rims[to] |= self.rims[from];
    }

    /// The number of cells of a cell's chain.
    pub(crate) fn size(&self, cell: Cell) -> usize {
        self.sizes[self.root(cell).index()].into()
    }

    /// The sides and corners that a cell's chain touches.
    pub(crate) fn rim(&self, cell: Cell) -> u16 {
        self.rims[self.root(cell).index()]
    }
}
