//! TwixT PP (Alex Randolph 1961; paper rules by David Bush): pegs, linked by knight's moves, from side to side.

mod pegs;
mod scene;

pub use pegs::{Move, Position};

use super::catalogue::{GameInfo, Kind};
use super::kit::{self, Colour};
use super::notation::Notation;
use super::notation::{Effects, WinningCell};
use super::options::{OptionSpec, Options};
use super::outcome::{EndReason, Outcome};
use super::outcome::{Seat, Side};
use super::position::Described;
use super::refusal::{Refusal, RefusalKind};
use super::scene::Scene;
use crate::message;
use crate::text::Message;

/// The usual number of holes a side.
const SIZE: u16 = 24;
const SWAP: &str = "swap";
/// A chain of links joins two opposite sides.
const CHAIN: EndReason = EndReason::new("chain");
/// The player to move can use no hole.
const NO_HOLE: EndReason = EndReason::new("no hole");
/// How often a hole is tried before the usable ones are listed.
const TRIES: usize = 8;

/// The game TwixT PP.
#[derive(Clone, Copy, Debug)]
pub struct TwixT;

impl GameInfo for TwixT {
    type Position = Position;
    const NAME: &'static str = "twixt";
    const TITLE: &'static str = "TwixT";
    const DESIGNER: &'static str = "Alex Randolph, 1961";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] = &[kit::size_option(
        &[12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30],
        Message::new("twixt.sizes"),
    )];
    const BUILT_IN: &'static str = "-size=24";
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("twixt.about");
    const SAMPLE: (&'static str, &'static str) = ("-size=12", "f6 g8 d7 h6 e9 i8 g4 f10 f2 h9");
}

impl super::position::Position for Position {
    type Move = Move;
    type RepetitionKey = ();

    #[inline]
    fn mover(&self) -> Seat {
        if self.turn == Colour::Black { self.black } else { self.black.other() }
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Move> {
        let pegs = self.pegs.holes().filter(|hole| self.is_open(*hole)).map(|hole| Move::Peg(hole as u16));
        pegs.chain(self.may_swap().then_some(Move::Swap))
    }

    fn legal_count(&self) -> usize {
        usize::from(self.open[self.turn.index()]) + usize::from(self.may_swap())
    }

    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let tries = if self.may_swap() { 0 } else { TRIES };
        for _ in 0..tries {
            let hole = below(self.pegs.size * self.pegs.size);
            if self.is_open(hole) {
                return Some(Move::Peg(hole as u16));
            }
        }
        match self.legal_count() {
            0 => None,
            count => self.legal().nth(below(count)),
        }
    }

    fn may_end(&self, mv: Move) -> bool {
        let Move::Peg(hole) = mv else { return false };
        self.open[self.turn.other().index()] <= 1 || self.pegs.may_join(hole.into(), self.turn)
    }

    fn play_unchecked(&mut self, mv: Move) {
        self.plies = self.plies.saturating_add(1);
        let Move::Peg(hole) = mv else {
            self.black = self.black.other();
            return;
        };
        let (hole, mover) = (usize::from(hole), self.mover());
        Colour::BOTH.into_iter().filter(|colour| self.pegs.may_use(hole, *colour)).for_each(|colour| {
            self.open[colour.index()] -= 1;
        });
        self.pegs.put(hole, self.turn);
        self.turn = self.turn.other();
        self.outcome = match () {
            () if self.pegs.joins(hole) => Some(Outcome { winner: Some(mover), reason: CHAIN }),
            () if self.open[self.turn.index()] == 0 => Some(Outcome { winner: None, reason: NO_HOLE }),
            () => None,
        };
    }
}

impl Described for Position {
    const NOTATION: Notation = Notation { ordered: &[], words: &[SWAP] };

    fn start(options: &Options) -> Result<Position, Refusal> {
        kit::size(options, TwixT::OPTIONS, SIZE).map(Position::new)
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        let word = text.trim().to_ascii_lowercase();
        let hole = self.named(&word).map(|hole| Move::Peg(hole as u16));
        hole.or_else(|| (word == SWAP).then_some(Move::Swap)).ok_or_else(|| self.not_a_move(&word))
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        let name = self.text(mv);
        let message = match mv {
            Move::Swap if self.may_swap() => return Ok(()),
            Move::Swap => message!("rules.no-swap", second = Colour::Black.side()),
            Move::Peg(hole) => match self.pegs.at(hole.into()) {
                None if self.is_open(hole.into()) => return Ok(()),
                None => message!("twixt.other-side", hole = &name, side = self.turn.other().side()),
                Some(colour) => message!("rules.taken", cell = &name, side = colour.side()),
            },
        };
        Err(Refusal::new(RefusalKind::Illegal, name, message))
    }

    fn text(&self, mv: Move) -> String {
        match mv {
            Move::Peg(hole) => self.name(hole.into()),
            Move::Swap => SWAP.to_owned(),
        }
    }

    fn effects(&self, _: &Self, mv: Move) -> Effects {
        let swapped = (mv == Move::Swap).then(|| Seat::BOTH.map(|seat| self.side(seat).mark));
        Effects { swapped, ..Effects::default() }
    }

    fn winning_cells(&self, last: Move) -> Vec<WinningCell> {
        let Move::Peg(hole) = last else { return Vec::new() };
        let mut way = self.pegs.at(hole.into()).map(|colour| self.pegs.way(colour)).unwrap_or_default();
        way.sort_unstable();
        way.into_iter().map(|hole| WinningCell::flat(self.name(hole))).collect()
    }

    fn achievement(&self, _: Move) -> Option<Message> {
        Some(match self.turn.other() {
            Colour::White => message!("rules.joined-top-and-bottom"),
            Colour::Black => message!("rules.joined-left-and-right"),
        })
    }

    fn side(&self, seat: Seat) -> Side {
        self.colour(seat).side()
    }

    fn aim(&self) -> Message {
        message!("twixt.aim", may_swap = self.may_swap())
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        scene::scene(self, last)
    }
}
