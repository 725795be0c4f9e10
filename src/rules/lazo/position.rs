//! A position of Lazo: the tiles, whose turn it is, and the end.

use super::board::{BOARDS, Board, Stack, Stacks, WORDS};
use super::tiles::{Loop, Tiles};
use super::{moves, scene};
use crate::rules::scene::Scene;
use crate::rules::{Outcome, Refusal, Seat, bits};

/// What stands on a board of Lazo, and whose turn it is: less than a kilobyte, copied as a block.
#[derive(Clone, Debug)]
pub struct Position {
    tiles: Tiles,
    plies: u16,
    outcome: Option<Outcome>,
}

/// The largest board, without a tile.
impl Default for Position {
    fn default() -> Self {
        Position::new(&BOARDS[0])
    }
}

impl Position {
    pub(super) fn new(board: &'static Board) -> Position {
        Position { tiles: Tiles::none(board), plies: 0, outcome: None }
    }

    pub(super) fn board(&self) -> &'static Board {
        self.tiles.board()
    }

    pub(super) fn tiles(&self) -> &Tiles {
        &self.tiles
    }

    /// The stacks that the player to move may add to.
    pub(super) fn open(&self) -> &Stacks {
        self.tiles.legal(self.seat())
    }

    fn seat(&self) -> Seat {
        if self.plies.is_multiple_of(2) { Seat::First } else { Seat::Second }
    }

    /// How the game stands after a ply of this seat that completed this loop, or none.
    fn end(&self, seat: Seat, completed: Option<Loop>) -> Option<Outcome> {
        let (winner, reason) = match completed {
            Some(Loop::Surface) => (Some(seat), "surface loop"),
            Some(Loop::Arch) => (Some(seat), "arch"),
            None if self.plies == self.board().spaces => (None, "pyramid full"),
            None if self.plies == self.board().tiles => (None, "tiles played"),
            None if *self.open() == [0; WORDS] => (Some(seat), "no moves"),
            None => return None,
        };
        Some(Outcome { winner, reason })
    }
}

/// The stacks of a set, in board order.
pub(super) fn stacks(set: Stacks) -> impl Iterator<Item = Stack> {
    (0..).zip(set).flat_map(|(word, mut bits)| {
        std::iter::from_fn(move || {
            let bit = (bits != 0).then(|| bits.trailing_zeros() as u8)?;
            bits &= bits - 1;
            Some(Stack(64 * word + bit))
        })
    })
}

impl crate::rules::Position for Position {
    type Move = Stack;
    /// No tile ever leaves the board.
    type Standing = ();

    fn mover(&self) -> Seat {
        self.seat()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Stack> {
        stacks(*self.open())
    }

    fn legal_count(&self) -> usize {
        self.open().iter().map(|word| word.count_ones() as usize).sum()
    }

    fn pick(&self, choose: impl FnOnce(usize) -> usize) -> Option<Stack> {
        let mut number = u32::try_from(choose(self.legal_count())).ok()?;
        for (word, stacks) in (0..).zip(*self.open()) {
            let count = stacks.count_ones();
            if number < count {
                return Some(Stack(64 * word + bits::nth(stacks, number) as u8));
            }
            number -= count;
        }
        None
    }

    fn play_unchecked(&mut self, stack: Stack) {
        let seat = self.seat();
        let completed = self.tiles.place(seat, stack);
        self.plies += 1;
        self.outcome = self.end(seat, completed);
    }

    fn parse(&self, text: &str) -> Result<Stack, Refusal> {
        moves::parse(self.board(), text)
    }

    fn check(&self, stack: Stack) -> Result<(), Refusal> {
        moves::check(self, stack)
    }

    fn text(&self, stack: Stack) -> String {
        self.board().name(stack)
    }

    fn captured(&self, _: &Position) -> Vec<String> {
        Vec::new()
    }

    fn mark(&self, seat: Seat) -> char {
        super::mark(seat)
    }

    fn side(&self, seat: Seat) -> &'static str {
        super::side(seat)
    }

    fn aim(&self) -> String {
        "Complete a loop of your tiles: around a space of level 1, or as an arch over two or more of the other's tiles."
            .to_owned()
    }

    fn scene(&self, last: Option<Stack>) -> Scene {
        scene::scene(&self.tiles, last)
    }
}
