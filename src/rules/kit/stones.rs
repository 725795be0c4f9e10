//! The stones on a grid, their chains, and the turn of the players.

use super::chains::Chains;
use super::colour::Colour;
use super::grid::{Cell, Grid};
use super::set::CellSet;
use crate::rules::seat::Seat;

/// Stones on a grid. Players take turns, and the second can exchange colours on their first turn.
#[derive(Clone, Copy, Debug)]
pub struct Stones {
    grid: &'static Grid,
    /// The empty cells.
    pub(crate) empty: CellSet,
    stones: [CellSet; 2],
    chains: Chains,
    last: Option<Cell>,
    captured: CellSet,
    turn: Colour,
    black: Seat,
    first: bool,
    swap: bool,
    loops: bool,
}

impl Stones {
    /// The empty board; the first seat moves first, with this colour.
    pub(crate) fn new(grid: &'static Grid, first: Colour) -> Stones {
        Stones {
            grid,
            empty: grid.cells().collect(),
            stones: Default::default(),
            chains: Chains::new(),
            last: None,
            captured: CellSet::default(),
            turn: first,
            black: if first == Colour::Black { Seat::First } else { Seat::Second },
            first: true,
            swap: false,
            loops: false,
        }
    }

    /// The grid.
    pub fn grid(&self) -> &'static Grid {
        self.grid
    }

    /// The stones of a colour.
    pub fn of(&self, colour: Colour) -> &CellSet {
        &self.stones[colour.index()]
    }

    /// The colour of the stone on a cell.
    pub fn at(&self, cell: Cell) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|colour| self.of(*colour).has(cell))
    }

    /// The cell of the last stone.
    pub fn last(&self) -> Option<Cell> {
        self.last
    }

    /// The cells of the stones that the last one captured.
    pub fn captured(&self) -> &CellSet {
        &self.captured
    }

    /// The colour to move.
    pub fn turn(&self) -> Colour {
        self.turn
    }

    /// Whether the player to move can exchange colours.
    pub fn may_swap(&self) -> bool {
        self.swap
    }

    /// The seat that plays a colour.
    pub fn seat(&self, colour: Colour) -> Seat {
        if colour == Colour::Black { self.black } else { self.black.other() }
    }

    /// The colour that a seat plays.
    pub fn colour(&self, seat: Seat) -> Colour {
        if seat == self.black { Colour::Black } else { Colour::White }
    }

    /// The sides and corners that the chain of a stone touches.
    pub fn rim(&self, cell: Cell) -> u16 {
        self.chains.rim(cell)
    }

    /// The number of stones of a stone's chain.
    pub fn size(&self, cell: Cell) -> usize {
        self.chains.size(cell)
    }

    /// One stone of each chain of a colour, and the chain's number of stones.
    pub(crate) fn chains(&self, colour: Colour) -> impl Iterator<Item = (Cell, usize)> {
        let roots = self.of(colour).cells().filter(|cell| self.chains.root(*cell) == *cell);
        roots.map(|root| (root, self.chains.size(root)))
    }

    /// Whether two stones are in one chain.
    pub fn are_joined(&self, one: Cell, other: Cell) -> bool {
        self.chains.root(one) == self.chains.root(other)
    }

    /// Whether the last stone connected a chain of a board of hexagons with itself, around a cell that holds no stone
    /// of its colour.
    pub fn closes_loop(&self) -> bool {
        self.loops
    }

    /// Puts a stone of the colour to move on an empty cell and removes captured stones: whole chains.
    pub(crate) fn place(&mut self, cell: Cell, captured: CellSet) {
        (self.last, self.captured) = (Some(cell), captured);
        for stone in captured.cells() {
            self.empty.put(stone);
            self.stones[self.turn.other().index()].take(stone);
        }
        self.empty.take(cell);
        self.stones[self.turn.index()].put(cell);
        self.chains.put(cell, self.grid.rim(cell));
        let (grid, own, count) = (self.grid, self.stones[self.turn.index()], self.grid.directions());
        let seen = |direction: usize| grid.step(cell, direction % count).filter(|next| own.has(*next));
        // Consecutive neighbours of a hexagon touch each other, so the first one of each group is enough.
        let firsts = (0..count).filter(|at| seen(at + count - 1).is_none()).filter_map(seen);
        let is_met = |(at, one): (usize, Cell)| firsts.clone().take(at).any(|other| self.are_joined(one, other));
        self.loops = firsts.clone().enumerate().any(is_met);
        (0..count).filter_map(seen).for_each(|next| self.chains.join(cell, next));
    }

    pub(crate) fn end_turn(&mut self) {
        self.turn = self.turn.other();
        self.swap = std::mem::take(&mut self.first);
    }

    /// Exchanges the colours; the colour to move stays.
    pub(crate) fn exchange(&mut self) {
        self.black = self.black.other();
        self.swap = false;
    }
}
