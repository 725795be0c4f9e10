//! Implements the common traits for Marque's positions.

use super::formation::Formation;
use super::position::{Move, Position, SIDES};
use super::stones::Stones;
use super::tiling::{PAIRS, TILING};
use super::{moves, scene};
use crate::message;
use crate::rules::effects::{Effects, WinningCell};
use crate::rules::options::Options;
use crate::rules::outcome::{EndReason, Outcome};
use crate::rules::position::{Described, Playouts};
use crate::rules::refusal::Refusal;
use crate::rules::scene::Scene;
use crate::rules::seat::{Seat, Side};
use crate::text::Message;

/// A chain occupies the formation.
const FORMATION: EndReason = EndReason::new("formation");

impl crate::rules::position::Position for Position {
    type Move = Move;
    type RepetitionKey = (u128, u128);

    const PLAYOUTS: Playouts = [20, 32, 44, 68, 110, 175, 290, 520, 1_050, 2_400, 6_000, 16_000];

    /// Playouts have 150 plies. Towards their end, captured cells are filled again.
    const LATER: u32 = 100;

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
        let numbered = (0..).map(Move).zip(&TILING.placements);
        numbered.filter(move |(_, placement)| moves.has(placement.place.into())).map(|(mv, _)| mv)
    }

    #[inline]
    fn legal_count(&self) -> usize {
        self.moves().count()
    }

    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let tiling = &*TILING;
        let mut moves = self.candidates(tiling);
        let lenders = self.stones.lenders(tiling, self.mover);
        // An illegal choice is removed before the next attempt, so all legal moves remain equally likely.
        loop {
            let place = match moves.count() {
                0 => return None,
                count => moves.nth(below(count)),
            };
            let number = tiling.numbers[place];
            let placement = &tiling.placements[usize::from(number)];
            let free = if place < PAIRS {
                placement.around & lenders != 0
            } else {
                self.stones.has_freedom(tiling, self.mover, placement)
            };
            if free || self.opening {
                return Some(Move(number));
            }
            moves.remove(place);
        }
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        let tiling = &*TILING;
        let placement = &tiling.placements[usize::from(mv.0)];
        let seat = self.mover;
        self.stones.place(tiling, seat, placement);
        self.opening = false;
        self.last[seat.index()] = Some(mv);
        // Only this chain has grown, and a win takes precedence over a draw.
        if self.stones.makes(tiling, self.formation, seat, placement.cells) {
            self.mover = seat.other();
            self.outcome = Some(Outcome { winner: Some(seat), reason: FORMATION });
        } else {
            self.give_turn(seat.other());
        }
    }

    #[inline]
    fn repetition_key(&self) -> Option<(u128, u128)> {
        // The last bit belongs to no cell, so it stores the seat to move.
        let mover = (self.mover.index() as u128) << 127;
        Some((self.stones.of(Seat::First) | mover, self.stones.of(Seat::Second)))
    }

    /// Filling a space that one's own stones surround gives a freedom away and gains nothing.
    fn choose(&self, _: Move, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        for _ in 0..3 {
            let mv = self.pick(&mut below)?;
            if !self.is_surrounded(mv) {
                return Some(mv);
            }
        }
        self.pick(below)
    }
}

impl Described for Position {
    fn start(options: &Options) -> Result<Position, Refusal> {
        Ok(Position::new(Formation::of(options)?, Stones::default(), Seat::First))
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        moves::parse(text)
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        moves::check(self, mv)
    }

    fn text(&self, mv: Move) -> String {
        TILING.text(mv.placement().cells)
    }

    fn effects(&self, before: &Self, _: Move) -> Effects {
        let enemy = before.mover.other();
        let gone = before.stones.of(enemy) & !self.stones.of(enemy);
        Effects { captured: TILING.sites(gone).map(|site| site.name.clone()).collect(), ..Effects::default() }
    }

    fn winning_cells(&self, last: Move) -> Vec<WinningCell> {
        let winner = self.outcome.and_then(|outcome| outcome.winner);
        let chain = winner.map_or(0, |seat| TILING.chain(last.placement().cells, self.stones.of(seat)));
        TILING.sites(chain).map(|site| WinningCell::flat(&site.name)).collect()
    }

    fn achievement(&self, last: Move) -> Option<Message> {
        let seat = self.outcome?.winner?;
        let bases = self.stones.bases_of_chain(seat, last.placement().cells).to_string();
        Some(message!("marque.achievement", bases = bases.chars().map(String::from).collect::<Vec<_>>()))
    }

    fn side(&self, seat: Seat) -> Side {
        SIDES[seat.index()]
    }

    fn aim(&self) -> Message {
        self.formation.aim()
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        scene::scene(&self.stones, last.map_or(0, |mv| mv.placement().cells))
    }
}
