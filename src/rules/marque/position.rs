//! Marque's positions: the stones, whose turn it is, and the little of the past that decides which moves are legal.

use super::board::{BOARD, Board, Placement, bit, cells, in_bases};
use super::formation::Formation;
use super::rings::{self, Rings};
use super::stones::Stones;
use super::{mark, moves, scene, side};
use crate::rules::bits;
use crate::rules::scene::Scene;
use crate::rules::{Outcome, Refusal, Seat};

/// A move: the number of its placement in board order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(pub(super) u8);

impl Move {
    pub(super) fn placement(self) -> Placement {
        BOARD.placements[usize::from(self.0)]
    }
}

/// A position of Marque.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    formation: Formation,
    pub(super) stones: Stones,
    /// Whose turn, were the game not over.
    pub(super) mover: Seat,
    /// Each seat's last move; none before the first. A player passed over keeps his.
    pub(super) last: [Option<Move>; 2],
    /// No ply yet, on an empty board.
    pub(super) opening: bool,
    outcome: Option<Outcome>,
}

/// The empty board, with the formation of a challenge without options.
impl Default for Position {
    fn default() -> Self {
        Position::new(Formation::default(), Stones::default(), Seat::First)
    }
}

impl Position {
    /// These stones, to be moved on by this seat; with the first move's restriction only when there are none.
    pub fn new(formation: Formation, stones: Stones, mover: Seat) -> Position {
        let opening = stones == Stones::default();
        let mut position = Position { formation, stones, mover, last: [None; 2], opening, outcome: None };
        position.give_turn(mover);
        position
    }

    /// Every move that fits in what is empty and is not the own last one: nearly all of them are legal.
    #[inline]
    fn candidates(&self, board: &Board) -> Moves {
        if self.opening {
            return Moves { singles: board.triangles, pairs: 0 };
        }
        let empty = self.stones.empty(board);
        let mut moves = Moves { singles: empty, pairs: rings::pairs(in_bases(empty)) };
        if let Some(last) = self.last[self.mover.index()] {
            moves.remove(last.placement().cells);
        }
        moves
    }

    /// Every legal move.
    fn moves(&self) -> Moves {
        let board = &*BOARD;
        let mut moves = self.candidates(board);
        if self.opening {
            return moves;
        }
        let lenders = self.stones.lenders(board, self.mover);
        for cell in cells(moves.singles).filter(|cell| board.adjacent[*cell] & lenders == 0) {
            moves.singles &= !bit(cell);
        }
        // A pair with an empty triangle beside it in its base needs no looking at.
        let empty = in_bases(self.stones.empty(board));
        let mut doubtful = moves.pairs & !(rings::on(empty) | rings::back(rings::back(empty)));
        while doubtful != 0 {
            let pair = doubtful & doubtful.wrapping_neg();
            let placement = board.placements[usize::from(board.pairs[pair.trailing_zeros() as usize])];
            if !self.stones.has_freedom(board, self.mover, placement) {
                moves.pairs &= !pair;
            }
            doubtful &= !pair;
        }
        moves
    }

    /// Gives the turn to `next`, or to the other when he has no legal move.
    fn give_turn(&mut self, next: Seat) {
        self.mover = next;
        if !self.has_move() {
            self.mover = next.other();
            if !self.has_move() {
                self.outcome = Some(Outcome { winner: None, reason: "no moves" });
            }
        }
    }

    fn has_move(&self) -> bool {
        let board = &*BOARD;
        let moves = self.candidates(board);
        let lenders = self.stones.lenders(board, self.mover);
        // Nearly always the first cell will do.
        cells(moves.singles).any(|cell| board.adjacent[cell] & lenders != 0) || self.moves().count() > 0
    }
}

/// A set of moves: single cells, and pairs by the first triangle in their ring.
#[derive(Clone, Copy)]
struct Moves {
    singles: u128,
    pairs: Rings,
}

impl Moves {
    fn remove(&mut self, set: u128) {
        if set.count_ones() == 1 {
            self.singles &= !set;
        } else {
            self.pairs &= !rings::pairs(in_bases(set));
        }
    }

    const fn has(&self, set: u128) -> bool {
        (set & (set - 1) == 0 && self.singles & set != 0) || (self.pairs & rings::pairs(in_bases(set)) != 0)
    }

    const fn count(&self) -> usize {
        (self.singles.count_ones() + self.pairs.count_ones()) as usize
    }

    /// The move of this number: single cells before pairs.
    #[inline]
    fn nth(&self, board: &Board, number: usize) -> Option<Move> {
        let (number, singles) = (number as u32, self.singles.count_ones());
        match number.checked_sub(singles) {
            None => Some(Move(board.singles[bits::nth_of_two(self.singles, number) as usize])),
            Some(number) if number < self.pairs.count_ones() => {
                Some(Move(board.pairs[bits::nth(self.pairs, number) as usize]))
            }
            Some(_) => None,
        }
    }
}

impl crate::rules::Position for Position {
    type Move = Move;
    type Standing = (u128, u128);

    #[inline]
    fn mover(&self) -> Seat {
        self.mover
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Move> {
        let moves = self.moves();
        let numbered = (0..).map(Move).zip(&BOARD.placements);
        numbered.filter(move |(_, placement)| moves.has(placement.cells)).map(|(mv, _)| mv)
    }

    #[inline]
    fn legal_count(&self) -> usize {
        self.moves().count()
    }

    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let board = &*BOARD;
        let mut moves = self.candidates(board);
        let lenders = self.stones.lenders(board, self.mover);
        // What is chosen and illegal is left out of the next choice, so that each legal move stays as likely.
        while moves.count() > 0 {
            let mv = moves.nth(board, below(moves.count()))?;
            let placement = board.placements[usize::from(mv.0)];
            let set = placement.cells;
            let single = set & (set - 1) == 0;
            let free = if single {
                placement.around & lenders != 0
            } else {
                self.stones.has_freedom(board, self.mover, placement)
            };
            if free || self.opening {
                return Some(mv);
            }
            moves.remove(set);
        }
        None
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        let board = &*BOARD;
        let placement = mv.placement();
        let seat = self.mover;
        self.stones.place(board, seat, placement);
        self.opening = false;
        self.last[seat.index()] = Some(mv);
        // Only this chain has grown, and a win comes before a draw.
        if self.stones.makes(board, self.formation, seat, placement.cells) {
            self.mover = seat.other();
            self.outcome = Some(Outcome { winner: Some(seat), reason: "formation" });
        } else {
            self.give_turn(seat.other());
        }
    }

    #[inline]
    fn standing(&self) -> Option<(u128, u128)> {
        // The last bit is no cell's.
        let mover = (self.mover.index() as u128) << 127;
        Some((self.stones.of(Seat::First) | mover, self.stones.of(Seat::Second)))
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        moves::parse(text)
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        moves::check(self, mv)
    }

    fn text(&self, mv: Move) -> String {
        BOARD.text(mv.placement().cells)
    }

    fn captured(&self, before: &Self) -> Vec<String> {
        let enemy = before.mover.other();
        let gone = before.stones.of(enemy) & !self.stones.of(enemy);
        BOARD.sites(gone).map(|site| site.name.clone()).collect()
    }

    fn mark(&self, seat: Seat) -> char {
        mark(seat)
    }

    fn side(&self, seat: Seat) -> &'static str {
        side(seat)
    }

    fn aim(&self) -> String {
        self.formation.aim()
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        scene::scene(&self.stones, last.map_or(0, |mv| mv.placement().cells))
    }
}
