//! Implements the common traits for Tessella's positions.

use super::position::{Move, Position};
use super::position::{PIECES, SIDES, WINNING};
use super::spaces::{COUNT, SPACES, Targets, bit, spaces};
use super::{moves, scene};
use crate::message;
use crate::rules::bits;
use crate::rules::effects::Effects;
use crate::rules::notation::Notation;
use crate::rules::options::Options;
use crate::rules::outcome::{EndReason, Outcome};
use crate::rules::position::{Described, Playouts};
use crate::rules::refusal::Refusal;
use crate::rules::scene::Scene;
use crate::rules::seat::{Seat, Side};
use crate::text::Message;

/// A player captured enough pieces.
const CAPTURES: EndReason = EndReason::new("captures");

impl crate::rules::position::Position for Position {
    type Move = Move;
    type RepetitionKey = u128;

    const PLAYOUTS: Playouts = [20, 35, 55, 100, 180, 320, 600, 1_200, 2_600, 6_000, 14_000, 33_000];

    #[inline]
    fn mover(&self) -> Seat {
        self.mover
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Move> {
        let generator = self.generator();
        spaces(self.of(self.mover)).flat_map(move |from| self.of_piece(from, generator.targets(from).set()))
    }

    #[inline]
    fn legal_count(&self) -> usize {
        self.legal_count()
    }

    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let (mut pieces, generator) = ([(0, Targets::default()); PIECES], self.generator());
        for (piece, from) in pieces.iter_mut().zip(spaces(self.of(self.mover))) {
            *piece = (from, generator.targets(from));
        }
        let counts = pieces.map(|(_, targets)| targets.count());
        let number = match counts.iter().sum::<u32>() {
            0 => return None,
            count => below(count as usize) as u32,
        };
        let (piece, number) = bits::within(counts, number);
        let (from, targets) = (pieces[piece].0, pieces[piece].1.set());
        let (steps, captured) = (targets & !self.occupied(), targets & self.occupied());
        let captures = number >= steps.count_ones();
        // Without a branch, because it would be unpredictable.
        let (set, before) = if captures { (captured, steps.count_ones()) } else { (steps, 0) };
        Some(Move { from: from as u8, to: bits::nth(set, number - before) as u8, captures })
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        let seat = self.mover;
        let (from, to) = (bit(usize::from(mv.from)), bit(usize::from(mv.to)));
        self.pieces[seat.index()] ^= from | to;
        if mv.captures {
            self.pieces[seat.other().index()] ^= to;
            if self.captures(seat) == WINNING {
                self.mover = seat.other();
                self.outcome = Some(Outcome { winner: Some(seat), reason: CAPTURES });
                return;
            }
        }
        self.give_turn(seat.other());
    }

    #[inline]
    fn repetition_key(&self) -> Option<u128> {
        let [first, second] = self.pieces.map(u128::from);
        Some(first | second << COUNT | (self.mover.index() as u128) << (2 * COUNT))
    }

    /// Four captures win, so capturing is nearly always best.
    fn choose(&self, _: Move, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let capture = if below(4) < 3 { self.pick_capture(&mut below) } else { None };
        capture.or_else(|| self.pick(below))
    }
}

impl Described for Position {
    const NOTATION: Notation = Notation { ordered: &moves::SEPARATORS, words: &[] };

    fn start(_: &Options) -> Result<Position, Refusal> {
        Ok(Position::default())
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        moves::parse(self, text)
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        moves::check(self, mv)
    }

    fn text(&self, mv: Move) -> String {
        moves::text(mv)
    }

    fn effects(&self, before: &Self, _: Move) -> Effects {
        let enemy = before.mover.other();
        let captured = spaces(before.of(enemy) & !self.of(enemy)).map(|space| SPACES[space].name()).collect();
        Effects { captured, ..Effects::default() }
    }

    fn achievement(&self, _: Move) -> Option<Message> {
        let outcome = self.outcome.filter(|outcome| outcome.reason == CAPTURES)?;
        Some(message!("tessella.achievement", pieces = self.captures(outcome.winner?)))
    }

    fn side(&self, seat: Seat) -> Side {
        SIDES[seat.index()]
    }

    fn aim(&self) -> Message {
        let [clear, dark] = Seat::BOTH.map(|seat| self.captures(seat));
        message!("tessella.aim", winning = WINNING, clear, dark)
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        scene::scene(self, last)
    }
}
