//! Grids of squares and of hexagons: their cells, with names, neighbours, sides and corners; and the option that
//! chooses their size.
//!
//! A cell is identified by its number in board order: row by row from the top, each row from the left. Its place is its
//! row and its distance from the left, in halves of a cell, because neighbouring rows of hexagons are shifted by half a
//! cell.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::message;
use crate::rules::notation;
use crate::rules::options::{OptionSpec, Options};
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text::Message;

/// The number of cells of the largest board, rounded up to whole words of a set.
pub(crate) const CELLS: usize = 384;
/// The number of cells on the longest side.
const LONGEST: usize = 19;

/// The form of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A square of squares. Rows are numbered from the bottom.
    Square,
    /// A rhombus of hexagons, each row half a cell further right. Rows are numbered from the top.
    Rhombus,
    /// A triangle of hexagons with one corner at the top.
    Triangle,
    /// A hexagon of hexagons with a side at the top.
    Hexagon,
}

impl Shape {
    /// Returns whether a cell's name is the letter of its column and the number of its row. On other boards, it is the
    /// letter of its row and a number within the row.
    pub(crate) const fn has_columns(self) -> bool {
        matches!(self, Shape::Square | Shape::Rhombus)
    }

    const fn rows(self, size: usize) -> usize {
        if let Shape::Hexagon = self { 2 * size - 1 } else { size }
    }

    /// Returns the number of cells in a row.
    const fn length(self, size: usize, row: usize) -> usize {
        match self {
            Shape::Square | Shape::Rhombus => size,
            Shape::Triangle => row + 1,
            Shape::Hexagon => 2 * size - 1 - row.abs_diff(size - 1),
        }
    }

    /// Returns the distance of a row's first cell from the left, in halves of a cell.
    const fn indent(self, size: usize, row: usize) -> usize {
        match self {
            Shape::Square => 0,
            Shape::Rhombus => row,
            Shape::Triangle => size - 1 - row,
            Shape::Hexagon => row.abs_diff(size - 1),
        }
    }

    /// Returns the steps to the neighbours of a cell: halves of a cell to the right, and rows down. The neighbours of a
    /// hexagon are in clockwise order. Those of a square begin with the four across its edges, followed by the four
    /// across its corners.
    const fn steps(self) -> &'static [(isize, isize)] {
        match self {
            Shape::Square => &[(2, 0), (0, 1), (-2, 0), (0, -1), (2, 1), (-2, 1), (-2, -1), (2, -1)],
            _ => &[(2, 0), (1, 1), (-1, 1), (-2, 0), (-1, -1), (1, -1)],
        }
    }
}

/// A cell of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u16);

impl Cell {
    /// The value for a neighbour outside the board. No set contains it.
    pub(crate) const NONE: Cell = Cell::new(CELLS - 1);

    /// Creates the cell with this number in board order.
    #[allow(clippy::cast_possible_truncation, reason = "a board has at most CELLS cells")]
    pub(crate) const fn new(index: usize) -> Cell {
        Cell(index as u16)
    }

    /// Returns the cell's number in board order.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The cells of a board.
#[derive(Debug)]
pub struct Grid {
    pub(crate) shape: Shape,
    size: usize,
    spots: Vec<Spot>,
}

#[derive(Debug)]
struct Spot {
    name: String,
    row: usize,
    halves: usize,
    around: [Cell; 8],
    rim: u16,
    outwards: u8,
}

impl Grid {
    /// The bit of the first corner in [`Grid::rim`]. The sides have the bits below it.
    const CORNERS: u32 = 6;
    /// All directions from a hexagon, as bits.
    pub(crate) const AROUND: u8 = 0x3f;
    /// The bits of the sides in a rim.
    pub const SIDES: u16 = (1 << Grid::CORNERS) - 1;
    /// The top side of a square or a rhombus, as a bit of a rim.
    pub const TOP: u16 = 1;
    /// The right side.
    pub const RIGHT: u16 = 2;
    /// The bottom side.
    pub const BOTTOM: u16 = 4;
    /// The left side.
    pub const LEFT: u16 = 8;

    /// Returns the grid of this shape with `size` cells on a side. Each grid is built only once.
    ///
    /// # Panics
    /// If a side is longer than 19 cells, or a board has more than 383 cells.
    pub fn of(shape: Shape, size: u16) -> &'static Grid {
        static GRIDS: [[OnceLock<Grid>; LONGEST + 1]; 4] = [const { [const { OnceLock::new() }; LONGEST + 1] }; 4];
        GRIDS[shape as usize][usize::from(size)].get_or_init(|| Grid::new(shape, size.into()))
    }

    fn new(shape: Shape, size: usize) -> Grid {
        let rows = 0..shape.rows(size);
        let places = rows.flat_map(|row| (0..shape.length(size, row)).map(move |number| (row, number)));
        let place = |(row, number): (usize, usize)| (row, shape.indent(size, row) + 2 * number);
        let numbers: BTreeMap<(usize, usize), Cell> = places.clone().map(place).zip((0..).map(Cell::new)).collect();
        assert!(numbers.len() < CELLS, "too many cells for a set");
        let spot = |(row, number): (usize, usize)| {
            let (row, halves) = place((row, number));
            let mut around = [Cell::NONE; 8];
            for (found, (right, down)) in around.iter_mut().zip(shape.steps()) {
                let next = row.checked_add_signed(*down).zip(halves.checked_add_signed(*right));
                *found = next.and_then(|next| numbers.get(&next).copied()).unwrap_or(Cell::NONE);
            }
            let name = match shape {
                Shape::Square => format!("{}{}", letter(number), size - row),
                Shape::Rhombus => format!("{}{}", letter(number), row + 1),
                Shape::Triangle | Shape::Hexagon => format!("{}{}", letter(row), number + 1),
            };
            let rim = rim(shape, size, (row, number), &around);
            let edges = if let Shape::Square = shape { 0..4 } else { 0..6 };
            let missing = edges.filter(|direction| around[*direction] == Cell::NONE);
            let outwards = missing.map(|direction| 1 << direction).sum();
            Spot { name, row, halves, around, rim, outwards }
        };
        Grid { shape, size, spots: places.map(spot).collect() }
    }

    /// Returns the number of cells on a side.
    pub fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn rows(&self) -> usize {
        self.shape.rows(self.size)
    }

    /// Returns the cells in board order.
    pub fn cells(&self) -> impl DoubleEndedIterator<Item = Cell> + use<> {
        (0..self.spots.len()).map(Cell::new)
    }

    /// Returns the name of a cell.
    pub fn name(&self, cell: Cell) -> &str {
        &self.spots[cell.index()].name
    }

    /// Finds a cell by its name in lower case.
    pub(crate) fn named(&self, word: &str) -> Option<Cell> {
        self.cells().find(|cell| self.name(*cell) == word)
    }

    /// Explains which cells exist, if a word in lower case looks like a cell's name.
    pub(crate) fn missing(&self, word: &str) -> Option<Message> {
        let (row, _) = notation::split(word)?;
        if self.shape.has_columns() {
            return Some(self.no_such_square());
        }
        Some(match self.cells().filter(|cell| self.name(*cell).starts_with(row)).count() {
            0 => message!("rules.no-such-row", last = letter(self.rows() - 1)),
            last => message!("rules.no-such-cell", row, last),
        })
    }

    /// Explains which columns and rows exist.
    pub(crate) fn no_such_square(&self) -> Message {
        let from_top = self.shape == Shape::Rhombus;
        message!("rules.no-such-square", last = letter(self.size - 1), size = self.size, from_top)
    }

    /// Returns the name of the cell in the last column and row or, on boards without columns, of the last cell in board
    /// order.
    pub(crate) fn last_name(&self) -> String {
        match self.shape.has_columns() {
            true => format!("{}{}", letter(self.size - 1), self.size),
            false => self.cells().next_back().map(|cell| self.name(cell).to_owned()).unwrap_or_default(),
        }
    }

    /// Returns the name of the cell that a word in lower case probably means.
    pub(crate) fn nearest(&self, word: &str) -> Option<&str> {
        notation::nearest(word, self.spots.iter().map(|spot| spot.name.as_str()))
    }

    /// Returns the row of a cell, from 0 at the top.
    pub(crate) fn row(&self, cell: Cell) -> usize {
        self.spots[cell.index()].row
    }

    /// Returns the distance of a cell from the left, in halves of a cell.
    pub(crate) fn halves(&self, cell: Cell) -> usize {
        self.spots[cell.index()].halves
    }

    /// Returns the number of directions across edges: 4 from a square, 6 from a hexagon.
    #[inline]
    pub fn directions(&self) -> usize {
        if let Shape::Square = self.shape { 4 } else { 6 }
    }

    /// Returns the axes of straight lines, as pairs of opposite directions. The axes of squares include the diagonals.
    pub fn axes(&self) -> &'static [[usize; 2]] {
        if let Shape::Square = self.shape { &[[0, 2], [1, 3], [4, 6], [5, 7]] } else { &[[0, 3], [1, 4], [2, 5]] }
    }

    /// Returns the neighbours in all directions. Missing ones are [`Cell::NONE`].
    #[inline]
    pub(crate) fn around(&self, cell: Cell) -> &[Cell; 8] {
        &self.spots[cell.index()].around
    }

    /// Returns the neighbour in a direction. Directions 0 to 3 of a square cross its edges, and 4 to 7 its corners; 0
    /// to 5 of a hexagon cross its edges. All are clockwise, starting from the right or the lower right.
    #[inline]
    pub fn step(&self, cell: Cell, direction: usize) -> Option<Cell> {
        let next = self.around(cell)[direction];
        (next != Cell::NONE).then_some(next)
    }

    /// Returns the directions across edges, as bits, in which a cell has no neighbour.
    #[inline]
    pub(crate) fn outwards(&self, cell: Cell) -> u8 {
        self.spots[cell.index()].outwards
    }

    /// Returns each direction from a hexagon whose two neighbouring directions are both in the given set.
    #[inline]
    pub(crate) const fn flanked(directions: u8) -> u8 {
        (directions << 1 | directions >> 5) & (directions >> 1 | directions << 5) & Grid::AROUND
    }

    /// Returns the cells that share an edge with this one.
    #[inline]
    pub fn neighbours(&self, cell: Cell) -> impl Iterator<Item = Cell> + '_ {
        (0..self.directions()).filter_map(move |direction| self.step(cell, direction))
    }

    /// Returns the sides and corners that a cell belongs to, as bits: sides from bit 0, corners of a hexagonal board
    /// from bit 6. On a hexagonal board, corners do not belong to sides.
    #[inline]
    pub fn rim(&self, cell: Cell) -> u16 {
        self.spots[cell.index()].rim
    }

    /// Returns the cells on these sides and corners.
    pub fn on_rim(&self, rim: u16) -> impl Iterator<Item = Cell> + '_ {
        self.cells().filter(move |cell| self.rim(*cell) & rim != 0)
    }
}

/// Returns the letter of a row or column.
pub(crate) fn letter(index: usize) -> char {
    (b'a'..=b'z').nth(index).map_or('?', char::from)
}

fn rim(shape: Shape, size: usize, (row, number): (usize, usize), around: &[Cell; 8]) -> u16 {
    let bits = |sides: [bool; 4]| sides.iter().zip(0..).map(|(on_it, bit)| u16::from(*on_it) << bit).sum();
    match shape {
        Shape::Square | Shape::Rhombus => bits([row == 0, number == size - 1, row == size - 1, number == 0]),
        Shape::Triangle => bits([number == 0, number == row, row == size - 1, false]),
        // A cell on a side lacks two consecutive neighbours; a cell in a corner lacks three.
        Shape::Hexagon => {
            let lacks = |direction: usize| around[direction % 6] == Cell::NONE;
            let first = (0..6).find(|direction| lacks(*direction) && !lacks(direction + 5));
            let Some(first) = first else { return 0 };
            1 << first << if lacks(first + 2) { Grid::CORNERS } else { 0 }
        }
    }
}

/// Creates the option for a board's size. `value` describes the possible sizes in words.
pub const fn size_option(numbers: &'static [u16], value: Message) -> OptionSpec {
    OptionSpec {
        name: "size",
        value: Some(value),
        numbers,
        about: Message::new("rules.option-size"),
        label: Message::new("rules.label-size"),
    }
}

/// Returns the size chosen by the options, or the usual size if there are no options.
///
/// # Errors
/// A refusal if the size does not exist.
pub fn size(options: &Options, of_game: &[OptionSpec], usual: u16) -> Result<u16, Refusal> {
    let Some((name, value)) = options.iter().next() else { return Ok(usual) };
    let value = value.unwrap_or_default();
    let option = of_game.iter().find(|option| option.name == name);
    // The text is stored as typed, so accept only one spelling of each number.
    let known = option.and_then(|option| option.numbers.iter().find(|size| size.to_string() == value));
    known.copied().ok_or_else(|| {
        let sizes = option.and_then(|option| option.value.clone()).unwrap_or_default();
        let message = message!("rules.no-such-size", sizes, usual);
        Refusal::new(RefusalKind::Options, format!("-{name}={value}"), message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_mutual_and_steps_are_opposite() {
        for (shape, size) in [(Shape::Rhombus, 7), (Shape::Triangle, 6), (Shape::Hexagon, 5), (Shape::Square, 8)] {
            let grid = Grid::of(shape, size);
            for cell in grid.cells() {
                for [one, other] in grid.axes().iter().flat_map(|[one, other]| [[*one, *other], [*other, *one]]) {
                    let Some(next) = grid.step(cell, one) else { continue };
                    assert_eq!(grid.step(next, other), Some(cell));
                }
                assert_eq!(grid.named(grid.name(cell)), Some(cell));
            }
        }
    }

    #[test]
    fn boards_have_their_cells_sides_and_corners() {
        let counts = |shape, size, bits: u32| {
            let grid = Grid::of(shape, size);
            let rims = (0..bits).map(|bit| grid.on_rim(1 << bit).count()).collect::<Vec<_>>();
            (grid.cells().count(), rims)
        };
        assert_eq!(counts(Shape::Rhombus, 11, 4), (121, vec![11; 4]));
        assert_eq!(counts(Shape::Triangle, 12, 3), (78, vec![12; 3]));
        assert_eq!(counts(Shape::Hexagon, 8, 12), (169, [[6; 6], [1; 6]].concat()));
    }

    #[test]
    fn names_follow_the_shape() {
        let ends = |shape, size| {
            let grid = Grid::of(shape, size);
            let name = |cell: Option<Cell>| grid.name(cell.unwrap()).to_owned();
            (name(grid.cells().next()), name(grid.cells().next_back()))
        };
        let names = |first: &str, last: &str| (first.to_owned(), last.to_owned());
        assert_eq!(ends(Shape::Square, 13), names("a13", "m1"));
        assert_eq!(ends(Shape::Rhombus, 11), names("a1", "k11"));
        assert_eq!(ends(Shape::Triangle, 12), names("a1", "l12"));
        assert_eq!(ends(Shape::Hexagon, 8), names("a1", "o8"));
    }
}
