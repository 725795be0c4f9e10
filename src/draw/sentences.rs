//! Describes boards in sentences, for readers who cannot use a drawing. A line about one region, or about several empty
//! ones, can be read out and repeated.

use super::Words;
use crate::message;
use crate::rules::WinningCell;
use crate::rules::scene::{BLOCK, Cell, Region, Scene};
use crate::text::Message;

/// Describes the board, one line for each region: `Row f: White on f3; empty f1, f2 and f4.` Consecutive empty regions
/// may share a line. `sides` contains the side that each mark represents. Cells that are not yet playable are omitted,
/// as are regions of only such cells. The scene's notes and the winning cells follow.
///
/// # Errors
/// If `words` has no text for a message.
pub fn sentences<E>(scene: &Scene, sides: &[(char, Message)], words: &Words<'_, E>) -> Result<String, E> {
    let regions = scene.regions.iter().enumerate().map(|(index, region)| {
        let cells = scene.cells.iter().filter(|cell| cell.region == index).collect();
        Described { region, cells }
    });
    let regions: Vec<Described<'_>> = regions.filter(Described::is_playable).collect();
    let mut text = String::new();
    let mut say = |message: &Message| {
        text.push_str(&words(message)?);
        text.push('\n');
        Ok(())
    };
    for regions in regions.chunk_by(Described::are_one_line) {
        say(&line(regions, sides, words)?)?;
    }
    scene.notes.iter().chain(&winning(scene, words)?).try_for_each(&mut say)?;
    Ok(text)
}

/// Describes only the pieces and the blocked cells, for the text of a picture: one sentence for each level, then the
/// notes of the regions and of the scene, and the winning cells.
///
/// # Errors
/// If `words` has no text for a message.
pub(crate) fn pieces<E>(scene: &Scene, sides: &[(char, Message)], words: &Words<'_, E>) -> Result<Vec<String>, E> {
    let mut said = Vec::new();
    for cells in scene.cells.chunk_by(|a, b| a.level == b.level) {
        let held: Vec<&Cell> = cells.iter().filter(|cell| cell.piece.is_some()).collect();
        let contents = contents(&held, sides, words)?;
        if !contents.is_empty() {
            said.push(message!("draw.level-pieces", level = cells[0].level + 1, contents));
        }
    }
    for region in scene.regions.iter().filter(|region| !region.notes.is_empty()) {
        let contents = region.notes.iter().map(words).collect::<Result<Vec<String>, E>>()?;
        said.push(message!("draw.region", region = region.heading.clone(), contents));
    }
    said.iter().chain(&scene.notes).chain(&winning(scene, words)?).map(words).collect()
}

/// Returns the sentence about the winning cells, if any.
fn winning<E>(scene: &Scene, words: &Words<'_, E>) -> Result<Option<Message>, E> {
    let cells = scene.winning.iter().map(|WinningCell { cell, level }| match level {
        Some(level) => words(&message!("draw.space", cell, level = *level)),
        None => Ok(cell.clone()),
    });
    let cells = cells.collect::<Result<Vec<String>, E>>()?;
    Ok((!cells.is_empty()).then(|| message!("draw.winning-cells", cells)))
}

/// A region with its cells, in board order.
struct Described<'a> {
    region: &'a Region,
    cells: Vec<&'a Cell>,
}

impl Described<'_> {
    /// Returns whether the region contains a piece or a playable cell.
    fn is_playable(&self) -> bool {
        self.cells.iter().any(|cell| content(cell) != Content::Unplayable)
    }

    fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| content(cell) == Content::Empty)
    }

    /// Returns whether two consecutive regions share a line. Both must be empty and of the same kind. If their cells
    /// are named by column and row, both must have the same columns.
    fn are_one_line(&self, next: &Self) -> bool {
        let is_same_kind = self.region.heading.code == next.region.heading.code;
        self.is_empty() && next.is_empty() && is_same_kind && self.columns() == next.columns()
    }

    /// Returns the letters of the first and the last cell of a region whose cells have the same number; `None` for
    /// other regions.
    fn columns(&self) -> Option<(u32, u32)> {
        let of = |cell: Option<&&Cell>| cell.and_then(|cell| coordinates(cell)).map(|(letter, _)| letter);
        of(self.cells.first()).zip(of(self.cells.last())).filter(|_| is_row(&self.cells))
    }

    /// Returns whether the names of the cells are consecutive.
    fn is_one_run(&self) -> bool {
        self.cells.windows(2).all(|two| follow(&self.cells, two[0], two[1]))
    }
}

/// Returns the line about one region, or about several empty ones.
fn line<E>(regions: &[Described<'_>], sides: &[(char, Message)], words: &Words<'_, E>) -> Result<Message, E> {
    let heading = |of: &Described<'_>| of.region.heading.clone();
    Ok(match regions {
        [only] if only.is_empty() => message!("draw.empty-region", region = heading(only), cells = extent(regions)),
        [only] => {
            let mut contents = contents(&only.cells, sides, words)?;
            for note in &only.region.notes {
                contents.push(words(note)?);
            }
            message!("draw.region", region = heading(only), contents)
        }
        [first, .., last] => {
            message!("draw.empty-regions", first = heading(first), last = heading(last), cells = extent(regions))
        }
        [] => Message::verbatim(""),
    })
}

/// Names the first and the last cell of some regions; empty if the names of a region are not consecutive.
fn extent(regions: &[Described<'_>]) -> Message {
    let mut cells = regions.iter().flat_map(|region| &region.cells);
    let ends = cells.next().map(|first| (first, cells.last().unwrap_or(first)));
    match ends.filter(|_| regions.iter().all(Described::is_one_run)) {
        Some((first, last)) if first.name != last.name => {
            message!("draw.run", first = &first.name, last = &last.name)
        }
        Some((only, _)) => Message::verbatim(only.name.clone()),
        None => Message::verbatim(""),
    }
}

/// The content of a cell as described in words.
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

/// Describes the contents of a region: each side's pieces, then the blocked cells, then the empty cells.
fn contents<E>(cells: &[&Cell], sides: &[(char, Message)], words: &Words<'_, E>) -> Result<Vec<String>, E> {
    // Consecutive cells with the same content form one run.
    let held = |wanted: Content| -> Result<Vec<String>, E> {
        let runs = cells
            .chunk_by(|a, b| content(a) == content(b) && follow(cells, a, b))
            .filter(|run| content(run[0]) == wanted);
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
    let cells = held(Content::Piece(BLOCK))?;
    if !cells.is_empty() {
        contents.push(words(&message!("draw.blocked-cells", cells))?);
    }
    let cells = held(Content::Empty)?;
    if !cells.is_empty() {
        contents.push(words(&message!("draw.empty-cells", cells))?);
    }
    Ok(contents)
}

/// Returns the letter and the number of a cell's name.
fn coordinates(cell: &Cell) -> Option<(u32, u32)> {
    let letter = cell.name.chars().next()?;
    Some((letter.into(), cell.name.get(letter.len_utf8()..)?.parse().ok()?))
}

/// Returns whether the names of two cells in a region are consecutive: `f4` after `f3`, or `d3` after `c3` if the
/// region is a row with a single number.
fn follow(region: &[&Cell], cell: &Cell, next: &Cell) -> bool {
    let (Some((letter, number)), Some(next)) = (coordinates(cell), coordinates(next)) else { return false };
    next == (letter, number + 1) || (next == (letter + 1, number) && is_row(region))
}

/// Returns whether the cells of a region have the same number.
fn is_row(region: &[&Cell]) -> bool {
    let number = |cell: &&Cell| coordinates(cell).map(|(_, number)| number);
    region.iter().all(|cell| number(cell).is_some() && number(cell) == region.first().and_then(number))
}

/// Returns the names of a run of cells, or only its ends if it has more than two cells.
fn run<E>(cells: &[&Cell], words: &Words<'_, E>) -> Result<Vec<String>, E> {
    match cells {
        [first, .., last] if cells.len() > 2 => {
            Ok(vec![words(&message!("draw.run", first = &first.name, last = &last.name))?])
        }
        _ => Ok(cells.iter().map(|cell| cell.name.clone()).collect()),
    }
}
