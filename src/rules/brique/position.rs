//! Brique's positions: the stones, those connected to an edge, the player of each colour, and the winning chain.

use super::cells::{Cell, CellSet, ListedSet, Neighbourhood, SIZES, USUAL};
use crate::rules::kit::{self, Colour, Grid, Shape};
use crate::rules::notation;
use crate::rules::outcome::{EndReason, Outcome, Seat};

/// A chain joins two opposite edges.
const CHAIN: EndReason = EndReason::new("chain");

/// A move of Brique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Places a stone on an empty square.
    Place(Cell),
    /// The pie rule: the players exchange colours. The stone remains.
    Swap,
}

/// A position of Brique.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(crate) grid: &'static Grid,
    pub(crate) empty: ListedSet,
    pub(crate) stones: [CellSet; 2],
    /// For each colour, the squares outside its first edge (top or left) and the stones connected to them.
    joined: [CellSet; 2],
    /// For each colour, the squares along its other edge. A chain that reaches one of them wins.
    far: [CellSet; 2],
    /// The seat that plays Black.
    pub(crate) black: Seat,
    pub(crate) turn: Colour,
    /// Whether no ply has been played.
    pub(crate) opening: bool,
    /// Whether White may swap, which is possible only on their first turn.
    pub(crate) swap: bool,
    /// The neighbouring squares that the last move filled.
    fell: Neighbourhood,
    pub(crate) outcome: Option<Outcome>,
}

/// The empty board of the designer's size.
impl Default for Position {
    fn default() -> Self {
        Position::new(USUAL)
    }
}

impl Position {
    /// Sets up stones from rows, top first, with `B`, `W` or `.` for each square. The first seat plays Black. Returns
    /// `None` unless this is a square board of 5 to 19 rows.
    ///
    /// For tests of the rules. Setting up stones fills no other squares. If a chain is complete, the game has ended.
    pub fn from_rows(rows: &[&str], to_move: Seat) -> Option<Position> {
        let size = u16::try_from(rows.len()).ok().filter(|size| SIZES.contains(size))?;
        let mut position = Position::new(size);
        (position.turn, position.opening) = (position.colour(to_move), false);
        if rows.iter().any(|line| line.chars().count() != rows.len()) {
            return None;
        }
        for (cell, square) in position.grid.cells().zip(rows.iter().flat_map(|line| line.chars())) {
            let colour = match square {
                'B' => Colour::Black,
                'W' => Colour::White,
                '.' => continue,
                _ => return None,
            };
            let cell = Cell::of(cell, position.grid);
            position.settle(cell, colour);
            if position.join(&[cell], colour) {
                position.outcome = Some(Outcome { winner: Some(position.seat(colour)), reason: CHAIN });
            }
        }
        Some(position)
    }

    /// Creates an empty board with sides of this many squares.
    ///
    /// # Panics
    /// If the number is below 5 or above 19.
    pub fn new(size: u16) -> Position {
        assert!(SIZES.contains(&size), "a board has 5 to 19 squares a side");
        let grid = Grid::of(Shape::Square, size);
        Position {
            grid,
            empty: ListedSet::new(CellSet::of(grid.cells(), grid)),
            stones: Default::default(),
            joined: Colour::BOTH.map(|colour| CellSet::beyond(colour, grid)),
            far: Colour::BOTH.map(|colour| CellSet::of(grid.on_rim(kit::sides(colour)[1]), grid)),
            black: Seat::First,
            turn: Colour::Black,
            opening: true,
            swap: false,
            fell: Neighbourhood::default(),
            outcome: None,
        }
    }

    /// Returns the squares that the last move filled, including the one that it names.
    pub(crate) fn settled_by(&self, mv: Move) -> CellSet {
        let mut set = CellSet::default();
        if let Move::Place(cell) = mv {
            set.put(cell);
            self.fell.beside(Neighbourhood::default(), cell).for_each(|square| set.put(square));
        }
        set
    }

    pub(crate) fn at(&self, cell: Cell) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|colour| self.stones[*colour as usize].has(cell))
    }

    pub(crate) fn seat(&self, colour: Colour) -> Seat {
        match colour {
            Colour::Black => self.black,
            Colour::White => self.black.other(),
        }
    }

    pub(crate) fn colour(&self, seat: Seat) -> Colour {
        if seat == self.black { Colour::Black } else { Colour::White }
    }

    /// Returns the moves near the last move that answer it: they capture its stone, or join two stones that it
    /// separates.
    pub(crate) fn answers(&self, last: Move) -> impl Iterator<Item = Move> {
        let cell = if let Move::Place(cell) = last { Some(cell) } else { None };
        let own = &self.stones[self.turn as usize];
        let answers = cell.into_iter().flat_map(|cell| cell.answers(own));
        answers.filter(|cell| self.empty.set().has(*cell)).map(Move::Place)
    }

    /// Puts a stone on a square. An enemy stone that is already there is removed.
    fn settle(&mut self, cell: Cell, colour: Colour) {
        let (own, enemy) = (colour as usize, colour.other() as usize);
        if self.empty.set().has(cell) {
            self.empty.take(cell);
        } else {
            // No other stone loses its connection to an edge. The removed stone has at most two neighbours of its
            // colour, and these are the escorts of another square, whose stone joins them.
            self.stones[enemy].take(cell);
            self.joined[enemy].take(cell);
        }
        self.stones[own].put(cell);
    }

    /// Connects the new stones to the chains. Returns true if they complete a chain from edge to edge.
    fn join(&mut self, fresh: &[Cell], colour: Colour) -> bool {
        let colour = colour as usize;
        let joined = &mut self.joined[colour];
        fresh.iter().any(|cell| joined.around(*cell).touches())
            && grow(joined, &self.stones[colour], &self.far[colour], fresh[0])
    }

    pub(crate) fn place(&mut self, cell: Cell) {
        let colour = self.turn;
        self.settle(cell, colour);
        self.fell = cell.falling(self.stones[colour as usize].around(cell));
        let (mut fresh, mut count) = ([cell; 3], 1);
        for square in self.fell.beside(Neighbourhood::default(), cell) {
            self.settle(square, colour);
            fresh[count] = square;
            count += 1;
        }
        // Only the player who moved can have won, because the enemy's chains have not grown.
        if self.join(&fresh[..count], colour) {
            self.outcome = Some(Outcome { winner: Some(self.seat(colour)), reason: CHAIN });
        }
    }
}

/// Adds a stone that is connected to the first edge to `joined`, with every stone that it connects to that edge.
/// Returns true if one of them is on the far edge. Each stone is added at most once in a game, so the total cost is
/// proportional to the number of stones.
fn grow(joined: &mut CellSet, stones: &CellSet, far: &CellSet, cell: Cell) -> bool {
    joined.put(cell);
    let mut reached = far.has(cell);
    for beside in stones.around(cell).beside(joined.around(cell), cell) {
        if !joined.has(beside) {
            reached |= grow(joined, stones, far, beside);
        }
    }
    reached
}

/// Returns the squares of a shortest chain of a colour between its two edges, in board order. Empty if there is no
/// chain.
pub(crate) fn across(position: &Position, colour: Colour) -> Vec<kit::Cell> {
    let grid = position.grid;
    let held = |cell: &kit::Cell| position.at(Cell::of(*cell, grid)) == Some(colour);
    let [first, second] = kit::sides(colour);
    let starts = grid.on_rim(first).filter(held);
    let is_end = |cell| grid.rim(cell) & second != 0;
    // Try upwards and to the left first. The order decides which of several equally short chains is found.
    let beside =
        |cell| [3, 2, 0, 1].into_iter().filter_map(|direction| grid.step(cell, direction)).filter(held).collect();
    let mut chain = notation::shortest(starts, is_end, beside);
    chain.sort();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position as _;

    #[test]
    fn answers_capture_or_bypass_the_last_stone() {
        let (mut random, mut takes, mut joins) = (1_u64, 0, 0);
        for size in [5, 8, 15, 19].into_iter().cycle().take(80) {
            let mut position = Position::new(size);
            while position.outcome().is_none() {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let last = position.pick(|count| (random >> 33) as usize % count).unwrap();
                position.play_unchecked(last);
                let Move::Place(stone) = last else { continue };
                if position.outcome().is_some() {
                    break;
                }
                let answers: Vec<Move> = position.answers(last).collect();
                for mv in position.legal() {
                    let own = position.stones[position.turn as usize];
                    let mut next = position;
                    next.play_unchecked(mv);
                    let is_taken = next.at(stone) == Some(position.turn);
                    assert!(!is_taken || answers.contains(&mv), "{position:?}, {mv:?}");
                    if let Move::Place(cell) = mv
                        && answers.contains(&mv)
                    {
                        let beside = own.around(cell).beside(Neighbourhood::default(), cell).count();
                        assert!(is_taken || beside >= 2, "{position:?}, {mv:?}");
                        takes += usize::from(is_taken);
                        joins += usize::from(!is_taken);
                    }
                }
            }
        }
        assert!(takes > 100 && joins > 100, "{takes}, {joins}");
    }
}
