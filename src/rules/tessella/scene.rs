//! Describes the board for drawing, as the tiling of octagons and squares.

use super::position::SIDES;
use super::position::{Move, Position};
use super::spaces::{SIDE, SPACES, Space, bit};
use crate::message;
use crate::rules::scene::{Caption, Cell, Scene, Shade, Vertex};

/// The distance between the middles of neighbouring spaces, and half the side of a square, in edge lengths of the
/// tiling.
const EDGES: (f64, f64) = (1.0 + std::f64::consts::FRAC_1_SQRT_2, 0.5);
/// The same distances in columns of characters.
const COLUMNS: (i32, i32) = (6, 2);
/// The same distances in rows of characters.
const ROWS: (i32, i32) = (4, 1);

/// The corners of an octagon, clockwise: pitches and halves to the right of its middle and below it.
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

/// Returns the letter of each column and the number of each row, once around the rim: below the board and to its
/// right in the lower half, above it and to its left in the upper half.
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

/// Returns the point at this distance from a space's middle, in pitches and halves to the right and downwards.
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
