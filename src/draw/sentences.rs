//! Boards in sentences, for readers who cannot use a drawing: one line for each region of the board, so that it can be
//! read out, and a part of it again.

use crate::rules::scene::{Cell, Scene};

/// Describes the board, a line for each region: `Row f: White (o) on f3; empty f1, f2 and f4.` Consecutive empty
/// regions share a line. `sides` names what each mark stands for. Cells that nobody could play on yet are left out, and
/// so are regions of such cells.
pub fn sentences(scene: &Scene, sides: &[(char, String)]) -> String {
    let is_described = |cells: &&[Cell]| cells.iter().any(|cell| content(cell) != Content::Unplayable);
    let regions: Vec<&[Cell]> = scene.cells.chunk_by(|a, b| a.region == b.region).filter(is_described).collect();
    let lines = regions.chunk_by(|a, b| is_empty(a) && is_empty(b));
    lines.map(|regions| line(regions, sides)).collect()
}

fn is_empty(cells: &[Cell]) -> bool {
    cells.iter().all(|cell| content(cell) == Content::Empty)
}

/// The line about one region, or about several empty ones.
fn line(regions: &[&[Cell]], sides: &[(char, String)]) -> String {
    match regions {
        [only] if is_empty(only) => format!("{}: all empty.\n", only[0].region),
        [only] => format!("{}: {}.\n", only[0].region, region(only, sides)),
        [first, .., last] => format!("{} to {}: all empty.\n", first[0].region, last[0].region),
        [] => String::new(),
    }
}

/// The content of a cell, as it is described.
#[derive(Clone, Copy, PartialEq)]
enum Content {
    Piece(char),
    Empty,
    Unplayable,
}

fn content(cell: &Cell) -> Content {
    match (cell.piece, cell.label) {
        (Some(mark), _) => Content::Piece(mark),
        (None, Some(_)) => Content::Empty,
        (None, None) => Content::Unplayable,
    }
}

fn region(cells: &[Cell], sides: &[(char, String)]) -> String {
    let held = |wanted: Content| -> Option<String> {
        // Consecutive cells of one content are one run.
        let runs = cells.chunk_by(|a, b| content(a) == content(b)).filter(|run| content(&run[0]) == wanted);
        let names: Vec<String> = runs.flat_map(run).collect();
        (!names.is_empty()).then(|| listed(&names))
    };
    let of_side = |(mark, side): &(char, String)| held(Content::Piece(*mark)).map(|names| format!("{side} on {names}"));
    let mut parts: Vec<String> = sides.iter().filter_map(of_side).collect();
    parts.extend(held(Content::Empty).map(|names| format!("empty {names}")));
    parts.join("; ")
}

/// The names of a run of cells: only its ends, when it is longer than two.
fn run(cells: &[Cell]) -> Vec<String> {
    match cells {
        [first, .., last] if cells.len() > 2 => vec![format!("{} to {}", first.name, last.name)],
        _ => cells.iter().map(|cell| cell.name.clone()).collect(),
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
