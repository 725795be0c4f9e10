//! Brique (Luis Bolaños Mures, 2012): build a chain across a checkered board. A player who holds both escorts of a
//! square also gets that square.
//!
//! A move text is the name of a square, or `swap`.

mod cells;
mod position;
mod scene;

use cells::{CellSet, letter};

use super::catalogue::{GameInfo, Kind};
use super::kit::Colour;
use super::notation::{self, Effects, Notation, WinningCell};
use super::options::{OptionSpec, Options};
use super::outcome::{Outcome, Seat, Side};
use super::position::{Described, Playouts};
use super::refusal::{Refusal, RefusalKind};
use super::scene::Scene;
use crate::message;
use crate::text::{self, Message};

pub use cells::Cell;
pub use position::{Move, Position};

/// The game Brique.
#[derive(Clone, Copy, Debug)]
pub struct Brique;

/// The options of a challenge.
const OPTIONS: &[OptionSpec] = &[OptionSpec {
    name: "size",
    value: Some(Message::new("brique.sizes")),
    numbers: &cells::SIZES,
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
pub(crate) const SWAP: &str = "swap";

/// Returns a move's canonical text.
pub(crate) fn text(mv: Move, size: u16) -> String {
    match mv {
        Move::Place(cell) => cell.name(size),
        Move::Swap => SWAP.to_owned(),
    }
}

/// Reads a move text, ignoring case.
pub(crate) fn parse(text: &str, size: u16) -> Result<Move, Refusal> {
    let word = text.trim().to_ascii_lowercase();
    if word == SWAP {
        return Ok(Move::Swap);
    }
    if let Some(cell) = Cell::named(&word, size) {
        return Ok(Move::Place(cell));
    }
    let last = letter(size - 1);
    let message = if notation::split(&word).is_some() {
        message!("brique.no-such-square", last, size)
    } else {
        message!("brique.not-a-move", last, size)
    };
    let squares: Vec<String> = CellSet::board(size).cells().map(|cell| cell.name(size)).collect();
    let nearest = notation::nearest(&word, squares.iter().map(String::as_str));
    let nearest = nearest.or_else(|| text::is_one_slip(&word, SWAP).then_some(SWAP));
    Err(Refusal { nearest: nearest.map(str::to_owned), ..Refusal::new(RefusalKind::NotAMove, text.trim(), message) })
}

/// Checks whether a move is legal in this position.
pub(crate) fn check(position: &Position, mv: Move) -> Result<(), Refusal> {
    let name = text(mv, position.size());
    let message = match mv {
        Move::Swap if position.may_swap() => return Ok(()),
        Move::Swap => message!("brique.no-swap"),
        Move::Place(cell) => match position.at(cell) {
            None => return Ok(()),
            Some(colour) => message!("brique.taken", square = &name, side = colour.side()),
        },
    };
    Err(Refusal::new(RefusalKind::Illegal, name, message))
}

impl super::position::Position for Position {
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
    const NOTATION: Notation = Notation { ordered: &[], words: &[SWAP] };

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
        parse(text, self.size())
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        check(self, mv)
    }

    fn text(&self, mv: Move) -> String {
        text(mv, self.size())
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
        let chain = winner.map(|colour| position::across(self, colour)).unwrap_or_default();
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
