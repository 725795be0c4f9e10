//! TwixT's positions: the pegs, their links, and the colour to move.

use crate::message;
use crate::rules::kit::Colour;
use crate::rules::notation::{self, Notation};
use crate::rules::outcome::{Outcome, Seat};
use crate::rules::refusal::{Refusal, RefusalKind};

/// The number of holes on the longest side.
const LONGEST: usize = 30;
/// The steps from a hole to those a knight's move away: columns to the right and rows down. The opposite of each step
/// is four places away in this list.
const KNIGHT: [(isize, isize); 8] = [(1, -2), (2, -1), (2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2)];
/// For each direction of a link, the links that cross it: the steps from its start to theirs, and their directions.
static CROSSING: [[(isize, isize, usize); 9]; 8] = crossing();

/// The bits of a hole: its peg's colour, the sides that the peg's chain touches and, from bit 8, its links by
/// direction.
const PEG: [u16; 2] = [1, 2];
const SIDES: [u16; 2] = [4, 8];
const TOUCHED: u16 = SIDES[0] | SIDES[1];
const LINK: u16 = 1 << 8;

/// The pegs and links of a board. Holes are numbered row by row from the top.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pegs {
    pub(crate) size: usize,
    holes: [u16; LONGEST * LONGEST],
}

impl Pegs {
    pub(crate) fn new(size: u16) -> Pegs {
        Pegs { size: size.into(), holes: [0; LONGEST * LONGEST] }
    }

    /// Returns the column (from the left) and the row (from the top) of a hole.
    pub(crate) fn place(&self, hole: usize) -> (usize, usize) {
        (hole % self.size, hole / self.size)
    }

    /// Returns the holes in board order. The corners are not holes.
    pub(crate) fn holes(&self) -> impl Iterator<Item = usize> + use<> {
        let (last, size) = (self.size - 1, self.size);
        (0..size * size).filter(move |hole| !(hole % size % last == 0 && hole / size % last == 0))
    }

    /// Returns whether a colour may place a peg in a hole: anywhere except on the sides of the other colour.
    pub(crate) fn may_use(&self, hole: usize, colour: Colour) -> bool {
        let ((column, row), last) = (self.place(hole), self.size - 1);
        match colour {
            Colour::White => column != 0 && column != last,
            Colour::Black => row != 0 && row != last,
        }
    }

    pub(crate) fn at(&self, hole: usize) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|colour| self.holes[hole] & PEG[colour.index()] != 0)
    }

    /// Returns whether the chain of a peg touches both sides of its colour.
    pub(crate) fn joins(&self, hole: usize) -> bool {
        self.holes[hole] & TOUCHED == TOUCHED
    }

    fn step(&self, hole: usize, right: isize, down: isize) -> Option<usize> {
        let (column, row) = self.place(hole);
        let (column, row) = (column.checked_add_signed(right)?, row.checked_add_signed(down)?);
        (column < self.size && row < self.size).then_some(row * self.size + column)
    }

    /// Returns the direction of each link of a peg, and the peg at its other end.
    pub(crate) fn linked(&self, hole: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (links, size) = (self.holes[hole] / LINK, self.size);
        let ends = KNIGHT.iter().enumerate().filter(move |(direction, _)| links >> direction & 1 == 1);
        ends.map(move |(direction, (right, down))| {
            (direction, hole.wrapping_add_signed(right + down * size.cast_signed()))
        })
    }

    fn is_crossed(&self, hole: usize, direction: usize, by: Colour) -> bool {
        CROSSING[direction].iter().any(|(right, down, crossing)| {
            let from = self.step(hole, *right, *down).map(|from| self.holes[from]);
            from.is_some_and(|from| from & PEG[by.index()] != 0 && from & LINK << crossing != 0)
        })
    }

    /// Returns the bit of the side of a colour on which a hole lies; 0 if the hole lies on neither side.
    fn side(&self, hole: usize, colour: Colour) -> u16 {
        let ((column, row), last) = (self.place(hole), self.size - 1);
        let along = if colour == Colour::White { row } else { column };
        match along {
            0 => SIDES[0],
            _ if along == last => SIDES[1],
            _ => 0,
        }
    }

    /// Returns whether a peg in an empty hole would join both sides of its colour if no link were crossed.
    pub(crate) fn may_join(&self, hole: usize, colour: Colour) -> bool {
        let ends = KNIGHT.iter().filter_map(|(right, down)| self.step(hole, *right, *down));
        let own = ends.map(|end| self.holes[end]).filter(|end| end & PEG[colour.index()] != 0);
        own.fold(self.side(hole, colour), |touched, end| touched | end) & TOUCHED == TOUCHED
    }

    /// Puts a peg in an empty hole, with every link that no enemy link crosses.
    pub(crate) fn put(&mut self, hole: usize, colour: Colour) {
        self.holes[hole] |= PEG[colour.index()] | self.side(hole, colour);
        let mut touched = self.holes[hole];
        for (direction, (right, down)) in KNIGHT.iter().enumerate() {
            let Some(end) = self.step(hole, *right, *down) else { continue };
            if self.at(end) == Some(colour) && !self.is_crossed(hole, direction, colour.other()) {
                self.holes[hole] |= LINK << direction;
                self.holes[end] |= LINK << ((direction + 4) % 8);
                touched |= self.holes[end];
            }
        }
        self.spread(hole, touched & TOUCHED);
    }

    /// Records the sides that a chain touches, in each hole of the chain.
    fn spread(&mut self, hole: usize, touched: u16) {
        let (mut waiting, mut count) = ([0_u16; LONGEST * LONGEST], 1);
        waiting[0] = hole as u16;
        self.holes[hole] |= touched;
        while count > 0 {
            count -= 1;
            for (_, end) in self.linked(waiting[count].into()) {
                if self.holes[end] & TOUCHED != touched {
                    self.holes[end] |= touched;
                    waiting[count] = end as u16;
                    count += 1;
                }
            }
        }
    }

    /// Returns a shortest path over links between the sides of a colour.
    pub(crate) fn way(&self, colour: Colour) -> Vec<usize> {
        let along = |hole: usize| if colour == Colour::White { self.place(hole).1 } else { self.place(hole).0 };
        let starts = self.holes().filter(|hole| self.at(*hole) == Some(colour) && along(*hole) == 0);
        let is_end = |hole: usize| along(hole) == self.size - 1;
        notation::shortest(starts, is_end, |hole| self.linked(hole).map(|(_, end)| end).collect())
    }
}

const fn crossing() -> [[(isize, isize, usize); 9]; 8] {
    let mut all = [[(0, 0, 0); 9]; 8];
    let mut direction = 0;
    while direction < 8 {
        let (mut found, mut at) = (0, 0);
        // Try each link once: in its first four directions, from at most three columns and rows away.
        while at < 7 * 7 * 4 {
            let (from, crossing) = ((at % 7 - 3, at / 7 % 7 - 3), at as usize / 49);
            if crosses(KNIGHT[direction], from, KNIGHT[crossing]) {
                all[direction][found] = (from.0, from.1, crossing);
                found += 1;
            }
            at += 1;
        }
        assert!(found == 9);
        direction += 1;
    }
    all
}

/// Returns whether a link that starts at the origin crosses a link that starts at `from`. Links that only share an end
/// do not cross.
const fn crosses(link: (isize, isize), from: (isize, isize), other: (isize, isize)) -> bool {
    const fn side(way: (isize, isize), point: (isize, isize)) -> isize {
        (way.0 * point.1 - way.1 * point.0).signum()
    }
    let to = (from.0 + other.0, from.1 + other.1);
    let (start, end) = ((-from.0, -from.1), (link.0 - from.0, link.1 - from.1));
    side(link, from) * side(link, to) < 0 && side(other, start) * side(other, end) < 0
}

/// A move: a peg in a hole, or the exchange of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A peg in a hole, by its number.
    Peg(u16),
    /// The players exchange colours; the peg stays.
    Swap,
}

/// A position of TwixT.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(crate) pegs: Pegs,
    /// The number of empty holes that each colour may use.
    pub(crate) open: [u16; 2],
    pub(crate) turn: Colour,
    pub(crate) black: Seat,
    pub(crate) plies: u16,
    pub(crate) outcome: Option<Outcome>,
}

impl Position {
    /// Creates the empty board with this number of holes on a side.
    pub fn new(size: u16) -> Position {
        let open = [size * (size - 2); 2];
        Position { pegs: Pegs::new(size), open, turn: Colour::White, black: Seat::Second, plies: 0, outcome: None }
    }

    pub(crate) fn may_swap(&self) -> bool {
        self.plies == 1
    }

    pub(crate) fn is_open(&self, hole: usize) -> bool {
        self.pegs.at(hole).is_none() && self.pegs.may_use(hole, self.turn)
    }

    pub(crate) fn colour(&self, seat: Seat) -> Colour {
        if seat == self.black { Colour::Black } else { Colour::White }
    }

    pub(crate) fn name(&self, hole: usize) -> String {
        let (column, row) = self.pegs.place(hole);
        format!("{}{}", column_name(column), row + 1)
    }

    /// Finds a hole by its name in lower case.
    pub(crate) fn named(&self, word: &str) -> Option<usize> {
        let size = self.pegs.size;
        let digits = word.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
        let row = digits.parse::<usize>().ok()?.checked_sub(1).filter(|row| *row < size)?;
        let hole = (row * size..(row + 1) * size).find(|hole| self.name(*hole) == word)?;
        self.pegs.holes().any(|other| other == hole).then_some(hole)
    }

    pub(crate) fn not_a_move(&self, word: &str) -> Refusal {
        let (size, last) = (self.pegs.size, column_name(self.pegs.size - 1));
        let is_corner =
            ["a", last.as_str()].iter().any(|column| [1, size].iter().any(|row| word == format!("{column}{row}")));
        let message = match () {
            () if is_corner => message!("twixt.corner"),
            () if Notation::is_cell(word) => message!("rules.no-such-square", last, size, from_top = true),
            () => message!("twixt.not-a-hole"),
        };
        let names: Vec<String> = self.pegs.holes().map(|hole| self.name(hole)).collect();
        let nearest = notation::nearest(word, names.iter().map(String::as_str)).map(str::to_owned);
        Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, word, message) }
    }
}

/// Returns the name of a column: `a` to `z`, then `aa` and so on.
pub(crate) fn column_name(column: usize) -> String {
    let letter = char::from(b'a' + (column % 26) as u8);
    if column < 26 { letter.to_string() } else { format!("a{letter}") }
}
