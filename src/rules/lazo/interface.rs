//! Implements the common game trait for Lazo's positions.

use super::position::{ARCH, Position, SURFACE_LOOP, stacks};
use super::pyramid::Stack;
use super::sides::{mark, side};
use super::winning::{self, Space};
use super::{moves, scene};
use crate::message;
use crate::rules::effects::{Effects, WinningCell};
use crate::rules::outcome::Outcome;
use crate::rules::refusal::Refusal;
use crate::rules::scene::Scene;
use crate::rules::seat::Seat;
use crate::text::Message;

impl crate::rules::position::Position for Position {
    type Move = Stack;
    /// Tiles never leave the board, so positions never repeat.
    type RepetitionKey = ();

    fn mover(&self) -> Seat {
        self.seat()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Stack> {
        stacks(*self.open().set())
    }

    #[inline]
    fn legal_count(&self) -> usize {
        self.open().count()
    }

    fn pick(&self, choose: impl FnOnce(usize) -> usize) -> Option<Stack> {
        match self.legal_count() {
            0 => None,
            count => self.open().get(choose(count)),
        }
    }

    fn play_unchecked(&mut self, stack: Stack) {
        let seat = self.seat();
        let completed = self.tiles.place(seat, stack);
        self.plies += 1;
        self.outcome = self.end(seat, completed);
    }

    fn parse(&self, text: &str) -> Result<Stack, Refusal> {
        moves::parse(self.pyramid(), text)
    }

    fn check(&self, stack: Stack) -> Result<(), Refusal> {
        moves::check(self, stack)
    }

    fn text(&self, stack: Stack) -> String {
        self.pyramid().name(stack)
    }

    fn effects(&self, _: &Position, stack: Stack) -> Effects {
        Effects { level: Some(self.tiles.height(stack)), ..Effects::default() }
    }

    fn winning_cells(&self, last: Stack) -> Vec<WinningCell> {
        let loop_ = match self.outcome {
            Some(Outcome { winner: Some(seat), reason: SURFACE_LOOP }) => {
                winning::surface_loop(&self.tiles, seat, last)
            }
            Some(Outcome { winner: Some(seat), reason: ARCH }) => winning::arch(&self.tiles, seat, last),
            _ => Vec::new(),
        };
        let cell = |space: Space| {
            let stack = self.pyramid().stack(space.row, space.number);
            WinningCell { cell: self.pyramid().name(stack), level: Some(space.level + 1) }
        };
        loop_.into_iter().map(cell).collect()
    }

    fn achievement(&self, _: Stack) -> Option<Message> {
        match self.outcome?.reason {
            SURFACE_LOOP => Some(message!("lazo.achievement-loop")),
            ARCH => Some(message!("lazo.achievement-arch")),
            _ => None,
        }
    }

    fn mark(&self, seat: Seat) -> char {
        mark(seat)
    }

    fn side(&self, seat: Seat) -> Message {
        side(seat)
    }

    fn aim(&self) -> Message {
        message!("lazo.aim")
    }

    fn scene(&self, last: Option<Stack>) -> Scene {
        scene::scene(&self.tiles, last)
    }
}
