//! Lines of Action (Claude Soucie 1969): a piece moves as many squares as there are pieces on its line, and the aim is
//! to connect all pieces.

use super::catalogue::{GameInfo, Kind};
use super::kit::{Cell, CellSet, Colour, End, Pieces, Stepped, Stepping};
use super::outcome::EndReason;
use crate::message;
use crate::text::Message;

/// A position of Lines of Action.
pub type Position = Stepped<LinesOfAction>;

/// All pieces of a side are connected.
const ONE_GROUP: EndReason = EndReason::new("one group");
/// A capture connects the pieces of both sides.
const BOTH_IN_ONE_GROUP: EndReason = EndReason::new("both in one group");

/// The game Lines of Action.
#[derive(Clone, Copy, Debug)]
pub struct LinesOfAction;

/// Returns the number of pieces on each line through a piece's square, by direction.
fn counts(pieces: &Pieces, through: Cell) -> [usize; 8] {
    let taken = pieces.taken();
    let beyond: [usize; 8] =
        std::array::from_fn(|direction| pieces.ray(through, direction).filter(|cell| taken.has(*cell)).count());
    // Directions 0 to 3 cross edges and 4 to 7 cross corners, both clockwise, so inverting bit 1 gives the opposite
    // direction.
    std::array::from_fn(|direction| 1 + beyond[direction] + beyond[direction ^ 2])
}

/// Returns whether the pieces of a colour are one group of neighbours in eight directions.
fn is_one_group(pieces: &Pieces, colour: Colour) -> bool {
    let mut rest = *pieces.of(colour);
    let mut seen: CellSet = rest.nth(0).into_iter().collect();
    while let Some(cell) = seen.nth(0) {
        seen.take(cell);
        rest.take(cell);
        let beside = Pieces::DIRECTIONS.filter_map(|direction| pieces.grid().step(cell, direction));
        beside.filter(|next| rest.has(*next)).for_each(|next| seen.put(next));
    }
    rest.is_empty()
}

impl GameInfo for LinesOfAction {
    type Position = Position;
    const NAME: &'static str = "loa";
    const TITLE: &'static str = "Lines of Action";
    const DESIGNER: &'static str = "Claude Soucie, 1969";
    const KIND: Kind = Kind::Groups;
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("loa.about");
    const SAMPLE: (&'static str, &'static str) = ("", "c1-c3 a5-c5 e8-e6 h3xe6 d1-d3 a4-b5");
}

impl Stepping for LinesOfAction {
    const SIZE: u16 = 8;
    const FIRST: Colour = Colour::Black;
    const START: [&'static str; 2] = ["b8 c8 d8 e8 f8 g8 b1 c1 d1 e1 f1 g1", "a7 a6 a5 a4 a3 a2 h7 h6 h5 h4 h3 h2"];
    const PASSES: bool = true;
    const REPEATS: bool = true;
    const CANDIDATES: usize = 4;

    fn aim(_: &Pieces) -> Message {
        message!("loa.aim")
    }

    fn targets(pieces: &Pieces, from: Cell) -> CellSet {
        let Some(colour) = pieces.at(from) else { return CellSet::default() };
        let (own, enemy, counts) = (pieces.of(colour), pieces.of(colour.other()), counts(pieces, from));
        let target = |direction: usize| {
            let mut way = pieces.ray(from, direction);
            let jumps = way.by_ref().take(counts[direction] - 1).any(|cell| enemy.has(cell));
            way.next().filter(|to| !jumps && !own.has(*to))
        };
        Pieces::DIRECTIONS.filter_map(target).collect()
    }

    /// Returns how much closer the piece comes to the centre of its side's pieces.
    fn gain(pieces: &Pieces, from: Cell, to: Cell) -> i32 {
        let grid = pieces.grid();
        let place = |cell: Cell| [2 * grid.row(cell) as i32, grid.halves(cell) as i32];
        let own = pieces.of(pieces.turn());
        let count = own.count() as i32;
        let [rows, halves] =
            own.cells().map(place).fold([0, 0], |[rows, halves], [row, half]| [rows + row, halves + half]);
        let distance = |cell: Cell| {
            let [row, half] = place(cell);
            (count * row - rows).abs().max((count * half - halves).abs())
        };
        distance(from) - distance(to)
    }

    fn refusal(pieces: &Pieces, from: Cell, to: Cell) -> Message {
        let name = |cell| pieces.grid().name(cell);
        let (start, end) = (name(from), name(to));
        let Some(direction) = pieces.direction(from, to) else { return message!("rules.not-in-line", start, end) };
        let (length, distance) = (counts(pieces, from)[direction], pieces.between(from, to).count() + 1);
        let enemy = pieces.turn().other();
        let jumped = pieces.between(from, to).find(|cell| pieces.at(*cell) == Some(enemy));
        match jumped.filter(|_| distance == length) {
            Some(cell) => message!("loa.jumps", cell = name(cell), side = enemy.side()),
            None => message!("loa.wrong-length", start, end, length, distance),
        }
    }

    fn end(pieces: &Pieces, _: Cell) -> Option<End> {
        let own = pieces.turn();
        match (is_one_group(pieces, own), is_one_group(pieces, own.other())) {
            (true, true) => Some(End::Drawn(BOTH_IN_ONE_GROUP)),
            (true, false) => Some(End::Won(ONE_GROUP)),
            (false, true) => Some(End::Lost(ONE_GROUP)),
            (false, false) => None,
        }
    }

    fn winning_cells(pieces: &Pieces, _: Cell) -> Vec<Cell> {
        let winner = Colour::BOTH.into_iter().find(|colour| is_one_group(pieces, *colour));
        winner.map(|colour| pieces.of(colour).cells().collect()).unwrap_or_default()
    }

    fn achievement(_: &Pieces, _: Cell) -> Option<Message> {
        Some(message!("loa.joined"))
    }
}
