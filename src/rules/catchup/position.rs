//! Catchup's positions: the stones, the largest groups, and the current turn of one to three stones.

use crate::rules::kit::{Cell, CellSet, Colour, Grid, Shape, Stones};
use crate::rules::outcome::{EndReason, Outcome};

/// The board is full, and one player has the larger group.
const LARGEST: EndReason = EndReason::new("largest group");
/// One more than the number of cells of the largest board.
const SIZES: usize = 128;

/// A position of Catchup.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(crate) stones: Stones,
    /// The stones of the current turn or, before its first stone, of the last turn.
    pub(crate) turn: Turn,
    /// Whether the current turn has its first stone. Only a search uses positions within a turn.
    pub(crate) has_begun: bool,
    /// The number of stones that the player to move may still place.
    pub(crate) left: usize,
    /// The size of each colour's largest group.
    largest: [usize; 2],
    /// The size that the largest group of the player to move had before the turn.
    before: usize,
    pub(crate) outcome: Option<Outcome>,
}

/// The comparison of the groups on a full board.
pub(crate) struct Lead {
    pub(crate) winner: Colour,
    /// The rank, from 1 (the largest groups), at which the sizes first differ.
    pub(crate) rank: usize,
    /// The size of the winner's and the loser's group of this rank.
    pub(crate) sizes: [usize; 2],
}

impl Position {
    /// Creates the empty board with this number of cells on a side.
    pub fn new(size: u16) -> Position {
        Position {
            stones: Stones::new(Grid::of(Shape::Hexagon, size), Colour::White),
            turn: Turn::default(),
            has_begun: false,
            left: 1,
            largest: [0; 2],
            before: 0,
            outcome: None,
        }
    }

    /// Returns the size of a colour's largest group.
    pub(crate) fn largest(&self, colour: Colour) -> usize {
        self.largest[colour.index()]
    }

    /// Returns the maximum number of stones that the player to move can place now.
    pub(crate) fn most(&self) -> usize {
        self.left.min(self.stones.empty().count())
    }

    pub(crate) fn play(&mut self, mv: Move) {
        let colour = self.stones.turn();
        if !self.has_begun {
            (self.has_begun, self.turn, self.before) = (true, Turn::default(), self.largest(colour));
        }
        match mv {
            Move::Turn(turn) => turn.cells().for_each(|cell| self.place(cell)),
            Move::Stone(cell) => self.place(cell),
            Move::Stop => {}
        }
        if self.left == 0 || self.stones.empty().count() == 0 || !matches!(mv, Move::Stone(_)) {
            let (own, other) = (self.largest(colour), self.largest(colour.other()));
            let has_grown = own > self.before.max(1) && own >= other;
            self.left = if has_grown { MOST } else { MOST - 1 };
            self.has_begun = false;
            self.stones.end_turn();
            self.outcome = (self.stones.empty().count() == 0).then(|| self.end());
        }
    }

    fn place(&mut self, cell: Cell) {
        let stone = self.stones.stone(cell, self.stones.turn());
        self.stones.place(&stone, CellSet::default());
        let largest = &mut self.largest[self.stones.turn().index()];
        *largest = self.stones.size(cell).max(*largest);
        self.turn.put(cell);
        self.left -= 1;
    }

    fn end(&self) -> Outcome {
        match self.lead() {
            Some(lead) => Outcome { winner: Some(self.stones.seat(lead.winner)), reason: LARGEST },
            None => Outcome { winner: None, reason: EndReason::BOARD_FULL },
        }
    }

    /// Compares the groups from the largest down; `None` if the sides have groups of the same sizes.
    pub(crate) fn lead(&self) -> Option<Lead> {
        let mut counts = [[0; SIZES]; 2];
        for colour in Colour::BOTH {
            self.stones.chains(colour).for_each(|(_, size)| counts[colour.index()][size] += 1);
        }
        let of = |colour: Colour, size: usize| counts[colour.index()][size];
        let size = (1..SIZES).rev().find(|size| of(Colour::Black, *size) != of(Colour::White, *size))?;
        let winner = if of(Colour::Black, size) > of(Colour::White, size) { Colour::Black } else { Colour::White };
        let loser = winner.other();
        let rank = 1 + (size..SIZES).map(|size| of(loser, size)).sum::<usize>();
        let next = (1..size).rev().find(|size| of(loser, *size) > 0).unwrap_or_default();
        Some(Lead { winner, rank, sizes: [size, next] })
    }
}

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

/// A cell's number plus one, in a single byte because every node of a search contains a turn.
type Small = std::num::NonZeroU8;

impl Turn {
    /// Returns the cells in board order.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        self.0.into_iter().flatten().map(|small| Cell::new(usize::from(small.get()) - 1))
    }

    pub(crate) fn len(self) -> usize {
        self.0.iter().flatten().count()
    }

    /// Inserts a cell in board order. The turn must have fewer than three cells, and must not contain this one.
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

    /// Returns the next turn with up to `most` of these cells. Turns are ordered by their first cells, then by their
    /// second and third cells.
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
