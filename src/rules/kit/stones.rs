//! The stones on a grid, their chains, the turn of the players, and the ways in which a move ends a game.

use super::grid::{Cell, Grid};
use super::set::{CellSet, Chains};
use crate::rules::notation;
use crate::rules::outcome::{EndReason, Outcome, Seat, Side};

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
    /// How many stones each colour has captured.
    captures: [usize; 2],
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
            captures: [0; 2],
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

    /// The number of stones that a colour has captured.
    pub fn captures(&self, colour: Colour) -> usize {
        self.captures[colour.index()]
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

    /// Puts a stone of the colour to move on an empty cell and removes captured stones. Chains are correct only if
    /// these are whole chains.
    pub(crate) fn place(&mut self, cell: Cell, captured: CellSet) {
        (self.last, self.captured) = (Some(cell), captured);
        for stone in captured.cells() {
            self.empty.put(stone);
            self.stones[self.turn.other().index()].take(stone);
            self.captures[self.turn.index()] += 1;
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

/// How a move ends the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The player who moved wins.
    Won(EndReason),
    /// The player who moved loses.
    Lost(EndReason),
    /// Neither player wins.
    Drawn(EndReason),
}

impl End {
    pub(crate) fn outcome(self, mover: Seat) -> Outcome {
        match self {
            End::Won(reason) => Outcome { winner: Some(mover), reason },
            End::Lost(reason) => Outcome { winner: Some(mover.other()), reason },
            End::Drawn(reason) => Outcome { winner: None, reason },
        }
    }
}

/// The colour of a piece. It belongs to a seat until the players exchange colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Dark pieces, drawn as `b`.
    Black,
    /// Light pieces, drawn as `w`.
    White,
}

impl Colour {
    /// Both colours.
    pub const BOTH: [Colour; 2] = [Colour::Black, Colour::White];

    /// The opponent's colour.
    pub const fn other(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }

    /// 0 for Black, 1 for White.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of its pieces.
    pub const fn mark(self) -> char {
        self.side().mark
    }

    /// The side that plays the colour.
    pub const fn side(self) -> Side {
        match self {
            Colour::Black => Side::new('b', "rules.black"),
            Colour::White => Side::new('w', "rules.white"),
        }
    }
}

impl Stones {
    /// A shortest way over some stones from one of the starts to a cell that is an end.
    fn shortest(&self, over: &CellSet, starts: impl Iterator<Item = Cell>, is_end: impl Fn(Cell) -> bool) -> Vec<Cell> {
        let goes = |cell: &Cell| over.has(*cell);
        notation::shortest(starts.filter(goes), is_end, |cell| self.grid().neighbours(cell).filter(goes).collect())
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

    /// The rows of stones of one colour through a stone, one for each axis of the grid.
    pub fn rows(&self, stone: Cell) -> impl Iterator<Item = impl Iterator<Item = Cell>> {
        let colour = self.at(stone);
        let ray = move |direction: usize| {
            let next = move |cell: &Cell| self.grid().step(*cell, direction).filter(|next| self.at(*next) == colour);
            std::iter::successors(next(&stone), next)
        };
        let row = move |axis: &[usize; 2]| [stone].into_iter().chain(axis.map(ray).into_iter().flatten());
        self.grid().axes().iter().map(row)
    }

    /// The longest of these rows, in board order.
    pub fn longest_row(&self, stone: Cell) -> Vec<Cell> {
        let longest = self.rows(stone).map(Iterator::collect::<CellSet>).max_by_key(CellSet::count);
        longest.unwrap_or_default().cells().collect()
    }
}
