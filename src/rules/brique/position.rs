//! Brique's positions: the stones, which of them are joined to an edge, and who plays which colour.

use super::cells::{Cell, CellSet, LEAST, ListedSet, MOST, Neighbourhood, USUAL};
use super::colour::Colour;
use crate::rules::outcome::{EndReason, Outcome};
use crate::rules::seat::Seat;

/// A chain joins two opposite edges.
const CHAIN: EndReason = EndReason::new("chain");

/// A move of Brique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A stone on an empty square.
    Place(Cell),
    /// The pie rule: the players exchange colours, and the stone stays as it is.
    Swap,
}

/// A position of Brique.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    size: u16,
    pub(super) empty: ListedSet,
    /// The stones of each colour.
    pub(super) stones: [CellSet; 2],
    /// For each colour, the places outside its first edge (top, left) and the stones that a chain joins to them.
    joined: [CellSet; 2],
    /// For each colour, the squares along its other edge, where a chain from the first one wins.
    far: [CellSet; 2],
    /// The seat that plays Black.
    pub(super) black: Seat,
    pub(super) turn: Colour,
    /// Whether no ply has been played.
    pub(super) opening: bool,
    /// Whether it is White's first turn, when they may swap.
    pub(super) swap: bool,
    /// The squares beside the last stone that fell to its colour with it.
    fell: Neighbourhood,
    pub(super) outcome: Option<Outcome>,
}

/// The empty board of the designer's size.
impl Default for Position {
    fn default() -> Self {
        Position::new(USUAL)
    }
}

impl Position {
    /// Sets up stones in rows from the top, `B`, `W` or `.` for each square, the first seat playing Black; `None` when
    /// this is not a square board of 5 to 19 rows.
    ///
    /// This is for tests of the rules. Nothing falls by setting up, and a chain that stands has won.
    pub fn from_rows(rows: &[&str], mover: Seat) -> Option<Position> {
        let size = u16::try_from(rows.len()).ok().filter(|size| (LEAST..=MOST).contains(size))?;
        let mut position = Position::new(size);
        (position.turn, position.opening) = (position.colour(mover), false);
        for (row, line) in rows.iter().enumerate() {
            if line.chars().count() != rows.len() {
                return None;
            }
            for (column, square) in line.chars().enumerate() {
                let colour = match square {
                    'B' => Colour::Black,
                    'W' => Colour::White,
                    '.' => continue,
                    _ => return None,
                };
                let cell = Cell::at(row as u16, column as u16);
                position.settle(cell, colour);
                if position.join(&[cell], colour) {
                    position.outcome = Some(Outcome { winner: Some(position.seat(colour)), reason: CHAIN });
                }
            }
        }
        Some(position)
    }

    /// Makes an empty board with this number of squares a side.
    ///
    /// # Panics
    /// When they are fewer than 5 or more than 19.
    pub fn new(size: u16) -> Position {
        assert!((LEAST..=MOST).contains(&size), "a board has 5 to 19 squares a side");
        Position {
            size,
            empty: ListedSet::new(CellSet::board(size)),
            stones: Default::default(),
            joined: [CellSet::beyond_top(size), CellSet::beyond_left(size)],
            far: [CellSet::bottom(size), CellSet::right(size)],
            black: Seat::First,
            turn: Colour::Black,
            opening: true,
            swap: false,
            fell: Neighbourhood::default(),
            outcome: None,
        }
    }

    /// The number of squares of a side.
    pub fn size(&self) -> u16 {
        self.size
    }

    pub(super) const fn may_swap(&self) -> bool {
        self.swap
    }

    /// The squares that the last move filled: the one it names, and those that fell with it.
    pub(super) fn settled_by(&self, mv: Move) -> CellSet {
        let mut set = CellSet::default();
        if let Move::Place(cell) = mv {
            set.put(cell);
            self.fell.beside(Neighbourhood::default(), cell).for_each(|square| set.put(square));
        }
        set
    }

    /// The colour of the stone on a square.
    pub(super) fn at(&self, cell: Cell) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|colour| self.stones[*colour as usize].has(cell))
    }

    /// The seat that plays a colour.
    pub(super) fn seat(&self, colour: Colour) -> Seat {
        match colour {
            Colour::Black => self.black,
            Colour::White => self.black.other(),
        }
    }

    pub(super) fn colour(&self, seat: Seat) -> Colour {
        if seat == self.black { Colour::Black } else { Colour::White }
    }

    /// The moves that answer the last one close by: they take the stone, or join two that it keeps apart.
    pub fn answers(&self, last: Move) -> impl Iterator<Item = Move> {
        let cell = if let Move::Place(cell) = last { Some(cell) } else { None };
        let own = &self.stones[self.turn as usize];
        let answers = cell.into_iter().flat_map(|cell| cell.answers(own));
        answers.filter(|cell| self.empty.set().has(*cell)).map(Move::Place)
    }

    /// Puts a stone on a square; an enemy stone there is removed.
    fn settle(&mut self, cell: Cell, colour: Colour) {
        let (own, enemy) = (colour as usize, colour.other() as usize);
        if self.empty.set().has(cell) {
            self.empty.take(cell);
        } else {
            // No other stone is cut off from an edge: the removed one has at most two stones of its own colour beside
            // it, and they are the escorts of a square that joins them.
            self.stones[enemy].take(cell);
            self.joined[enemy].take(cell);
        }
        self.stones[own].put(cell);
    }

    /// Joins a new stone and those that fell beside it to the chains; true when they complete a chain from edge to
    /// edge.
    fn join(&mut self, fresh: &[Cell], colour: Colour) -> bool {
        let colour = colour as usize;
        let joined = &mut self.joined[colour];
        fresh.iter().any(|cell| joined.around(*cell).touches())
            && grow(joined, &self.stones[colour], &self.far[colour], fresh[0])
    }

    pub(super) fn place(&mut self, cell: Cell) {
        let colour = self.turn;
        self.settle(cell, colour);
        self.fell = cell.falling(self.stones[colour as usize].around(cell));
        let (mut fresh, mut count) = ([cell; 3], 1);
        for square in self.fell.beside(Neighbourhood::default(), cell) {
            self.settle(square, colour);
            fresh[count] = square;
            count += 1;
        }
        // Only the player who moved can have won: the enemy's chains have not grown.
        if self.join(&fresh[..count], colour) {
            self.outcome = Some(Outcome { winner: Some(self.seat(colour)), reason: CHAIN });
        }
    }
}

/// Adds a stone to those that are joined to an edge, and every one that it joins; true when they reach the far edge.
/// Each stone is added once in a game, so the whole cost is proportional to the stones.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position as _;

    #[test]
    fn answers_take_the_last_stone_or_join_two_that_it_keeps_apart() {
        let (mut dice, mut takes, mut joins) = (1_u64, 0, 0);
        for size in [5, 8, 15, 19].into_iter().cycle().take(80) {
            let mut position = Position::new(size);
            while position.outcome().is_none() {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let last = position.pick(|count| (dice >> 33) as usize % count).unwrap();
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
