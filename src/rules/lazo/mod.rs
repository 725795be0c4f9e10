//! Lazo (David J. Bush): stack hexagonal tiles like cannonballs. A loop of one colour wins.
//!
//! A move text is the name of a stack. The board is drawn up to the highest playable level. ASCII drawings show the
//! levels one after the other; in a picture, each level lies on the one below.

mod loops;
mod position;
mod pyramid;
mod tiles;
mod winning;

pub use position::{ARCH, Position, SURFACE_LOOP};
use position::{SIDES, stacks};
pub use pyramid::Stack;
use pyramid::{PYRAMIDS, Pyramid, letter};
use tiles::Tiles;
use winning::Space;

use super::catalogue::{GameInfo, Kind};
use super::notation::{self, Effects, WinningCell, space_id};
use super::options::{OptionSpec, Options};
use super::outcome::{Outcome, Seat, Side};
use super::position::{Described, Playouts};
use super::refusal::{Refusal, RefusalKind};
use super::scene::{Caption, CaptionPlace, Cell, Scene, Shade, Vertex};
use crate::message;
use crate::text::Message;

/// The game Lazo.
#[derive(Clone, Copy, Debug)]
pub struct Lazo;

const OPTIONS: &[OptionSpec] = &[OptionSpec {
    name: "size",
    value: Some(Message::new("lazo.sizes")),
    numbers: &pyramid::SIZES,
    about: Message::new("lazo.option-size"),
    label: Message::new("lazo.label-size"),
}];

impl GameInfo for Lazo {
    type Position = Position;
    const NAME: &'static str = "lazo";
    const TITLE: &'static str = "Lazo";
    const DESIGNER: &'static str = "David J. Bush";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] = OPTIONS;
    const BUILT_IN: &'static str = "-size=145";
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("lazo.about");
    const SAMPLE: (&'static str, &'static str) =
        ("-size=26", "d8 d7 d6 d5 d4 d3 d2 d1 b5 c7 c7 c3 c3 c6 b6 c6 a5 b6 b6 a5");
}

impl super::position::Position for Position {
    type Move = Stack;
    /// Tiles never leave the board, so positions never repeat.
    type RepetitionKey = ();

    /// Level 3 of the computer player is the first that checks for wins and threats, so it hardly needs more playouts
    /// than level 2 to be stronger.
    const PLAYOUTS: Playouts = [14, 56, 60, 108, 195, 350, 640, 1_180, 1_900, 3_500, 7_400, 40_000];

    /// In trials, a lower value and some exploration won no more games, even with more than twice as many playouts.
    const LATER_VISITS: f32 = 2_000.0;
    const EXPLORATION: f32 = 0.0;

    /// Most stacks are irrelevant to the outcome, and the history shows which ones.
    const HISTORY: bool = true;

    fn to_move(&self) -> Seat {
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

    fn forced(&self) -> Option<Stack> {
        self.forced()
    }
}

impl Described for Position {
    fn start(options: &Options) -> Result<Position, Refusal> {
        let Some((_, size)) = options.iter().next() else { return Ok(Position::default()) };
        let size = size.unwrap_or_default();
        let pyramid = PYRAMIDS.iter().find(|pyramid| pyramid.holes.to_string() == size);
        pyramid.map(Position::new).ok_or_else(|| {
            let message = message!("lazo.no-such-size", size);
            Refusal::new(RefusalKind::Options, format!("-size={size}"), message)
        })
    }

    fn parse(&self, text: &str) -> Result<Stack, Refusal> {
        parse(self.pyramid(), text)
    }

    fn check(&self, stack: Stack) -> Result<(), Refusal> {
        check(self, stack)
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

    fn side(&self, seat: Seat) -> Side {
        SIDES[seat.index()]
    }

    fn aim(&self) -> Message {
        message!("lazo.aim")
    }

    fn scene(&self, last: Option<Stack>) -> Scene {
        scene(&self.tiles, last)
    }
}

/// Reads a stack's name, ignoring case.
pub(crate) fn parse(pyramid: &Pyramid, text: &str) -> Result<Stack, Refusal> {
    let word = text.trim().to_ascii_lowercase();
    let typed = notation::split(&word);
    let row = typed.and_then(|(first, _)| (0..pyramid.rows).find(|row| letter(*row) == first));
    let message = match (row, typed) {
        (Some(row), Some((_, number))) if (1..=pyramid.length(row)).contains(&number) => {
            return Ok(pyramid.stack(row, number));
        }
        (Some(row), _) => {
            message!("lazo.no-such-stack-in-row", row = letter(row), last = pyramid.length(row))
        }
        (None, _) => {
            let last = pyramid.rows - 1;
            message!("lazo.no-such-stack", last = pyramid.name(pyramid.stack(last, pyramid.length(last))))
        }
    };
    let stacks: Vec<String> = pyramid.stacks().map(|stack| pyramid.name(stack)).collect();
    let nearest = notation::nearest(&word, stacks.iter().map(String::as_str)).map(str::to_owned);
    Err(Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, text.trim(), message) })
}

/// Checks whether the player to move may place a tile on a stack.
pub(crate) fn check(position: &Position, stack: Stack) -> Result<(), Refusal> {
    if position.open().has(stack) {
        return Ok(());
    }
    let (pyramid, tiles) = (position.pyramid(), position.tiles());
    let (row, number) = pyramid.place(stack);
    let name = pyramid.name(stack);
    let height = tiles.height(stack);
    let refused = |message: Message| Err(Refusal::new(RefusalKind::Illegal, name.clone(), message));
    if height == pyramid.height(row) {
        return refused(message!("lazo.full", stack = &name, row = letter(row), level = height));
    }
    let supports = [stack, pyramid.stack(row + 1, number), pyramid.stack(row + 1, number + 1)];
    let names = |stacks: &[Stack]| stacks.iter().map(|stack| pyramid.name(*stack)).collect::<Vec<String>>();
    let missing: Vec<Stack> = supports.into_iter().filter(|support| tiles.height(*support) < height).collect();
    let (level, supports) = (height + 1, names(&supports));
    if !missing.is_empty() {
        let (below, missing) = (height, names(&missing));
        return refused(message!("lazo.unsupported", stack = &name, level, supports, below, missing));
    }
    refused(message!("lazo.untouched", stack = &name, level, supports))
}

/// The width of a space in a picture, wide enough for a name of three letters.
const WIDTH: f64 = 0.48;
/// The length of a space's edge. The rows are one and a half edges apart.
const EDGE: f64 = WIDTH / 1.732_050_807_568_877_2;
/// The vertical distance, in edges, from a space to the space with the same row and number on the level below. Seen
/// from the front, the space lies slightly above the middle of the three that support it.
const STEP: f64 = 0.8;

/// The middle of a space: half spaces from the left, edges from the top, and the line in the ASCII drawing.
#[derive(Clone, Copy)]
struct Middle {
    halves: usize,
    edges: f64,
    line: usize,
}

impl Middle {
    /// Returns the point at this distance from the middle in a picture. In ASCII, the point is the middle itself.
    fn vertex(self, halves: f64, edges: f64) -> Vertex {
        Vertex {
            x: (self.halves as f64 + halves) * WIDTH / 2.0,
            y: (self.edges + edges) * EDGE,
            column: 2 * self.halves as i32 - 1,
            row: self.line as i32,
        }
    }
}

pub(crate) fn scene(tiles: &Tiles, last: Option<Stack>) -> Scene {
    let pyramid = tiles.pyramid();
    let last = last.map(|stack| (stack, tiles.height(stack) - 1));
    let mut scene = Scene {
        cells: Vec::new(),
        regions: Vec::new(),
        notes: Vec::new(),
        winning: Vec::new(),
        captions: coordinates(pyramid),
        borders: Vec::new(),
        bonds: Vec::new(),
        way: None,
        light: SIDES[1].mark,
    };
    let mut line = 0;
    for level in (0..pyramid.rows).take_while(|level| matters(tiles, *level)) {
        let text = match last {
            Some((stack, reached)) if reached == level => {
                message!("lazo.level-of-last-move", level = level + 1, stack = pyramid.name(stack))
            }
            _ => message!("lazo.level", level = level + 1),
        };
        scene.captions.push(heading(pyramid, text, line));
        line += 1;
        let rows = pyramid.rows - level;
        for row in 0..rows {
            let region = scene.regions.len();
            scene.regions.push(message!("lazo.row-of-level", level = level + 1, row = letter(row)).into());
            for number in 1..=pyramid.length(row) {
                let stack = pyramid.stack(row, number);
                let middle = Middle {
                    halves: pyramid.rows - row + 2 * (number - 1),
                    edges: 1.5 * row as f64 + STEP * level as f64,
                    line: line + row,
                };
                let last = last == Some((stack, level));
                scene.cells.push(Cell { region, last, ..cell(tiles, level, stack, middle) });
            }
        }
        // Leave no blank line between the levels: in a letter, it would end the drawing.
        line += rows;
    }
    scene
}

/// Returns whether a level has a tile, or a space where a tile could rest.
fn matters(tiles: &Tiles, level: usize) -> bool {
    let pyramid = tiles.pyramid();
    pyramid.stacks().any(|stack| tiles.rests(level, stack))
}

/// Returns the letter to the left of each row, and the numbers below the last row. The spaces with the same number
/// lie on a straight line.
fn coordinates(pyramid: &Pyramid) -> Vec<Caption> {
    let beside = |row: usize, number: usize, halves: f64, edges: f64, text: String| {
        let middle = Middle { halves: pyramid.rows - row + 2 * (number - 1), edges: 1.5 * row as f64, line: 0 };
        let at = middle.vertex(halves, edges);
        Caption::in_picture(text, at.x, at.y)
    };
    let last = pyramid.rows - 1;
    let rows = (0..pyramid.rows).map(|row| beside(row, 1, -1.8, 0.0, letter(row).to_string()));
    let numbers = (1..=pyramid.length(last)).map(|number| beside(last, number, -0.6, 1.5, number.to_string()));
    rows.chain(numbers).collect()
}

fn heading(pyramid: &Pyramid, text: Message, line: usize) -> Caption {
    let halves = pyramid.length(pyramid.rows - 1);
    let at = Middle { halves, edges: 0.0, line }.vertex(0.0, 0.0);
    Caption { text, at, place: CaptionPlace::Heading, holder: None }
}

fn cell(tiles: &Tiles, level: usize, stack: Stack, middle: Middle) -> Cell {
    let name = tiles.pyramid().name(stack);
    let piece = tiles.at(level, stack).map(|seat| SIDES[seat.index()].mark);
    let at = middle.vertex(0.0, 0.0);
    let corners = [(0.0, -1.0), (1.0, -0.5), (1.0, 0.5), (0.0, 1.0), (-1.0, 0.5), (-1.0, -0.5)];
    Cell {
        id: space_id(&name, level + 1),
        region: 0,
        corners: corners.map(|(halves, edges)| middle.vertex(halves, edges)).to_vec(),
        spot: (at.column, at.row),
        label: (piece.is_none() && tiles.rests(level, stack)).then_some((at.column - 1, at.row)),
        shade: Shade::Plain,
        piece,
        last: false,
        level,
        name,
    }
}
