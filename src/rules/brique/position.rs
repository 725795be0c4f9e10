//! Brique's positions: the stones, which of them are joined to an edge, and who plays which colour.

use super::cells::{Cell, Counted, LEAST, MOST, Set, Window};
use super::{moves, scene};
use crate::rules::scene::Scene;
use crate::rules::{Outcome, Refusal, Seat};

/// The colour of a stone. It belongs to a seat until the players exchange colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    /// Owns the top and the bottom edge, and moves first.
    Black,
    /// Owns the left and the right edge.
    White,
}

impl Colour {
    pub(super) const BOTH: [Colour; 2] = [Colour::Black, Colour::White];

    pub(super) const fn other(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }

    /// The letter its stones are drawn with.
    pub(super) const fn mark(self) -> char {
        match self {
            Colour::Black => 'b',
            Colour::White => 'w',
        }
    }

    /// What it is called in a sentence.
    pub(super) const fn side(self) -> &'static str {
        match self {
            Colour::Black => "Black (b)",
            Colour::White => "White (w)",
        }
    }
}

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    empty: Counted,
    /// By colour.
    stones: [Set; 2],
    /// By colour: what lies outside of its first edge (top, left), and the stones that a chain joins to that.
    joined: [Set; 2],
    /// By colour: the squares along its other edge, where a chain from the first has won.
    far: [Set; 2],
    /// Who plays Black.
    black: Seat,
    turn: Colour,
    /// No ply yet.
    opening: bool,
    /// It is White's first turn, when he may swap.
    swap: bool,
    /// The squares beside the last stone that fell to its colour with it.
    fell: Window,
    outcome: Option<Outcome>,
}

/// The empty board of the designer's size.
impl Default for Position {
    fn default() -> Self {
        Position::new(super::SIZE)
    }
}

impl Position {
    /// Stones set up in rows from the top, `B`, `W` or `.` for each square, the first seat playing Black; `None` when
    /// that is no square board of 5 to 19 rows.
    ///
    /// A board is otherwise reached by moves alone. This is for the rules' tests: nothing falls by setting up, and a
    /// chain that stands has won.
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
                    position.outcome = Some(Outcome { winner: Some(position.seat(colour)), reason: "chain" });
                }
            }
        }
        Some(position)
    }

    /// An empty board with so many squares a side.
    ///
    /// # Panics
    /// When they are fewer than 5 or more than 19.
    pub fn new(size: u16) -> Position {
        assert!((LEAST..=MOST).contains(&size), "a board has 5 to 19 squares a side");
        Position {
            size,
            empty: Counted::new(Set::board(size)),
            stones: Default::default(),
            joined: [Set::beyond_top(size), Set::beyond_left(size)],
            far: [Set::bottom(size), Set::right(size)],
            black: Seat::First,
            turn: Colour::Black,
            opening: true,
            swap: false,
            fell: Window::default(),
            outcome: None,
        }
    }

    /// The squares of a side.
    pub fn size(&self) -> u16 {
        self.size
    }

    pub(super) const fn may_swap(&self) -> bool {
        self.swap
    }

    /// The squares whose stones this last move put there: the one named, and those that fell with it.
    pub(super) fn settled_by(&self, mv: Move) -> Set {
        let mut set = Set::default();
        if let Move::Place(cell) = mv {
            set.put(cell);
            self.fell.beside(Window::default(), cell).for_each(|square| set.put(square));
        }
        set
    }

    /// The colour of the stone on a square.
    pub(super) fn at(&self, cell: Cell) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|colour| self.stones[*colour as usize].has(cell))
    }

    /// The seat that plays a colour.
    fn seat(&self, colour: Colour) -> Seat {
        match colour {
            Colour::Black => self.black,
            Colour::White => self.black.other(),
        }
    }

    fn colour(&self, seat: Seat) -> Colour {
        if seat == self.black { Colour::Black } else { Colour::White }
    }

    /// Puts a stone on a square; an enemy stone there is removed.
    fn settle(&mut self, cell: Cell, colour: Colour) {
        let (own, enemy) = (colour as usize, colour.other() as usize);
        if self.empty.set().has(cell) {
            self.empty.take(cell);
        } else {
            // No other stone loses its way to an edge: what the removed one still has beside it of its own colour are
            // at most two stones, and they are the escorts of a square that joins them.
            self.stones[enemy].take(cell);
            self.joined[enemy].take(cell);
        }
        self.stones[own].put(cell);
    }

    /// Takes account of a new stone and of those that fell beside it; true when they complete a chain from edge to
    /// edge.
    fn join(&mut self, fresh: &[Cell], colour: Colour) -> bool {
        let colour = colour as usize;
        let joined = &mut self.joined[colour];
        fresh.iter().any(|cell| joined.around(*cell).touches())
            && grow(joined, &self.stones[colour], &self.far[colour], fresh[0])
    }

    fn place(&mut self, cell: Cell) {
        let colour = self.turn;
        self.settle(cell, colour);
        self.fell = cell.falling(self.stones[colour as usize].around(cell));
        let (mut fresh, mut count) = ([cell; 3], 1);
        for square in self.fell.beside(Window::default(), cell) {
            self.settle(square, colour);
            fresh[count] = square;
            count += 1;
        }
        // Only the mover can have won: the enemy's chains have not grown.
        if self.join(&fresh[..count], colour) {
            self.outcome = Some(Outcome { winner: Some(self.seat(colour)), reason: "chain" });
        }
    }
}

/// Adds a stone to those that are joined to an edge, and every one that it joins; true when they reach the far edge.
/// Each stone is added once in a game, so that this costs no more than the stones.
fn grow(joined: &mut Set, stones: &Set, far: &Set, cell: Cell) -> bool {
    joined.put(cell);
    let mut reached = far.has(cell);
    for beside in stones.around(cell).beside(joined.around(cell), cell) {
        if !joined.has(beside) {
            reached |= grow(joined, stones, far, beside);
        }
    }
    reached
}

impl crate::rules::Position for Position {
    type Move = Move;
    type Standing = ();

    #[inline]
    fn mover(&self) -> Seat {
        self.seat(self.turn)
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Move> {
        self.empty.set().cells().map(Move::Place).chain(self.swap.then_some(Move::Swap))
    }

    #[inline]
    fn legal_count(&self) -> usize {
        usize::from(self.empty.count()) + usize::from(self.swap)
    }

    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let number = below(self.legal_count());
        if self.swap && number == usize::from(self.empty.count()) {
            return Some(Move::Swap);
        }
        self.empty.nth(u16::try_from(number).ok()?).map(Move::Place)
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        match mv {
            Move::Place(cell) => {
                self.place(cell);
                self.turn = self.turn.other();
                self.swap = std::mem::take(&mut self.opening);
            }
            // White is still to move, and the other player is White now.
            Move::Swap => {
                self.black = self.black.other();
                self.swap = false;
            }
        }
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        moves::parse(text, self.size)
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        moves::check(self, mv)
    }

    fn text(&self, mv: Move) -> String {
        moves::text(mv, self.size)
    }

    fn captured(&self, before: &Self) -> Vec<String> {
        let (own, enemy) = (before.turn as usize, before.turn.other() as usize);
        let fallen = before.stones[enemy].and(&self.stones[own]);
        fallen.cells().map(|cell| cell.name(self.size)).collect()
    }

    fn mark(&self, seat: Seat) -> char {
        self.colour(seat).mark()
    }

    fn side(&self, seat: Seat) -> &'static str {
        self.colour(seat).side()
    }

    fn aim(&self) -> String {
        let aim = "Black (b) joins the top and the bottom edge with one chain, White (w) the left and the right edge.";
        let swap = " White may swap now: the players would exchange colours, and the stone stay.";
        format!("{aim}{}", if self.swap { swap } else { "" })
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        scene::scene(self, last)
    }
}
