//! Boards as plain characters, in the style of the figure in Marque's help.

use super::Words;
use crate::message;
use crate::rules::scene::{Border, CaptionPlace, Cell, Scene, Shade, Vertex};

/// The amount of text in the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Empty cells show their names. The winning pieces are between asterisks, and the other pieces of the last move
    /// in parentheses.
    Named,
    /// Pieces only.
    Plain,
}

/// The width of a line of mail. Anything beyond it is not drawn.
const WIDTH: usize = 78;

/// Draws the scene in lines of at most 78 columns without trailing blanks, each ending in a line feed.
///
/// Dark cells have brackets as their vertical sides. A part of the rim that belongs to a side is drawn with that
/// side's letter.
///
/// # Errors
/// If `words` has no text for a message.
pub fn draw<E>(scene: &Scene, style: Style, words: &Words<'_, E>) -> Result<String, E> {
    let mut page = Page::default();
    let corners = || scene.cells.iter().map(|cell| &cell.corners);
    for corners in corners() {
        for (from, to) in corners.iter().zip(corners.iter().cycle().skip(1)) {
            page.edge(from, to);
        }
    }
    for cell in scene.cells.iter().filter(|cell| cell.shade == Shade::Dark) {
        for (from, to) in cell.corners.iter().zip(cell.corners.iter().cycle().skip(1)) {
            if from.column == to.column {
                page.upright(from, to, if from.column < cell.spot.0 { '[' } else { ']' });
            }
        }
    }
    // Corners and captions overwrite the lines that meet there, so draw them after all edges.
    for corners in corners() {
        for corner in corners {
            page.put(corner.column, corner.row, if is_point(corners) { '.' } else { '+' });
        }
    }
    for ends in &scene.bonds {
        let [from, to] = ends.map(|at| &scene.cells[at]);
        if is_point(&from.corners) {
            page.link(from.spot, to.spot);
        }
    }
    for border in &scene.borders {
        page.border(border, corners().flatten());
    }
    for caption in &scene.captions {
        let text = words(&caption.text)?;
        let column = match caption.place {
            CaptionPlace::Heading => (caption.at.column - text.chars().count() as i32 / 2).max(0),
            CaptionPlace::OnLines | CaptionPlace::Free => caption.at.column,
        };
        page.write((column, caption.at.row), &text);
    }
    for cell in &scene.cells {
        page.content(cell, style, scene.is_winning(cell));
    }
    let mut text = page.text();
    if style == Style::Named && !scene.winning.is_empty() {
        // Leave no blank line above this text: in a letter, it would end the drawing.
        text += &words(&message!("draw.winning-marks", count = scene.winning.len()))?;
        text.push('\n');
    }
    Ok(text)
}

/// Returns whether a cell is too small for lines. It is then a single character: a dot until a piece occupies it.
fn is_point(corners: &[Vertex]) -> bool {
    corners.windows(2).all(|two| (two[0].column, two[0].row) == (two[1].column, two[1].row))
}

/// Rows of characters that grow as needed.
#[derive(Default)]
struct Page {
    rows: Vec<[char; WIDTH]>,
}

impl Page {
    fn put(&mut self, column: i32, row: i32, mark: char) {
        let (Ok(column), Ok(row)) = (usize::try_from(column), usize::try_from(row)) else { return };
        if column >= WIDTH {
            return;
        }
        if self.rows.len() <= row {
            self.rows.resize(row + 1, [' '; WIDTH]);
        }
        self.rows[row][column] = mark;
    }

    fn write(&mut self, (column, row): (i32, i32), text: &str) {
        for (column, mark) in (column..).zip(text.chars()) {
            self.put(column, row, mark);
        }
    }

    /// Draws the piece of a cell, or the name of an empty one.
    fn content(&mut self, cell: &Cell, style: Style, is_winning: bool) {
        let (column, row) = cell.spot;
        match (cell.piece, style) {
            (Some(piece), Style::Named) if is_winning => self.write((column - 1, row), &format!("*{piece}*")),
            (Some(piece), Style::Named) if cell.last => self.write((column - 1, row), &format!("({piece})")),
            (Some(piece), _) => self.write(cell.spot, piece.encode_utf8(&mut [0; 4])),
            (None, Style::Named) => cell.label.into_iter().for_each(|label| self.write(label, &cell.name)),
            (None, Style::Plain) => {}
        }
    }

    /// Draws the line between two corners, without its ends.
    fn edge(&mut self, a: &Vertex, b: &Vertex) {
        let (columns, rows) = (b.column - a.column, b.row - a.row);
        if columns.abs() > rows.abs() {
            let (left, right) = if columns > 0 { (a, b) } else { (b, a) };
            if rows == 0 {
                (left.column + 1..right.column).for_each(|column| self.put(column, left.row, '-'));
                return;
            }
            for column in left.column + 1..right.column {
                let part = f64::from(column - left.column) / f64::from(right.column - left.column);
                self.shallow(column, f64::from(left.row) + part * f64::from(right.row - left.row));
            }
        } else {
            let (top, bottom) = if rows > 0 { (a, b) } else { (b, a) };
            let mark = match (bottom.column - top.column).signum() {
                0 => '|',
                1 => '\\',
                _ => '/',
            };
            for row in top.row + 1..bottom.row {
                let part = f64::from(row - top.row) / f64::from(bottom.row - top.row);
                let right = part * f64::from(bottom.column - top.column);
                self.put(top.column + right.round() as i32, row, mark);
            }
        }
    }

    /// Draws the link between two pegs: dashes next to both, or one character between them.
    fn link(&mut self, from: (i32, i32), to: (i32, i32)) {
        let [(left, row), (right, to)] = if from.0 < to.0 { [from, to] } else { [to, from] };
        match (to - row).abs() {
            0 | 1 => {
                let half = (right - left) / 2;
                (1..half).for_each(|column| self.put(left + column, row, '-'));
                (1..half).for_each(|column| self.put(right - column, to, '-'));
            }
            _ => {
                let mark = if to > row { '\\' } else { '/' };
                let middle = i32::midpoint(left, right) + i32::from(mark == '/' && (right - left) % 2 == 1);
                self.put(middle, i32::midpoint(row, to), mark);
            }
        }
    }

    /// Draws a vertical line of the character `mark`, without its ends.
    fn upright(&mut self, a: &Vertex, b: &Vertex, mark: char) {
        for row in a.row.min(b.row) + 1..a.row.max(b.row) {
            self.put(a.column, row, mark);
        }
    }

    /// Draws a part of the rim with its side's letter. A horizontal part is drawn between the corners of the cells. An
    /// upright or slanted part is drawn on the corners, because the rows between them contain names.
    fn border<'a>(&mut self, border: &Border, corners: impl Iterator<Item = &'a Vertex>) {
        let Border { mark, from, to } = border;
        let (columns, rows) = (to.column - from.column, to.row - from.row);
        if rows == 0 {
            let (left, right) = (from.column.min(to.column), from.column.max(to.column));
            let on_it = |corner: &&Vertex| (left..=right).contains(&corner.column) && corner.row == from.row;
            let on_it: Vec<i32> = corners.filter(on_it).map(|corner| corner.column).collect();
            (left..right).filter(|column| !on_it.contains(column)).for_each(|column| self.put(column, from.row, *mark));
        } else {
            let (top, bottom) = (from.row.min(to.row), from.row.max(to.row));
            let on_it = |corner: &&Vertex| (corner.column - from.column) * rows == (corner.row - from.row) * columns;
            let inside = |corner: &&Vertex| corner.row > top && corner.row < bottom && on_it(corner);
            corners.filter(inside).for_each(|corner| self.put(corner.column, corner.row, *mark));
        }
    }

    /// Draws one character of a mostly horizontal line. A dash is in the middle of its row and an underscore near the
    /// bottom, so a line between two rows is an underscore in the upper one.
    fn shallow(&mut self, column: i32, height: f64) {
        let nearest = height.round();
        let below = height - nearest;
        let row = nearest as i32;
        if below > 0.4 {
            self.put(column, row, '_');
        } else if below < -0.4 {
            self.put(column, row - 1, '_');
        } else {
            self.put(column, row, '-');
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let end = row.iter().rposition(|mark| !mark.is_whitespace()).map_or(0, |last| last + 1);
            text.extend(&row[..end]);
            text.push('\n');
        }
        text
    }
}
