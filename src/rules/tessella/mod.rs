//! Tessella (Michael Lefkowitz, 2019): pieces on octagons and squares capture along lines if another piece backs them.
//!
//! Move texts: `e1-e2` for a step and `f2xc5` for a capture. The board is drawn as the tiling of octagons and squares.

mod position;
mod spaces;

pub use position::{Move, Position};
use position::{PIECES, SIDES, WINNING};
use spaces::{COUNT, SIDE, SPACES, Space, Targets, bit, named, spaces};

use super::bits;
use super::catalogue::{GameInfo, Kind};
use super::game_state::GameState;
use super::notation::{self, Effects, Notation};
use super::options::Options;
use super::outcome::{EndReason, Outcome, Seat, Side};
use super::play::Play;
use super::position::{Described, Playouts};
use super::refusal::{Refusal, RefusalKind};
use super::scene::{Caption, Cell, Scene, Shade, Vertex};
use crate::message;
use crate::text::Message;

/// The game Tessella.
#[derive(Clone, Copy, Debug)]
pub struct Tessella;

impl Tessella {
    /// Starts a board from this position. For tests of the rules.
    pub fn start_at(&self, position: Position) -> Box<dyn Play> {
        Box::new(GameState::new(position))
    }
}

impl GameInfo for Tessella {
    type Position = Position;
    const NAME: &'static str = "tessella";
    const TITLE: &'static str = "Tessella";
    const DESIGNER: &'static str = "Michael Lefkowitz, 2019";
    const KIND: Kind = Kind::Movement;
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("tessella.about");
    const SAMPLE: (&'static str, &'static str) = ("", "f2-e2 b6-a5 b4xa5 g7-f7 h4-g5 f7-g7");
}

/// A player captured enough pieces.
const CAPTURES: EndReason = EndReason::new("captures");

impl super::position::Position for Position {
    type Move = Move;
    type RepetitionKey = u128;

    const PLAYOUTS: Playouts = [20, 35, 55, 100, 180, 320, 600, 1_200, 2_600, 6_000, 14_000, 33_000];

    #[inline]
    fn to_move(&self) -> Seat {
        self.to_move
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Move> {
        let generator = self.generator();
        spaces(self.of(self.to_move)).flat_map(move |from| self.of_piece(from, generator.targets(from).set()))
    }

    #[inline]
    fn legal_count(&self) -> usize {
        self.legal_count()
    }

    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let (mut pieces, generator) = ([(0, Targets::default()); PIECES], self.generator());
        for (piece, from) in pieces.iter_mut().zip(spaces(self.of(self.to_move))) {
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
        // Avoid a branch, which would be unpredictable.
        let (set, before) = if captures { (captured, steps.count_ones()) } else { (steps, 0) };
        Some(Move { from: from as u8, to: bits::nth(set, number - before) as u8, captures })
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        let seat = self.to_move;
        let (from, to) = (bit(usize::from(mv.from)), bit(usize::from(mv.to)));
        self.pieces[seat.index()] ^= from | to;
        if mv.captures {
            self.pieces[seat.other().index()] ^= to;
            if self.captures(seat) == WINNING {
                self.to_move = seat.other();
                self.outcome = Some(Outcome { winner: Some(seat), reason: CAPTURES });
                return;
            }
        }
        self.give_turn(seat.other());
    }

    #[inline]
    fn repetition_key(&self) -> Option<u128> {
        let [first, second] = self.pieces.map(u128::from);
        Some(first | second << COUNT | (self.to_move.index() as u128) << (2 * COUNT))
    }

    /// Prefers captures: four of them win, so a capture is nearly always best.
    fn choose(&self, _: Move, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let capture = if below(4) < 3 { self.pick_capture(&mut below) } else { None };
        capture.or_else(|| self.pick(below))
    }
}

impl Described for Position {
    const NOTATION: Notation = Notation { ordered: &SEPARATORS, words: &[] };

    fn start(_: &Options) -> Result<Position, Refusal> {
        Ok(Position::default())
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        parse(self, text)
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        check(self, mv)
    }

    fn text(&self, mv: Move) -> String {
        text(mv)
    }

    fn effects(&self, before: &Self, _: Move) -> Effects {
        let enemy = before.to_move.other();
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
        scene(self, last)
    }
}

const STEP: char = '-';
const CAPTURE: char = 'x';
/// The separators between the two spaces of a move.
pub(crate) const SEPARATORS: [char; 2] = [STEP, CAPTURE];

/// Returns a move's canonical text.
pub(crate) fn text(mv: Move) -> String {
    let (from, to) = (&SPACES[usize::from(mv.from)], &SPACES[usize::from(mv.to)]);
    format!("{}{}{}", from.name(), if mv.captures { CAPTURE } else { STEP }, to.name())
}

/// Reads a move text, ignoring case: two spaces with a dash or an x between them. If the separator is missing, the
/// content of the second space decides between a step and a capture. The text `e1 e2` arrives here as `e1,e2`.
pub(crate) fn parse(position: &Position, text: &str) -> Result<Move, Refusal> {
    let word = notation::separated(&text.trim().to_ascii_lowercase(), CAPTURE);
    let on_enemy = |word: &str| named(word).is_some_and(|to| position.at(to) == Some(position.to_move.other()));
    let read = match (word.split_once(CAPTURE), word.split_once(STEP), word.split_once(Notation::UNORDERED)) {
        (Some(spaces), ..) => Some((true, spaces)),
        (_, Some(spaces), _) => Some((false, spaces)),
        (.., Some((from, to))) => Some((on_enemy(to.trim()), (from, to))),
        _ => None,
    };
    let read = read.filter(|(_, (from, to))| !from.trim().is_empty() && !to.trim().is_empty());
    let Some((captures, (from, to))) = read else {
        let message = match named(&word) {
            Some(_) => message!("tessella.one-space", space = &word),
            None => message!("tessella.not-a-move"),
        };
        return Err(Refusal::new(RefusalKind::NotAMove, text.trim(), message));
    };
    let (from, to) = (space(from.trim())?, space(to.trim())?);
    Ok(Move { from: from as u8, to: to as u8, captures })
}

fn space(word: &str) -> Result<usize, Refusal> {
    if let Some(space) = named(word) {
        return Ok(space);
    }
    let message = match notation::split(word) {
        Some((letter @ 'a'..='i', _)) => {
            let mut column = SPACES.iter().map(|space| space.name()).filter(|name| name.starts_with(letter));
            let top = column.next().unwrap_or_default();
            let bottom = column.next_back().unwrap_or_else(|| top.clone());
            if top == bottom {
                message!("tessella.column-of-one", column = letter, space = top)
            } else {
                message!("tessella.no-such-space-in-column", column = letter, bottom, top)
            }
        }
        _ => message!("tessella.no-such-space"),
    };
    let all: Vec<String> = SPACES.iter().map(|space| space.name()).collect();
    let nearest = notation::nearest(word, all.iter().map(String::as_str)).map(str::to_owned);
    Err(Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, word, message) })
}

/// Checks whether a move is legal in this position.
pub(crate) fn check(position: &Position, mv: Move) -> Result<(), Refusal> {
    let (from, to) = (usize::from(mv.from), usize::from(mv.to));
    let [start, end] = [from, to].map(|space| SPACES[space].name());
    let to_move = position.to_move;
    let message = match (position.at(from), position.at(to)) {
        (None, _) => message!("tessella.no-piece", start),
        (Some(seat), _) if seat != to_move => message!("tessella.not-yours", start, side = SIDES[seat.index()]),
        (_, Some(seat)) if seat == to_move => message!("tessella.own-piece", end),
        (_, Some(seat)) if !mv.captures => {
            message!("tessella.step-on-piece", start, end, side = SIDES[seat.index()])
        }
        (_, None) if mv.captures => {
            message!("tessella.nothing-to-capture", start, end)
        }
        _ if position.generator().targets(from).set() & bit(to) != 0 => return Ok(()),
        _ if mv.captures => why_not_captured(position, from, to, [start, end]),
        _ if SPACES[from].is_octagon() || SPACES[to].is_octagon() => message!("tessella.apart", start, end),
        _ => message!("tessella.squares-apart", start, end),
    };
    Err(Refusal::new(RefusalKind::Illegal, text(mv), message))
}

/// Explains why a piece on one space cannot capture a piece on another.
fn why_not_captured(position: &Position, from: usize, to: usize, [start, end]: [String; 2]) -> Message {
    let Some(between) = SPACES[from].between(to) else {
        return message!("tessella.no-line", start, end);
    };
    if between & position.occupied() != 0 {
        return message!("tessella.way-blocked", start, end);
    }
    message!("tessella.not-backed", start, end)
}

/// The distance between the middles of neighbouring spaces (the pitch), and half the side of a square, in edge lengths
/// of the tiling.
const EDGES: (f64, f64) = (1.0 + std::f64::consts::FRAC_1_SQRT_2, 0.5);
/// The distances of [`EDGES`] in columns of characters.
const COLUMNS: (i32, i32) = (6, 2);
/// The distances of [`EDGES`] in rows of characters.
const ROWS: (i32, i32) = (4, 1);

/// The corners of an octagon, clockwise. For each corner: pitches and half sides to the right of the middle, then below
/// it.
const OCTAGON: [[(i32, i32); 2]; 8] = [
    [(0, -1), (-1, 1)],
    [(0, 1), (-1, 1)],
    [(1, -1), (0, -1)],
    [(1, -1), (0, 1)],
    [(0, 1), (1, -1)],
    [(0, -1), (1, -1)],
    [(-1, 1), (0, 1)],
    [(-1, 1), (0, -1)],
];
/// The corners of a square.
const SQUARE: [[(i32, i32); 2]; 4] = [[(0, -1), (0, -1)], [(0, 1), (0, -1)], [(0, 1), (0, 1)], [(0, -1), (0, 1)]];

pub(crate) fn scene(position: &Position, last: Option<Move>) -> Scene {
    let way = last.map(|mv| [usize::from(mv.from), usize::from(mv.to)]);
    let last = way.map_or(0, |[from, to]| bit(from) | bit(to));
    let cell = |(at, space): (usize, &Space)| {
        let name = space.name();
        let middle = vertex(space, [(0, 0), (0, 0)]);
        let corners = if space.is_octagon() { &OCTAGON[..] } else { &SQUARE[..] };
        Cell {
            id: name.clone(),
            region: space.row,
            name,
            corners: corners.iter().map(|corner| vertex(space, *corner)).collect(),
            spot: (middle.column, middle.row),
            label: Some((middle.column - 1, middle.row)),
            shade: if space.is_octagon() { Shade::Plain } else { Shade::Dark },
            piece: position.at(at).map(|seat| SIDES[seat.index()].mark),
            last: last & bit(at) != 0,
            level: 0,
        }
    };
    Scene {
        cells: SPACES.iter().enumerate().map(cell).collect(),
        regions: (1..=SIDE).rev().map(|row| message!("rules.row", row).into()).collect(),
        notes: Vec::new(),
        winning: Vec::new(),
        captions: captions(),
        borders: Vec::new(),
        bonds: Vec::new(),
        way,
        light: SIDES[0].mark,
    }
}

/// Returns the letter of each column and the number of each row, once around the rim. Letters are below the left
/// columns and above the right ones. Numbers are to the right of the lower rows and to the left of the upper ones.
fn captions() -> Vec<Caption> {
    let mut captions = Vec::new();
    for along in 0..SIDE {
        let middle = |space: &Space| vertex(space, [(0, 0), (0, 0)]);
        let beside = |space: &Space| if space.is_octagon() { EDGES.0 } else { EDGES.1 + 0.6 };
        let column = || SPACES.iter().filter(|space| space.column == along);
        let (top, bottom) = (column().min_by_key(|space| space.row), column().max_by_key(|space| space.row));
        let left = along <= SIDE / 2;
        if let Some(end) = if left { bottom } else { top } {
            let (at, away) = (middle(end), if left { beside(end) } else { -beside(end) });
            captions.push(Caption::in_picture(end.name().chars().take(1).collect::<String>(), at.x, at.y + away));
        }
        let row = || SPACES.iter().filter(|space| space.row == along);
        let (first, last) = (row().min_by_key(|space| space.column), row().max_by_key(|space| space.column));
        let lower = along >= SIDE / 2;
        if let Some(end) = if lower { last } else { first } {
            let (at, away) = (middle(end), if lower { beside(end) } else { -beside(end) });
            captions.push(Caption::in_picture(end.name().chars().skip(1).collect::<String>(), at.x + away, at.y));
        }
    }
    captions
}

/// Returns the point at this distance from a space's middle, in pitches and half sides to the right and downwards.
fn vertex(space: &Space, [right, down]: [(i32, i32); 2]) -> Vertex {
    let exact = |steps: usize, (pitches, halves): (i32, i32)| {
        (steps as f64 + 1.0 + f64::from(pitches)) * EDGES.0 + (f64::from(halves) - 1.0) * EDGES.1
    };
    let drawn = |steps: usize, (pitches, halves): (i32, i32), (pitch, half): (i32, i32)| {
        (steps as i32 + 1 + pitches) * pitch + (halves - 1) * half
    };
    Vertex {
        x: exact(space.column, right),
        y: exact(space.row, down),
        column: drawn(space.column, right, COLUMNS),
        row: drawn(space.row, down, ROWS),
    }
}
