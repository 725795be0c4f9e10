//! TwixT PP (Alex Randolph 1961; paper rules by David Bush): pegs, linked by knight's moves, from side to side.
//!
//! In ASCII, a hole is a dot, and a link is one or two characters between pegs.

mod pegs;

use pegs::column_name;
pub use pegs::{Move, Position};

use super::catalogue::{GameInfo, Kind};
use super::kit::{self, Colour};
use super::notation::{Effects, Notation, WinningCell};
use super::options::{OptionSpec, Options};
use super::outcome::{EndReason, Outcome, Seat, Side};
use super::position::Described;
use super::refusal::{Refusal, RefusalKind};
use super::scene::{Border, Caption, CaptionPlace, Cell, Region, Scene, Shade, Vertex};
use crate::message;
use crate::text::Message;

/// The usual number of holes on a side of the board.
const SIZE: u16 = 24;
const SWAP: &str = Notation::SWAP;
/// A chain of links joins two opposite sides.
const CHAIN: EndReason = EndReason::new("chain");
/// The player to move cannot use any hole.
const NO_HOLE: EndReason = EndReason::new("no hole");
/// The number of random holes to try before listing the usable ones.
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
    fn to_move(&self) -> Seat {
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
        let (hole, by) = (usize::from(hole), self.to_move());
        Colour::BOTH.into_iter().filter(|colour| self.pegs.may_use(hole, *colour)).for_each(|colour| {
            self.open[colour.index()] -= 1;
        });
        self.pegs.put(hole, self.turn);
        self.turn = self.turn.other();
        self.outcome = match () {
            () if self.pegs.joins(hole) => Some(Outcome { winner: Some(by), reason: CHAIN }),
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
                Some(colour) => message!("twixt.taken", hole = &name, side = colour.side()),
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
        scene(self, last)
    }
}

/// The number of columns left of the board in the ASCII drawing.
const LEFT: i32 = 3;
/// The largest board with three columns for a hole. On larger ones, only two fit a line of mail.
const WIDE: usize = 25;
/// The number of columns whose names have one letter.
const LETTERS: usize = 26;
/// A column or row outside the ASCII drawing.
const OUTSIDE: i32 = -99;

pub(crate) fn scene(position: &Position, last: Option<Move>) -> Scene {
    let pegs = &position.pegs;
    let size = pegs.size;
    let apart = if size > WIDE { 2 } else { 3 };
    // If some columns have names of two letters, these are written downwards and need one more line.
    let top = i32::from(size > LETTERS);
    let middle = |column: usize, row: usize| Vertex {
        x: column as f64 + 0.5,
        y: row as f64 + 0.5,
        column: LEFT + apart * column as i32,
        row: 1 + top + row as i32,
    };
    let cell = |hole: usize| {
        let (column, row) = pegs.place(hole);
        let at = middle(column, row);
        let corner = |(right, down): (f64, f64)| Vertex { x: at.x + right, y: at.y + down, ..at };
        let name = position.name(hole);
        Cell {
            id: name.clone(),
            name,
            region: row,
            corners: [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(corner).into(),
            spot: (at.column, at.row),
            label: Some((OUTSIDE, OUTSIDE)),
            shade: Shade::Plain,
            piece: pegs.at(hole).map(Colour::mark),
            last: last == Some(Move::Peg(hole as u16)),
            level: 0,
        }
    };
    // Draw each link once, from its left end.
    let links =
        |hole: usize| pegs.linked(hole).filter(|(direction, _)| *direction < 4).map(move |(_, end)| [hole, end]);
    let region = |row: usize| {
        let of_row = pegs.holes().filter(|hole| pegs.place(*hole).1 == row).flat_map(links);
        let names: Vec<String> = of_row.map(|ends| ends.map(|hole| position.name(hole)).join("-")).collect();
        let notes = if names.is_empty() { Vec::new() } else { vec![message!("twixt.links", links = names)] };
        Region { heading: message!("rules.row", row = row + 1), notes }
    };
    // The corners have no cells, so do not count them.
    let index = |hole: usize| hole - [0, size - 1, size * (size - 1)].iter().filter(|corner| **corner < hole).count();
    Scene {
        cells: pegs.holes().map(cell).collect(),
        regions: (0..size).map(region).collect(),
        notes: Vec::new(),
        winning: Vec::new(),
        captions: captions(size, middle, top),
        borders: borders(size as f64),
        bonds: pegs.holes().flat_map(links).map(|ends| ends.map(index)).collect(),
        way: None,
        light: Colour::White.mark(),
    }
}

/// Returns the names of the columns and rows. Above the board in ASCII, names of two letters begin in the first line,
/// and names of one letter are `top` lines lower.
fn captions(size: usize, middle: impl Fn(usize, usize) -> Vertex, top: i32) -> Vec<Caption> {
    let text = |text: String, at: Vertex| Caption {
        text: Message::verbatim(text),
        at,
        place: CaptionPlace::Free,
        holder: None,
    };
    let far = size as f64 + 0.85;
    let columns = (0..size).flat_map(|column| {
        let (name, at) = (column_name(column), middle(column, 0));
        let ends = [(-0.85, 0, top), (far, size as i32 + 1 + top, 0)];
        ends.into_iter().flat_map(move |(y, row, next)| match name.len() {
            1 => vec![text(name.clone(), Vertex { y, row: row + next, ..at })],
            _ => {
                let letters = (row..).zip(name.chars());
                let letters = letters.map(|(row, letter)| Caption {
                    place: CaptionPlace::Heading,
                    ..text(letter.to_string(), Vertex { row, ..at })
                });
                letters.chain([Caption::in_picture(name.clone(), at.x, y)]).collect()
            }
        })
    });
    let rows = (0..size).flat_map(|row| {
        let (name, at) = ((row + 1).to_string(), middle(0, row));
        let right = Vertex { x: far, column: OUTSIDE, row: OUTSIDE, ..at };
        [text(name.clone(), Vertex { x: -0.85, column: LEFT - 1 - name.len() as i32, ..at }), text(name, right)]
    });
    columns.chain(rows).collect()
}

/// Returns White's sides at the top and the bottom, Black's at the left and the right.
fn borders(size: f64) -> Vec<Border> {
    let ends = |colour: Colour, from: (f64, f64), to: (f64, f64)| {
        let corner = |(x, y)| Vertex { x, y, column: OUTSIDE, row: OUTSIDE };
        Border { mark: colour.mark(), from: corner(from), to: corner(to) }
    };
    let last = size - 1.0;
    vec![
        ends(Colour::White, (1.0, 0.0), (last, 0.0)),
        ends(Colour::White, (1.0, size), (last, size)),
        ends(Colour::Black, (0.0, 1.0), (0.0, last)),
        ends(Colour::Black, (size, 1.0), (size, last)),
    ]
}
