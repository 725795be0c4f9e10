//! Implements the common traits for Brique's positions.

use super::cells::{self, Cell};
use super::position::{Move, Position};
use super::{chain, moves, scene};
use crate::message;
use crate::rules::effects::{Effects, WinningCell};
use crate::rules::kit::Colour;
use crate::rules::notation::Notation;
use crate::rules::options::Options;
use crate::rules::outcome::Outcome;
use crate::rules::position::{Described, Playouts};
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::rules::scene::Scene;
use crate::rules::seat::{Seat, Side};
use crate::text::Message;

impl crate::rules::position::Position for Position {
    type Move = Move;
    type RepetitionKey = ();

    const PLAYOUTS: Playouts = [20, 32, 44, 68, 110, 175, 290, 540, 1_150, 2_700, 6_500, 16_000];

    /// Of some two hundred moves, few are worth a visit. The results of later moves show which.
    const EXPLORATION: f32 = 0.0;

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

    /// A player who does not answer a stone between their own stones loses the part that it cuts off.
    fn choose(&self, last: Move, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        match self.answers(last).count() {
            0 => self.pick(below),
            count => self.answers(last).nth(below(count)),
        }
    }
}

impl Described for Position {
    const NOTATION: Notation = Notation { ordered: &[], words: &[moves::SWAP] };

    fn start(options: &Options) -> Result<Position, Refusal> {
        let Some((name, value)) = options.iter().next() else { return Ok(Position::default()) };
        let value = value.unwrap_or_default();
        // The text is stored unchanged, so each number must have one spelling.
        let known = cells::SIZES.into_iter().find(|size| name == "size" && size.to_string() == value);
        known.map(Position::new).ok_or_else(|| {
            let message = message!("brique.no-such-size");
            Refusal::new(RefusalKind::Options, format!("-{name}={value}"), message)
        })
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
            return Effects { swapped: Some(Seat::BOTH.map(|seat| self.side(seat).mark)), ..Effects::default() };
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

    fn side(&self, seat: Seat) -> Side {
        self.colour(seat).side()
    }

    fn aim(&self) -> Message {
        message!("brique.aim", may_swap = self.swap)
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        scene::scene(self, last)
    }
}
