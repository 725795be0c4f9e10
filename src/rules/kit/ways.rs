//! The cells by which a chain has won: ways from side to side, junctions, rings and rows.

use super::grid::Cell;
use super::set::CellSet;
use super::stones::Stones;
use crate::rules::path;

impl Stones {
    /// A shortest way over some stones from one of the starts to a cell that is an end.
    fn shortest(&self, over: &CellSet, starts: impl Iterator<Item = Cell>, is_end: impl Fn(Cell) -> bool) -> Vec<Cell> {
        let goes = |cell: &Cell| over.has(*cell);
        path::shortest(starts.filter(goes), is_end, |cell| self.grid().neighbours(cell).filter(goes).collect())
    }

    /// The stones of the chain of a stone.
    pub fn chain(&self, stone: Cell) -> CellSet {
        let all = Some(stone).and_then(|stone| self.at(stone)).map(|colour| *self.of(colour)).unwrap_or_default();
        all.cells().filter(|cell| self.are_joined(*cell, stone)).collect()
    }

    /// The smallest part of the chain of a stone that connects `count` of these sides and corners, given as bits of
    /// [`Grid::rim`](super::grid::Grid::rim); in board order.
    pub fn junction(&self, stone: Cell, rims: &[u16], count: usize) -> Vec<Cell> {
        let chain = self.chain(stone);
        let from = |middle: Cell| {
            let way = |rim: &u16| self.shortest(&chain, [middle].into_iter(), |cell| self.grid().rim(cell) & rim != 0);
            let mut ways: Vec<Vec<Cell>> = rims.iter().map(way).filter(|way| !way.is_empty()).collect();
            ways.sort_by_key(Vec::len);
            ways.into_iter().take(count).flatten().collect::<CellSet>()
        };
        let smallest = chain.cells().map(from).min_by_key(CellSet::count).unwrap_or_default();
        smallest.cells().collect()
    }

    /// The shortest ring that the last stone has closed, in board order.
    pub fn ring(&self, last: Cell) -> Vec<Cell> {
        let mut others = self.chain(last);
        others.take(last);
        let count = self.grid().directions();
        let seen = |direction: usize| self.grid().step(last, direction % count).filter(|cell| others.has(*cell));
        // Stones that touch each other around the last one are one group.
        let group = |start: usize| -> CellSet { (start..start + count).map_while(seen).collect() };
        let groups = (0..count).filter(|direction| seen(direction + count - 1).is_none()).map(group);
        let around: CellSet = (0..count).filter_map(seen).collect();
        let ring = |group: CellSet| self.shortest(&others, group.cells(), |cell| around.has(cell) && !group.has(cell));
        let rings = groups.map(ring).filter(|ring| !ring.is_empty());
        let shortest = rings.min_by_key(Vec::len).unwrap_or_default();
        shortest.into_iter().chain([last]).collect::<CellSet>().cells().collect()
    }

    /// The row of stones of one colour through a stone, in a direction and the opposite one.
    pub fn line(&self, stone: Cell, direction: usize) -> impl Iterator<Item = Cell> + Clone {
        let colour = self.at(stone);
        let count = self.grid().directions();
        let ray = move |direction: usize| {
            let next = move |cell: &Cell| self.grid().step(*cell, direction).filter(|next| self.at(*next) == colour);
            std::iter::successors(next(&stone), next)
        };
        [stone].into_iter().chain(ray(direction)).chain(ray((direction + count / 2) % count))
    }
}
