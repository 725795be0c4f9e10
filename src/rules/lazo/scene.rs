//! Describes the board for drawing, up to the highest playable level. In characters, the levels are drawn one by one.
//! In a picture, each level lies on the one below.

use super::position::SIDES;
use super::pyramid::{Pyramid, Stack, letter};
use super::tiles::Tiles;
use crate::message;
use crate::rules::notation::space_id;
use crate::rules::scene::{Caption, CaptionPlace, Cell, Scene, Shade, Vertex};
use crate::text::Message;

/// The width of a space in a picture, wide enough for a name of three letters.
const WIDTH: f64 = 0.48;
/// The edge of a space. The rows are one and a half edges apart.
const EDGE: f64 = WIDTH / 1.732_050_807_568_877_2;
/// The vertical distance from a space to the one with its row and number a level lower, in edges. The space lies in
/// the middle of the three that support it, and slightly higher, as seen from the front.
const STEP: f64 = 0.8;

/// The middle of a space: half spaces to the right, edges down, and the line of characters.
#[derive(Clone, Copy)]
struct Middle {
    halves: usize,
    edges: f64,
    line: usize,
}

impl Middle {
    /// Returns the picture point at this distance from the middle. In characters, it is the middle itself.
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
        // No blank line separates the levels, because one would end the drawing in a letter's text.
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
