//! Boards in sentences, for readers who cannot use a drawing: one line for each region of the board, so that it can be
//! read out, and a part of it again.

use super::Words;
use crate::message;
use crate::rules::scene::{Cell, Scene};
use crate::text::Message;

/// Describes the board, a line for each region: `Row f: White (o) on f3; empty f1, f2 and f4.` Consecutive empty
/// regions share a line. `sides` names what each mark stands for. Cells that nobody could play on yet are left out, and
/// so are regions of such cells.
///
/// # Errors
/// A message without words.
pub fn sentences<E>(scene: &Scene, sides: &[(char, Message)], words: &Words<'_, E>) -> Result<String, E> {
    let is_described = |cells: &&[Cell]| cells.iter().any(|cell| content(cell) != Content::Unplayable);
    let regions: Vec<&[Cell]> = scene.cells.chunk_by(|a, b| a.region == b.region).filter(is_described).collect();
    let lines = regions.chunk_by(|a, b| is_empty(a) && is_empty(b));
    let lines = lines.map(|regions| Ok(words(&line(regions, sides, words)?)? + "\n"));
    lines.collect()
}

fn is_empty(cells: &[Cell]) -> bool {
    cells.iter().all(|cell| content(cell) == Content::Empty)
}

/// The line about one region, or about several empty ones.
fn line<E>(regions: &[&[Cell]], sides: &[(char, Message)], words: &Words<'_, E>) -> Result<Message, E> {
    let name = |cells: &[Cell]| cells[0].region.clone();
    Ok(match regions {
        [only] if is_empty(only) => message!("draw.empty-region", region = name(only)),
        [only] => message!("draw.region", region = name(only), contents = contents(only, sides, words)?),
        [first, .., last] => message!("draw.empty-regions", first = name(first), last = name(last)),
        [] => Message::verbatim(""),
    })
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

/// What stands in a region: each side's pieces, then the empty cells.
fn contents<E>(cells: &[Cell], sides: &[(char, Message)], words: &Words<'_, E>) -> Result<Vec<String>, E> {
    // Consecutive cells of one content are one run.
    let held = |wanted: Content| -> Result<Vec<String>, E> {
        let runs = cells.chunk_by(|a, b| content(a) == content(b)).filter(|run| content(&run[0]) == wanted);
        let names = runs.map(|cells| run(cells, words)).collect::<Result<Vec<_>, E>>()?;
        Ok(names.concat())
    };
    let mut contents = Vec::new();
    for (mark, side) in sides {
        let cells = held(Content::Piece(*mark))?;
        if !cells.is_empty() {
            contents.push(words(&message!("draw.pieces", side = side.clone(), cells))?);
        }
    }
    let cells = held(Content::Empty)?;
    if !cells.is_empty() {
        contents.push(words(&message!("draw.empty-cells", cells))?);
    }
    Ok(contents)
}

/// The names of a run of cells: only its ends, when it is longer than two.
fn run<E>(cells: &[Cell], words: &Words<'_, E>) -> Result<Vec<String>, E> {
    match cells {
        [first, .., last] if cells.len() > 2 => {
            Ok(vec![words(&message!("draw.run", first = &first.name, last = &last.name))?])
        }
        _ => Ok(cells.iter().map(|cell| cell.name.clone()).collect()),
    }
}
