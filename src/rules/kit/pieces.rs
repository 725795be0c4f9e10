//! Pieces and blocked squares on a board of squares.

use super::grid::{Cell, Grid, Shape};
use super::set::CellSet;
use super::stones::Colour;

/// Pieces on a board of squares, and whose turn it is.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    grid: &'static Grid,
    pieces: [CellSet; 2],
    blocked: CellSet,
    pub(crate) turn: Colour,
}

impl Pieces {
    /// The directions of a square's eight neighbours.
    pub const DIRECTIONS: std::ops::Range<usize> = 0..8;

    /// Sets up the pieces of Black and of White on the named squares.
    pub(crate) fn new(size: u16, names: [&str; 2], turn: Colour) -> Pieces {
        let grid = Grid::of(Shape::Square, size);
        let set = |names: &str| names.split(' ').filter_map(|name| grid.named(name)).collect();
        Pieces { grid, pieces: names.map(set), blocked: CellSet::default(), turn }
    }

    /// Returns the grid.
    pub fn grid(&self) -> &'static Grid {
        self.grid
    }

    /// Returns the pieces of a colour.
    pub fn of(&self, colour: Colour) -> &CellSet {
        &self.pieces[colour.index()]
    }

    /// Returns the colour of the piece on a square.
    pub fn at(&self, cell: Cell) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|colour| self.of(*colour).has(cell))
    }

    /// Returns the squares blocked for the rest of the game.
    pub fn blocked(&self) -> &CellSet {
        &self.blocked
    }

    /// Returns the squares with a piece or a block.
    pub fn taken(&self) -> CellSet {
        let [black, white] = &self.pieces;
        black.or(white).or(&self.blocked)
    }

    /// Returns whether a square has neither a piece nor a block.
    pub fn is_empty(&self, cell: Cell) -> bool {
        self.at(cell).is_none() && !self.blocked.has(cell)
    }

    /// Returns the colour to move.
    pub fn turn(&self) -> Colour {
        self.turn
    }

    /// Returns the squares in a direction, from the next square to the rim.
    pub fn ray(&self, from: Cell, direction: usize) -> impl Iterator<Item = Cell> + Clone + use<> {
        let grid = self.grid;
        std::iter::successors(grid.step(from, direction), move |cell| grid.step(*cell, direction))
    }

    /// Returns the direction from a square to another in the same row, column or diagonal.
    pub fn direction(&self, from: Cell, to: Cell) -> Option<usize> {
        Pieces::DIRECTIONS.into_iter().find(|direction| self.ray(from, *direction).any(|cell| cell == to))
    }

    /// Returns the squares between two squares in the same row, column or diagonal.
    pub fn between(&self, from: Cell, to: Cell) -> impl Iterator<Item = Cell> + use<> {
        let ray = self.direction(from, to).map(|direction| self.ray(from, direction));
        ray.into_iter().flatten().take_while(move |cell| *cell != to)
    }

    /// Returns the empty squares that a chess queen on this square could reach.
    pub fn queens_targets(&self, from: Cell) -> CellSet {
        let (taken, mut targets) = (self.taken(), CellSet::default());
        for direction in Pieces::DIRECTIONS {
            let mut at = from;
            while let Some(next) = self.grid.step(at, direction).filter(|next| !taken.has(*next)) {
                targets.put(next);
                at = next;
            }
        }
        targets
    }

    /// Returns the empty neighbours of a colour's pieces, each once.
    pub(crate) fn exits(&self, colour: Colour) -> impl Iterator<Item = Cell> {
        let (taken, mut seen) = (self.taken(), CellSet::default());
        let beside = self
            .of(colour)
            .cells()
            .flat_map(move |cell| Pieces::DIRECTIONS.filter_map(move |direction| self.grid.step(cell, direction)));
        beside.filter(move |cell| {
            let is_new = !taken.has(*cell) && !seen.has(*cell);
            seen.put(*cell);
            is_new
        })
    }

    /// Moves a piece of the colour to move, and removes an enemy piece from the target.
    pub(crate) fn go(&mut self, from: Cell, to: Cell) {
        let (own, other) = (self.turn.index(), self.turn.other().index());
        self.pieces[own].take(from);
        self.pieces[own].put(to);
        self.pieces[other].take(to);
    }

    pub(crate) fn block(&mut self, cell: Cell) {
        self.blocked.put(cell);
    }
}
