//! Describes a grid for drawing.
//!
//! In ASCII, a cell is four columns wide and two rows high and contains its name; hexagons are drawn as bricks. On a
//! rhombus too wide for a line of mail, each empty cell is a dot, and coordinates are at the rim.

use super::grid::{Cell, Grid, Shape, letter};
use super::set::CellSet;
use super::stones::Colour;
use crate::message;
use crate::rules::scene::{self, Border, Caption, CaptionPlace, Scene, Shade, Vertex};
use crate::text::Message;

/// The width of a line of mail.
const WIDTH: i32 = 78;
/// The number of columns to the left of the board.
const MARGIN: i32 = 3;
/// A column or row outside the ASCII drawing.
const OUTSIDE: i32 = -99;
/// Half the width of a hexagon of edge 1.
const HALF: f64 = 0.866_025_403_784_438_6;

/// The corners of a square and of a hexagon: x and y from the middle of the cell in a picture, then column and row from
/// the cell's upper left corner in ASCII.
const SQUARE: [(f64, f64, i32, i32); 4] = [(-0.5, -0.5, 0, 0), (0.5, -0.5, 4, 0), (0.5, 0.5, 4, 2), (-0.5, 0.5, 0, 2)];
const HEXAGON: [(f64, f64, i32, i32); 6] = [
    (0.0, -1.0, 2, 0),
    (HALF, -0.5, 4, 0),
    (HALF, 0.5, 4, 2),
    (0.0, 1.0, 2, 2),
    (-HALF, 0.5, 0, 2),
    (-HALF, -0.5, 0, 0),
];

/// The layout of a grid in pictures and in ASCII.
#[derive(Clone, Copy)]
struct Layout {
    shape: Shape,
    /// The width of half a cell in columns, and the height of a cell in rows.
    half: i32,
    high: i32,
    left: i32,
    top: i32,
}

impl Layout {
    fn of(grid: &Grid) -> Layout {
        let halves = grid.cells().map(|cell| grid.halves(cell)).max().unwrap_or_default() as i32 + 2;
        let is_large = grid.shape == Shape::Rhombus && 2 * halves + 1 + MARGIN > WIDTH;
        let (half, high) = if is_large { (1, 1) } else { (2, 2) };
        let left = if half * halves + 1 + MARGIN <= WIDTH { MARGIN } else { 0 };
        Layout { shape: grid.shape, half, high, left, top: i32::from(grid.shape.has_columns()) }
    }

    fn is_large(self) -> bool {
        self.half == 1
    }

    /// Returns the middle of a cell in a picture, and its upper left corner in ASCII.
    fn middle(self, row: i32, halves: i32) -> Vertex {
        let (x, y) = match self.shape {
            Shape::Square => (f64::from(halves) / 2.0 + 0.5, f64::from(row) + 0.5),
            _ => (f64::from(halves + 1) * HALF, f64::from(row) * 1.5 + 1.0),
        };
        Vertex { x, y, column: self.left + self.half * halves, row: self.top + self.high * row }
    }

    fn corners(self, at: Vertex) -> Vec<Vertex> {
        let corners: &[_] = if let Shape::Square = self.shape { &SQUARE } else { &HEXAGON };
        let corner = |&(x, y, right, down): &(f64, f64, i32, i32)| {
            // Large boards are drawn with one character for each cell, so all corners of a cell are one point.
            let (right, down) = if self.is_large() { (2, 1) } else { (right, down) };
            Vertex { x: at.x + x, y: at.y + y, column: at.column + right, row: at.row + down }
        };
        corners.iter().map(corner).collect()
    }

    /// Returns the column and row of a cell's piece in ASCII.
    fn spot(self, at: Vertex) -> (i32, i32) {
        (at.column + 2, at.row + 1)
    }
}

/// Describes a grid with its pieces. `piece` returns the mark of the piece on a cell.
pub(crate) fn scene(grid: &Grid, piece: impl Fn(Cell) -> Option<char>, last: &CellSet) -> Scene {
    let layout = Layout::of(grid);
    let cell = |cell: Cell| {
        let at = layout.middle(grid.row(cell) as i32, grid.halves(cell) as i32);
        let spot = layout.spot(at);
        let name = grid.name(cell).to_owned();
        scene::Cell {
            id: name.clone(),
            name,
            region: grid.row(cell),
            corners: layout.corners(at),
            spot,
            label: Some(if layout.is_large() { (OUTSIDE, OUTSIDE) } else { (spot.0 - 1, spot.1) }),
            shade: Shade::Plain,
            piece: piece(cell),
            last: last.has(cell),
            level: 0,
        }
    };
    let region = |row: usize| match grid.shape {
        Shape::Square => message!("rules.row", row = grid.size() - row),
        Shape::Rhombus => message!("rules.row", row = row + 1),
        Shape::Triangle | Shape::Hexagon => message!("rules.row", row = letter(row)),
    };
    Scene {
        cells: grid.cells().map(cell).collect(),
        regions: (0..grid.rows()).map(|row| region(row).into()).collect(),
        notes: Vec::new(),
        winning: Vec::new(),
        captions: captions(grid, layout),
        borders: Vec::new(),
        bonds: Vec::new(),
        way: None,
        light: Colour::White.mark(),
    }
}

/// Returns the coordinates: the names of rows at their left ends, and the names of columns above and below the board.
/// On boards without columns, the numbers of cells are at the right ends of rows and above and below the board.
fn captions(grid: &Grid, layout: Layout) -> Vec<Caption> {
    let caption =
        |text: &str, at: Vertex| Caption { text: Message::verbatim(text), at, place: CaptionPlace::Free, holder: None };
    let place = |cell: Cell| layout.middle(grid.row(cell) as i32, grid.halves(cell) as i32);
    // The distances of captions from the middles of their cells: sideways at the ends of a row, then vertically and
    // sideways above and below the board. A rhombus has bars along its rim, so its distances are larger.
    let (beside, above, outwards) = match grid.shape {
        Shape::Square => (1.15, 1.1, 0.0),
        Shape::Rhombus => (2.15, 2.05, 1.2),
        Shape::Triangle | Shape::Hexagon => (1.55, 1.7, 0.85),
    };
    let mut captions = Vec::new();
    for row in 0..grid.rows() {
        let mut cells = grid.cells().filter(|cell| grid.row(*cell) == row);
        let Some(first) = cells.next() else { continue };
        let last = cells.next_back().unwrap_or(first);
        let (letter, number) = grid.name(first).split_at(1);
        let text = if grid.shape.has_columns() { number } else { letter };
        let (at, to) = (place(first), place(last));
        let column = layout.spot(at).0 - if layout.is_large() { 1 } else { 2 } - 1 - text.len() as i32;
        captions.push(caption(text, Vertex { x: at.x - beside, column, row: layout.spot(at).1, ..at }));
        if !grid.shape.has_columns() {
            let at = Vertex { x: to.x + beside, column: OUTSIDE, row: OUTSIDE, ..to };
            captions.push(caption(grid.name(last).split_at(1).1, at));
        }
    }
    let ends = [(0, -1.0, -1), (grid.rows() - 1, 1.0, 1)];
    for (row, down, lines) in ends {
        for cell in grid.cells().filter(|cell| grid.row(*cell) == row) {
            let (letter, number) = grid.name(cell).split_at(1);
            let at = place(cell);
            let (column, line) = layout.spot(at);
            if grid.shape.has_columns() {
                let line = line + lines * if layout.is_large() { 1 } else { 2 };
                let right = if let Shape::Rhombus = grid.shape { down * outwards } else { 0.0 };
                captions.push(caption(letter, Vertex { x: at.x + right, y: at.y + down * above, column, row: line }));
            } else {
                let right = match (grid.shape, row) {
                    // The number of the top corner is already at its right.
                    (Shape::Triangle, 0) => continue,
                    (Shape::Triangle, _) => -outwards,
                    _ => outwards,
                };
                let at = Vertex { x: at.x + right, y: at.y + down * above, column: OUTSIDE, row: OUTSIDE };
                captions.push(caption(number, at));
            }
        }
    }
    captions
}

/// Returns the two opposite sides that a colour must connect, as in Hex.
pub(crate) const fn sides(colour: Colour) -> [u16; 2] {
    match colour {
        Colour::Black => [Grid::TOP, Grid::BOTTOM],
        Colour::White => [Grid::LEFT, Grid::RIGHT],
    }
}

/// Returns the sides of a square or a rhombus, with their colours.
pub(crate) fn borders(grid: &Grid) -> Vec<Border> {
    let border = |side: u16, colour: Colour| {
        let [from, to] = if let Shape::Square = grid.shape { edge(grid, side) } else { bar(grid, side) };
        Border { mark: colour.mark(), from, to }
    };
    Colour::BOTH.into_iter().flat_map(|colour| sides(colour).map(|side| border(side, colour))).collect()
}

/// Returns the ends of a side of a square: the outermost corners of its cells.
fn edge(grid: &Grid, side: u16) -> [Vertex; 2] {
    let (layout, last) = (Layout::of(grid), grid.size() as i32);
    let ends = match side {
        Grid::TOP => [(0, 0), (last, 0)],
        Grid::BOTTOM => [(0, last), (last, last)],
        Grid::LEFT => [(0, 0), (0, last)],
        _ => [(last, 0), (last, last)],
    };
    ends.map(|(right, down): (i32, i32)| Vertex {
        x: right.into(),
        y: down.into(),
        column: layout.left + 4 * right,
        row: layout.top + 2 * down,
    })
}

/// Returns the ends of the bar along a side of a rhombus.
fn bar(grid: &Grid, side: u16) -> [Vertex; 2] {
    let layout = Layout::of(grid);
    let (size, count) = (grid.size() as f64, grid.size() as i32);
    let wide = 2.0 * HALF * size;
    // The point where the bar begins, and the direction of the bar. In a picture, the bar lies outside the outermost
    // corners of the cells; in ASCII, it ends at these corners.
    let ((x, y, column, row), right, down) = match side {
        Grid::TOP => ((0.0, 0.0, 0, 0), 1, 0),
        Grid::BOTTOM => ((HALF * (size - 1.0), 1.5 * size + 0.5, 2 * count - 2, 2 * count), 1, 0),
        Grid::LEFT => ((-0.5 * HALF, 0.75, -2, 0), 0, 1),
        _ => ((wide, 0.5, 4 * count, 0), 0, 1),
    };
    let corner = |x: f64, y: f64, column: i32, row: i32| match layout.is_large() {
        true => Vertex { x, y, column: OUTSIDE, row: OUTSIDE },
        false => Vertex { x, y, column: layout.left + column, row: layout.top + row },
    };
    let lean = size - 0.5;
    let (along, across) = if right == 1 { (wide, 0.0) } else { (HALF * lean, 1.5 * lean) };
    let to = (column + 4 * count * right + 2 * count * down, row + 2 * count * down);
    [corner(x, y, column, row), corner(x + along, y + across, to.0, to.1)]
}
