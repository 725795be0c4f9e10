//! The stones on a grid, their chains, whose turn it is, and the ways in which a move ends a game.

use super::grid::{CELLS, Cell, Grid};
use super::set::{CellSet, Chains, ListedSet};
use crate::rules::notation;
use crate::rules::outcome::{EndReason, Outcome, Seat, Side};

/// Stones on a grid. Players take turns, and the second player can exchange colours on their first turn.
#[derive(Clone, Copy, Debug)]
pub struct Stones {
    grid: &'static Grid,
    empty: ListedSet,
    stones: [CellSet; 2],
    /// For each colour and cell, the directions to neighbours of the colour, as bits.
    beside: [[u8; CELLS]; 2],
    chains: Chains,
    last: Option<Cell>,
    captured: CellSet,
    /// The number of stones that each colour has captured.
    captures: [usize; 2],
    turn: Colour,
    black: Seat,
    first: bool,
    swap: bool,
}

impl Stones {
    /// Creates the empty board; the first seat moves first, with this colour.
    pub(crate) fn new(grid: &'static Grid, first: Colour) -> Stones {
        Stones {
            grid,
            empty: ListedSet::new(grid.cells().collect()),
            stones: Default::default(),
            beside: [[0; CELLS]; 2],
            chains: Chains::new(),
            last: None,
            captured: CellSet::default(),
            captures: [0; 2],
            turn: first,
            black: if first == Colour::Black { Seat::First } else { Seat::Second },
            first: true,
            swap: false,
        }
    }

    /// Returns the grid.
    #[inline]
    pub fn grid(&self) -> &'static Grid {
        self.grid
    }

    #[inline]
    pub(crate) fn empty(&self) -> &ListedSet {
        &self.empty
    }

    /// Returns the stones of a colour.
    #[inline]
    pub fn of(&self, colour: Colour) -> &CellSet {
        &self.stones[colour.index()]
    }

    /// Returns the colour of the stone on a cell.
    #[inline]
    pub fn at(&self, cell: Cell) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|colour| self.of(*colour).has(cell))
    }

    /// Returns the cell of the last stone.
    pub fn last(&self) -> Option<Cell> {
        self.last
    }

    /// Returns the cells of the stones that the last one captured.
    pub fn captured(&self) -> &CellSet {
        &self.captured
    }

    /// Returns the number of stones that a colour has captured.
    pub fn captures(&self, colour: Colour) -> usize {
        self.captures[colour.index()]
    }

    /// Returns the colour to move.
    #[inline]
    pub fn turn(&self) -> Colour {
        self.turn
    }

    /// Returns whether the player to move can exchange colours.
    #[inline]
    pub fn may_swap(&self) -> bool {
        self.swap
    }

    /// Returns the seat that plays a colour.
    #[inline]
    pub fn seat(&self, colour: Colour) -> Seat {
        if colour == Colour::Black { self.black } else { self.black.other() }
    }

    /// Returns the colour that a seat plays.
    pub fn colour(&self, seat: Seat) -> Colour {
        if seat == self.black { Colour::Black } else { Colour::White }
    }

    /// Returns the sides and corners that the chain of a stone touches.
    pub fn rim(&self, cell: Cell) -> u16 {
        self.chains.rim(cell)
    }

    /// Returns the number of stones in a stone's chain.
    pub fn size(&self, cell: Cell) -> usize {
        self.chains.size(cell)
    }

    /// Returns one stone of each chain of a colour, and the number of stones in the chain.
    pub(crate) fn chains(&self, colour: Colour) -> impl Iterator<Item = (Cell, usize)> {
        let roots = self.of(colour).cells().filter(|cell| self.chains.root(*cell) == *cell);
        roots.map(|root| (root, self.chains.size(root)))
    }

    /// Returns whether two stones are in one chain.
    pub fn are_joined(&self, one: Cell, other: Cell) -> bool {
        self.chains.root(one) == self.chains.root(other)
    }

    /// Describes a stone of a colour on an empty cell, before it is placed.
    #[inline(always)]
    pub fn stone(&self, cell: Cell, colour: Colour) -> Stone {
        let beside = self.beside(cell, colour);
        // Consecutive neighbours of a hexagon touch each other, so the first one of each group is enough.
        let firsts = if self.grid.directions() == 6 { beside & !(beside << 1 | beside >> 5) } else { beside };
        let mut rest = if firsts == 0 { beside & 1 } else { firsts };
        let around = self.grid.around(cell);
        let mut stone = Stone { cell, colour, rim: self.grid.rim(cell), chains: [cell; 4], count: 0 };
        while rest != 0 {
            let chain = self.chains.root(around[rest.trailing_zeros() as usize]);
            stone.rim |= self.chains.rim_of_root(chain);
            stone.chains[stone.count & 3] = chain;
            stone.count += 1;
            rest &= rest - 1;
        }
        stone
    }

    /// Returns the directions across edges, as bits, in which a cell has neighbours of a colour.
    #[inline]
    pub(crate) fn beside(&self, cell: Cell, colour: Colour) -> u8 {
        self.beside[colour.index()][cell.index()]
    }

    /// Places a stone of the colour to move and removes captured stones. If the captured stones are not whole chains,
    /// chains are no longer tracked correctly.
    #[inline(always)]
    pub(crate) fn place(&mut self, stone: &Stone, captured: CellSet) {
        let Stone { cell, colour, .. } = *stone;
        (self.last, self.captured) = (Some(cell), captured);
        for taken in captured.cells() {
            self.empty.put(taken);
            self.stones[colour.other().index()].take(taken);
            self.show(taken, colour.other());
            self.captures[colour.index()] += 1;
        }
        self.empty.take(cell);
        self.stones[colour.index()].put(cell);
        self.show(cell, colour);
        self.chains.put(cell, self.grid.rim(cell));
        let mut root = cell;
        for chain in stone.chains.into_iter().take(stone.count) {
            // An earlier join may have given the chain another root.
            root = self.chains.join(root, self.chains.root(chain));
        }
    }

    /// Updates the neighbours of a cell after a stone of this colour was placed on it or removed from it.
    #[inline]
    fn show(&mut self, cell: Cell, colour: Colour) {
        let (beside, around) = (&mut self.beside[colour.index()], self.grid.around(cell));
        if self.grid.directions() == 6 {
            (0..6).for_each(|direction| beside[around[direction].index()] ^= 1 << ((direction + 3) % 6));
        } else {
            (0..4).for_each(|direction| beside[around[direction].index()] ^= 1 << ((direction + 2) % 4));
        }
    }

    #[inline]
    pub(crate) fn end_turn(&mut self) {
        self.turn = self.turn.other();
        self.swap = std::mem::take(&mut self.first);
    }

    /// Exchanges the players' colours. It remains the same colour's turn.
    pub(crate) fn exchange(&mut self) {
        self.black = self.black.other();
        self.swap = false;
    }
}

/// A stone on an empty cell, and the chains that it would join.
#[derive(Clone, Copy, Debug)]
pub struct Stone {
    /// The cell.
    pub cell: Cell,
    /// The colour of the stone.
    pub colour: Colour,
    /// The sides and corners that the stone's chain would touch.
    pub rim: u16,
    /// The roots of the chains that the stone would join. Only the first `count` are used.
    chains: [Cell; 4],
    count: usize,
}

impl Stone {
    /// Returns whether the stone would connect a chain with itself, around a cell without a stone of its colour. Only
    /// for boards of hexagons.
    #[inline]
    pub fn closes_loop(&self) -> bool {
        let [one, two, three, _] = self.chains;
        self.count > 1 && (one == two || self.count > 2 && (one == three || two == three))
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
    #[inline]
    pub(crate) fn outcome(self, by: Seat) -> Outcome {
        match self {
            End::Won(reason) => Outcome { winner: Some(by), reason },
            End::Lost(reason) => Outcome { winner: Some(by.other()), reason },
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

    /// Returns the opponent's colour.
    #[inline]
    pub const fn other(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }

    /// Returns 0 for Black, 1 for White.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the letter that represents pieces of the colour.
    pub const fn mark(self) -> char {
        self.side().mark
    }

    /// Returns the side that plays the colour.
    pub const fn side(self) -> Side {
        match self {
            Colour::Black => Side::new('b', "rules.black"),
            Colour::White => Side::new('w', "rules.white"),
        }
    }
}

impl Stones {
    /// Returns a shortest path over the stones in `over`, from one of the starts to an end.
    fn shortest(&self, over: &CellSet, starts: impl Iterator<Item = Cell>, is_end: impl Fn(Cell) -> bool) -> Vec<Cell> {
        let goes = |cell: &Cell| over.has(*cell);
        notation::shortest(starts.filter(goes), is_end, |cell| self.grid().neighbours(cell).filter(goes).collect())
    }

    /// Returns the stones in a stone's chain.
    pub fn chain(&self, stone: Cell) -> CellSet {
        self.chain_of(stone).collect()
    }

    /// Returns the stones in a stone's chain, in board order.
    pub(crate) fn chain_of(&self, stone: Cell) -> impl Iterator<Item = Cell> {
        let (all, root) = (self.at(stone).map(|colour| *self.of(colour)).unwrap_or_default(), self.chains.root(stone));
        all.cells().filter(move |cell| self.chains.root(*cell) == root)
    }

    /// Returns the smallest part of the chain of a stone that connects `count` of these sides and corners, given as
    /// bits of [`Grid::rim`](super::grid::Grid::rim); in board order.
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

    /// Returns the shortest ring that the last stone has closed, in board order.
    pub fn ring(&self, last: Cell) -> Vec<Cell> {
        let mut others = self.chain(last);
        others.take(last);
        let count = self.grid().directions();
        let seen = |direction: usize| self.grid().step(last, direction % count).filter(|cell| others.has(*cell));
        // Neighbours of the last stone that touch each other form one group.
        let group = |start: usize| -> CellSet { (start..start + count).map_while(seen).collect() };
        let groups = (0..count).filter(|direction| seen(direction + count - 1).is_none()).map(group);
        let around: CellSet = (0..count).filter_map(seen).collect();
        let ring = |group: CellSet| self.shortest(&others, group.cells(), |cell| around.has(cell) && !group.has(cell));
        let rings = groups.map(ring).filter(|ring| !ring.is_empty());
        let shortest = rings.min_by_key(Vec::len).unwrap_or_default();
        shortest.into_iter().chain([last]).collect::<CellSet>().cells().collect()
    }

    /// Returns the rows of stones of a colour through a cell, one for each axis of the grid. The cell may be empty.
    pub fn rows(&self, cell: Cell, colour: Colour) -> impl Iterator<Item = impl Iterator<Item = Cell>> {
        let ray = move |direction: usize| {
            let own = self.of(colour);
            let next = move |cell: &Cell| self.grid().step(*cell, direction).filter(|next| own.has(*next));
            std::iter::successors(next(&cell), next)
        };
        let row = move |axis: &[usize; 2]| [cell].into_iter().chain(axis.map(ray).into_iter().flatten());
        self.grid().axes().iter().map(row)
    }

    /// Returns the longest row of one colour through a stone, in board order.
    pub fn longest_row(&self, stone: Cell) -> Vec<Cell> {
        let rows = self.at(stone).into_iter().flat_map(|colour| self.rows(stone, colour));
        let longest = rows.map(Iterator::collect::<CellSet>).max_by_key(CellSet::count);
        longest.unwrap_or_default().cells().collect()
    }
}
