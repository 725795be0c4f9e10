//! Catchup's positions: the stones, the largest groups, and the current turn.

use super::turn::{MOST, Move, Turn};
use crate::rules::kit::{Cell, CellSet, Colour, Grid, Shape, Stones};
use crate::rules::outcome::{EndReason, Outcome};

/// The board is full, and one player has the larger group.
const LARGEST: EndReason = EndReason::new("largest group");
/// One more than the cells of the largest board.
const SIZES: usize = 128;

/// A position of Catchup.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(crate) stones: Stones,
    /// The stones of the current turn or, before its first stone, of the last turn.
    pub(crate) turn: Turn,
    /// Whether the current turn has its first stone. Only a search stops there.
    pub(crate) has_begun: bool,
    /// The number of stones that the player to move may still place.
    pub(crate) left: usize,
    /// The size of each colour's largest group.
    largest: [usize; 2],
    /// The size of the mover's largest group before the turn.
    before: usize,
    pub(crate) outcome: Option<Outcome>,
}

/// The comparison of the groups on a full board.
pub(crate) struct Lead {
    pub(crate) winner: Colour,
    /// How many groups of each side are as large as the other's, plus one.
    pub(crate) rank: usize,
    /// The size of the winner's and the loser's group of this rank.
    pub(crate) sizes: [usize; 2],
}

impl Position {
    /// The empty board with this number of cells a side.
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

    /// The size of a colour's largest group.
    pub(crate) fn largest(&self, colour: Colour) -> usize {
        self.largest[colour.index()]
    }

    /// The maximum number of stones that the player to move can place now.
    pub(crate) fn most(&self) -> usize {
        self.left.min(self.stones.empty().count())
    }

    pub(crate) fn play(&mut self, mv: Move) {
        let mover = self.stones.turn();
        if !self.has_begun {
            (self.has_begun, self.turn, self.before) = (true, Turn::default(), self.largest(mover));
        }
        match mv {
            Move::Turn(turn) => turn.cells().for_each(|cell| self.place(cell)),
            Move::Stone(cell) => self.place(cell),
            Move::Stop => {}
        }
        if self.left == 0 || self.stones.empty().count() == 0 || !matches!(mv, Move::Stone(_)) {
            let (own, other) = (self.largest(mover), self.largest(mover.other()));
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
