//! Brique (Luis Bolaños Mures, 2012): build a chain across a checkered board. A player who holds both escorts of a
//! square also gets that square.
//!
//! A move text is the name of a square, or `swap`.

mod cells;
mod position;

use super::catalogue::{GameInfo, Kind};
use super::kit::{self, Colour};
use super::notation::{Effects, Notation, WinningCell};
use super::options::{OptionSpec, Options};
use super::outcome::{Outcome, Seat, Side};
use super::position::{Described, Playouts};
use super::refusal::{Refusal, RefusalKind};
use super::scene::{Scene, Shade};
use crate::message;
use crate::text::{self, Message};

pub use cells::Cell;
pub use position::{Move, Position};

/// The game Brique.
#[derive(Clone, Copy, Debug)]
pub struct Brique;

const OPTIONS: &[OptionSpec] = &[OptionSpec {
    name: "size",
    value: Some(Message::new("brique.sizes")),
    numbers: cells::SIZES,
    about: Message::new("brique.option-size"),
    label: Message::new("brique.label-size"),
}];

impl GameInfo for Brique {
    type Position = Position;
    const NAME: &'static str = "brique";
    const TITLE: &'static str = "Brique";
    const DESIGNER: &'static str = "Luis Bolaños Mures, 2012";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] = OPTIONS;
    const BUILT_IN: &'static str = "-size=15";
    const HAS_DRAWS: bool = false;
    const ABOUT: Message = Message::new("brique.about");
    const SAMPLE: (&'static str, &'static str) = ("-size=9", "e5 swap e4 f4 d6 d5 f6 g5 c4 c6");
}

/// The move that exchanges colours.
const SWAP: &str = Notation::SWAP;

impl Position {
    fn name(&self, cell: Cell) -> String {
        self.grid.name(cell.on(self.grid)).to_owned()
    }
}

impl super::position::Position for Position {
    type Move = Move;
    type RepetitionKey = ();

    const PLAYOUTS: Playouts = [20, 32, 44, 68, 110, 175, 290, 540, 1_150, 2_700, 6_500, 16_000];

    /// Only a few of about two hundred moves are worth a visit, and the results of playouts in which a move was played
    /// later show which ones.
    const EXPLORATION: f32 = 0.0;

    #[inline]
    fn to_move(&self) -> Seat {
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
            // It is still White's turn, but the other player is White now.
            Move::Swap => {
                self.black = self.black.other();
                self.swap = false;
            }
        }
    }

    /// Answers the last stone if it separates the player's stones. A player who ignores such a stone loses the part
    /// that it cuts off.
    fn choose(&self, last: Move, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        match self.answers(last).count() {
            0 => self.pick(below),
            count => self.answers(last).nth(below(count)),
        }
    }
}

impl Described for Position {
    const NOTATION: Notation = Notation { ordered: &[], words: &[SWAP] };

    fn start(options: &Options) -> Result<Position, Refusal> {
        kit::size(options, OPTIONS, cells::USUAL).map(Position::new)
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        let (grid, word) = (self.grid, text.trim().to_ascii_lowercase());
        if word == SWAP {
            return Ok(Move::Swap);
        }
        if let Some(cell) = grid.named(&word) {
            return Ok(Move::Place(Cell::of(cell, grid)));
        }
        let message = grid.missing(&word).unwrap_or_else(|| message!("brique.not-a-move", last = grid.last_name()));
        let nearest = grid.nearest(&word).or_else(|| text::is_one_slip(&word, SWAP).then_some(SWAP));
        let nearest = nearest.map(str::to_owned);
        Err(Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, text.trim(), message) })
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        let name = self.text(mv);
        let message = match mv {
            Move::Swap if self.swap => return Ok(()),
            Move::Swap => message!("rules.no-swap", second = Colour::White.side()),
            Move::Place(cell) => match self.at(cell) {
                None => return Ok(()),
                Some(colour) => message!("brique.taken", square = &name, side = colour.side()),
            },
        };
        Err(Refusal::new(RefusalKind::Illegal, name, message))
    }

    fn text(&self, mv: Move) -> String {
        match mv {
            Move::Place(cell) => self.name(cell),
            Move::Swap => SWAP.to_owned(),
        }
    }

    fn effects(&self, before: &Self, mv: Move) -> Effects {
        let Move::Place(placed) = mv else {
            return Effects { swapped: Some(Seat::BOTH.map(|seat| self.side(seat).mark)), ..Effects::default() };
        };
        let name = |cell| self.name(cell);
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
        let chain = winner.map(|colour| position::across(self, colour)).unwrap_or_default();
        chain.into_iter().map(|cell| WinningCell::flat(self.grid.name(cell))).collect()
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
        let grid = self.grid;
        let last = last.map(|mv| self.settled_by(mv)).unwrap_or_default();
        let last = last.cells().map(|cell| cell.on(grid)).collect();
        let mut scene = kit::scene(grid, |cell| self.at(Cell::of(cell, grid)).map(Colour::mark), &last);
        for (drawn, cell) in scene.cells.iter_mut().zip(grid.cells()) {
            drawn.shade = if Cell::of(cell, grid).is_dark() { Shade::Dark } else { Shade::Plain };
        }
        Scene { borders: kit::borders(grid), ..scene }
    }
}
