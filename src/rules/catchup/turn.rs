//! A turn: the cells of one to three stones.

use crate::rules::kit::{Cell, CellSet};

/// The maximum number of stones of a turn.
pub(crate) const MOST: usize = 3;

/// A move, or a step of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// All stones of a turn.
    Turn(Turn),
    /// One stone of a turn. The turn continues if the player may place more.
    Stone(Cell),
    /// The end of a turn that has at least one stone.
    Stop,
}

/// Up to three cells in board order, without duplicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turn([Option<Small>; MOST]);

/// A cell's number plus one: a turn is part of every node of a search.
type Small = std::num::NonZeroU8;

impl Turn {
    /// Returns the cells in board order.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        self.0.into_iter().flatten().map(|small| Cell::new(usize::from(small.get()) - 1))
    }

    pub(crate) fn len(self) -> usize {
        self.0.iter().flatten().count()
    }

    /// Adds a cell in board order. The turn must have fewer than three, and not this one.
    pub(crate) fn put(&mut self, cell: Cell) {
        let small = u8::try_from(cell.index() + 1).ok().and_then(Small::new);
        let at = self.len();
        self.0[at] = small;
        self.0[..=at].sort_unstable();
    }

    fn take_last(&mut self) -> Option<Cell> {
        let last = self.cells().last();
        self.0.iter_mut().rev().find(|small| small.is_some())?.take();
        last
    }

    /// Returns the next of all turns with up to `most` of these cells, by their first cells, then by the second ones.
    pub(crate) fn next(mut self, cells: &CellSet, most: usize) -> Option<Turn> {
        if self.len() < most
            && let Some(cell) = self.cells().last().map_or_else(|| cells.nth(0), |last| cells.after(last))
        {
            self.put(cell);
            return Some(self);
        }
        while let Some(last) = self.take_last() {
            if let Some(cell) = cells.after(last) {
                self.put(cell);
                return Some(self);
            }
        }
        None
    }
}

impl FromIterator<Cell> for Turn {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Turn {
        let mut turn = Turn::default();
        cells.into_iter().for_each(|cell| turn.put(cell));
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_follow_each_other_by_their_cells() {
        let cells: CellSet = [2, 70, 126].map(Cell::new).into_iter().collect();
        let turns = |most| {
            let next = move |turn: &Turn| turn.next(&cells, most);
            let all = std::iter::successors(Turn::default().next(&cells, most), next);
            all.map(|turn| turn.cells().map(Cell::index).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        assert_eq!(turns(1), [vec![2], vec![70], vec![126]]);
        assert_eq!(turns(2), [vec![2], vec![2, 70], vec![2, 126], vec![70], vec![70, 126], vec![126]]);
        assert_eq!(turns(3).len(), 7);
        assert_eq!(Turn::default().next(&CellSet::default(), 3), None);
    }

    #[test]
    fn the_cells_of_a_turn_are_in_board_order() {
        let turn: Turn = [70, 2, 126].map(Cell::new).into_iter().collect();
        assert_eq!(turn.cells().map(Cell::index).collect::<Vec<_>>(), [2, 70, 126]);
    }
}
