//! Draws the holes, pegs and links. In characters, a hole is a point, and a link one or two characters between pegs.

use super::pegs::{Move, Position, column_name};
use crate::message;
use crate::rules::kit::Colour;
use crate::rules::scene::{Border, Caption, CaptionPlace, Cell, Region, Scene, Shade, Vertex};
use crate::text::Message;

/// The columns of characters left of the board, and those of a hole: two if three are too wide for a line of mail.
const LEFT: i32 = 3;
const WIDE: usize = 25;
/// The columns whose names have one letter.
const LETTERS: usize = 26;
/// A column or row outside of the drawing in characters.
const OUTSIDE: i32 = -99;

pub(crate) fn scene(position: &Position, last: Option<Move>) -> Scene {
    let pegs = &position.pegs;
    let size = pegs.size;
    let apart = if size > WIDE { 2 } else { 3 };
    // Where columns have two letters, these are below each other.
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
    // Each link once, from its left end.
    let links =
        |hole: usize| pegs.linked(hole).filter(|(direction, _)| *direction < 4).map(move |(_, end)| [hole, end]);
    let region = |row: usize| {
        let of_row = pegs.holes().filter(|hole| pegs.place(*hole).1 == row).flat_map(links);
        let names: Vec<String> = of_row.map(|ends| ends.map(|hole| position.name(hole)).join("-")).collect();
        let notes = if names.is_empty() { Vec::new() } else { vec![message!("twixt.links", links = names)] };
        Region { heading: message!("rules.row", row = row + 1), notes }
    };
    // The corners are not cells.
    let index = |hole: usize| hole - [0, size - 1, size * (size - 1)].iter().filter(|corner| **corner < hole).count();
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
    Scene {
        cells: pegs.holes().map(cell).collect(),
        regions: (0..size).map(region).collect(),
        notes: Vec::new(),
        winning: Vec::new(),
        captions: columns.chain(rows).collect(),
        borders: borders(size as f64),
        bonds: pegs.holes().flat_map(links).map(|ends| ends.map(index)).collect(),
        way: None,
        light: Colour::White.mark(),
    }
}

/// White's sides at the top and the bottom, Black's at the left and the right.
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
