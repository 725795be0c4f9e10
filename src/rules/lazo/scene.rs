//! The scene of a board: level by level, as far up as one can play.

use super::pyramid::{Pyramid, Stack, letter};
use super::sides::mark;
use super::tiles::Tiles;
use crate::message;
use crate::rules::effects::space_id;
use crate::rules::scene::{Caption, CaptionPlace, Cell, Scene, Shade, Vertex};
use crate::rules::seat::Seat;
use crate::text::Message;

/// The width of a space in a picture: a name of three letters fits.
const WIDTH: f64 = 0.48;
/// The edge of a space; the rows stand one and a half edges apart.
const EDGE: f64 = WIDTH / 1.732_050_807_568_877_2;
/// The distance from the last row of a level to the first row of the next, with its heading between, in edges.
const GAP: f64 = 3.0;

/// The middle of a space, in half spaces to the right, edges down and lines of characters.
#[derive(Clone, Copy)]
struct Middle {
    halves: usize,
    edges: f64,
    line: usize,
}

impl Middle {
    /// The point of a picture at this distance from the middle; in characters it is the middle itself.
    fn vertex(self, halves: f64, edges: f64) -> Vertex {
        Vertex {
            x: (self.halves as f64 + halves) * WIDTH / 2.0,
            y: (self.edges + edges) * EDGE,
            column: 2 * self.halves as i32 - 1,
            row: self.line as i32,
        }
    }
}

pub(super) fn scene(tiles: &Tiles, last: Option<Stack>) -> Scene {
    let pyramid = tiles.pyramid();
    let last = last.map(|stack| (stack, tiles.height(stack) - 1));
    let mut scene = Scene {
        cells: Vec::new(),
        regions: Vec::new(),
        notes: Vec::new(),
        winning: Vec::new(),
        captions: Vec::new(),
        borders: Vec::new(),
        light: mark(Seat::Second),
    };
    let (mut edges, mut line) = (0.0, 0);
    for level in (0..pyramid.rows).take_while(|level| matters(tiles, *level)) {
        let text = match last {
            Some((stack, reached)) if reached == level => {
                message!("lazo.level-of-last-move", level = level + 1, stack = pyramid.name(stack))
            }
            _ => message!("lazo.level", level = level + 1),
        };
        scene.captions.push(heading(pyramid, text, edges, line));
        edges += GAP / 2.0;
        line += 1;
        let rows = pyramid.rows - level;
        for row in 0..rows {
            let region = scene.regions.len();
            scene.regions.push(message!("lazo.row-of-level", level = level + 1, row = letter(row)).into());
            for number in 1..=pyramid.length(row) {
                let stack = pyramid.stack(row, number);
                let middle = Middle {
                    halves: pyramid.rows - row + 2 * (number - 1),
                    edges: edges + 1.5 * row as f64,
                    line: line + row,
                };
                let last = last == Some((stack, level));
                scene.cells.push(Cell { region, last, ..cell(tiles, level, stack, middle) });
            }
        }
        edges += 1.5 * rows as f64 + GAP / 2.0;
        // No blank line between the levels, which would end the drawing in a letter's text.
        line += rows;
    }
    scene
}

/// Whether a level has a tile, or a space where one could rest.
fn matters(tiles: &Tiles, level: usize) -> bool {
    let pyramid = tiles.pyramid();
    pyramid.stacks().any(|stack| tiles.rests(level, stack))
}

fn heading(pyramid: &Pyramid, text: Message, edges: f64, line: usize) -> Caption {
    let halves = pyramid.length(pyramid.rows - 1);
    let at = Middle { halves, edges, line }.vertex(0.0, 0.0);
    Caption { text, at, place: CaptionPlace::Heading }
}

fn cell(tiles: &Tiles, level: usize, stack: Stack, middle: Middle) -> Cell {
    let name = tiles.pyramid().name(stack);
    let piece = tiles.at(level, stack).map(mark);
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
        name,
    }
}
