//! Implements the common game trait for Brique's positions.

use super::cells::Cell;
use super::colour::Colour;
use super::position::{Move, Position};
use super::{chain, moves, scene};
use crate::message;
use crate::rules::effects::{Effects, WinningCell};
use crate::rules::outcome::Outcome;
use crate::rules::refusal::Refusal;
use crate::rules::scene::Scene;
use crate::rules::seat::Seat;
use crate::text::Message;

impl crate::rules::position::Position for Position {
    type Move = Move;
    type RepetitionKey = ();

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
        self.empty.count() + usize::from(self.swap)
    }

    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let number = below(self.legal_count());
        if self.swap && number == self.empty.count() {
            return Some(Move::Swap);
        }
        self.empty.get(number).map(Move::Place)
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        match mv {
            Move::Place(cell) => {
                self.place(cell);
                self.turn = self.turn.other();
                self.swap = std::mem::take(&mut self.opening);
            }
            // White is still to move, but the other player is White now.
            Move::Swap => {
                self.black = self.black.other();
                self.swap = false;
            }
        }
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        moves::parse(text, self.size())
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        moves::check(self, mv)
    }

    fn text(&self, mv: Move) -> String {
        moves::text(mv, self.size())
    }

    fn effects(&self, before: &Self, mv: Move) -> Effects {
        let Move::Place(placed) = mv else {
            return Effects { swapped: Some(Seat::BOTH.map(|seat| self.mark(seat))), ..Effects::default() };
        };
        let name = |cell: Cell| cell.name(self.size());
        let (own, enemy) = (before.turn as usize, before.turn.other() as usize);
        let fallen = before.stones[enemy].and(&self.stones[own]);
        let filled = self.settled_by(mv).cells().filter(|cell| *cell != placed);
        Effects {
            captured: fallen.cells().map(name).collect(),
            filled: filled.map(name).collect(),
            ..Effects::default()
        }
    }

    fn winning_cells(&self, _: Move) -> Vec<WinningCell> {
        let winner = self.outcome.and_then(|outcome| outcome.winner).map(|seat| self.colour(seat));
        let chain = winner.map(|colour| chain::across(self, colour)).unwrap_or_default();
        chain.into_iter().map(|cell| WinningCell::flat(cell.name(self.size()))).collect()
    }

    fn achievement(&self, _: Move) -> Option<Message> {
        let colour = self.colour(self.outcome?.winner?);
        Some(match colour {
            Colour::Black => message!("brique.achievement-of-black"),
            Colour::White => message!("brique.achievement-of-white"),
        })
    }

    fn mark(&self, seat: Seat) -> char {
        self.colour(seat).mark()
    }

    fn side(&self, seat: Seat) -> Message {
        self.colour(seat).side()
    }

    fn aim(&self) -> Message {
        message!("brique.aim", may_swap = self.swap)
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        scene::scene(self, last)
    }
}
