//! Describes the board for drawing. A square is four columns and two rows of characters; names are on the rim if they
//! fit.

use super::cells::{Cell as Square, letter};
use super::position::{Move, Position};
use crate::message;
use crate::rules::kit::Colour;
use crate::rules::scene::{Border, Caption, CaptionPlace, Cell, Scene, Shade, Vertex};
use crate::text::Message;

/// Columns of characters for each square, including one grid line.
const COLUMNS: i32 = 4;
/// Rows of characters for each square.
const ROWS: i32 = 2;
/// Columns to the left of the board, for the row numbers.
const MARGIN: i32 = 3;
/// The largest board whose row numbers fit on a line of 78 columns.
const NUMBERED: u16 = 18;

pub(crate) fn scene(position: &Position, last: Option<Move>) -> Scene {
    let size = position.size();
    let grid = Grid { margin: if size <= NUMBERED { MARGIN } else { 0 } };
    let last = last.map(|mv| position.settled_by(mv)).unwrap_or_default();
    let squares = (0..size).flat_map(|row| (0..size).map(move |column| Square::at(row, column)));
    let cell = |square: Square| {
        let name = square.name(size);
        let (row, column) = (i32::from(square.row()), i32::from(square.column()));
        let left = grid.corner(row, column);
        Cell {
            id: name.clone(),
            name,
            region: usize::from(square.row()),
            corners: [(0, 0), (0, 1), (1, 1), (1, 0)]
                .map(|(down, right)| grid.corner(row + down, column + right))
                .into(),
            spot: (left.column + 2, left.row + 1),
            label: Some((left.column + 1, left.row + 1)),
            shade: if square.is_dark() { Shade::Dark } else { Shade::Plain },
            piece: position.at(square).map(Colour::mark),
            last: last.has(square),
            level: 0,
        }
    };
    Scene {
        cells: squares.map(cell).collect(),
        regions: (0..size).map(|row| message!("rules.row", row = size - row).into()).collect(),
        notes: Vec::new(),
        winning: Vec::new(),
        captions: grid.captions(size),
        borders: grid.borders(i32::from(size)),
        bonds: Vec::new(),
        way: None,
        light: Colour::White.mark(),
    }
}

struct Grid {
    margin: i32,
}

impl Grid {
    /// Returns the upper left corner of a square. The first row of characters holds the column letters.
    fn corner(&self, row: i32, column: i32) -> Vertex {
        Vertex { x: f64::from(column), y: f64::from(row), column: self.margin + COLUMNS * column, row: 1 + ROWS * row }
    }

    fn borders(&self, size: i32) -> Vec<Border> {
        let border = |colour: Colour, from: (i32, i32), to: (i32, i32)| Border {
            mark: colour.mark(),
            from: self.corner(from.0, from.1),
            to: self.corner(to.0, to.1),
        };
        vec![
            border(Colour::Black, (0, 0), (0, size)),
            border(Colour::Black, (size, 0), (size, size)),
            border(Colour::White, (0, 0), (size, 0)),
            border(Colour::White, (0, size), (size, size)),
        ]
    }

    /// Returns the column letters above and below the board, and the row numbers at its sides.
    fn captions(&self, size: u16) -> Vec<Caption> {
        let caption = |text: String, x: f64, y: f64, column: i32, row: i32| Caption {
            text: Message::verbatim(text),
            at: Vertex { x, y, column, row },
            place: CaptionPlace::Free,
            holder: None,
        };
        let high = f64::from(size);
        let mut captions = Vec::new();
        for along in 0..size {
            let middle = f64::from(along) + 0.5;
            let corner = self.corner(i32::from(along), i32::from(along));
            for (y, row) in [(-0.6, 0), (high + 0.6, 1 + ROWS * i32::from(size) + 1)] {
                captions.push(caption(letter(along).to_string(), middle, y, corner.column + 2, row));
            }
            let number = (size - along).to_string();
            // Outside the drawing if there is no room.
            let column = self.margin - 1 - number.len() as i32;
            captions.push(caption(number, -0.65, middle, column, corner.row + 1));
        }
        captions
    }
}
