//! Lays a scene out as a picture: determines the place, size and colour of each shape.

use std::collections::{BTreeMap, BTreeSet};

use super::Words;
use super::picture::{Colour, Form, Frame, Group, Line, Part, Picture, Point, Shape};
use super::pieces::{PIECE, Stamps, Stand};
use super::themes::{ABOVE, CELL, DARK, GROUND, INK, LAST, LAST_LINE, LAST_SHADED, LIGHT, NAME, SHADED};
use crate::message;
use crate::rules::scene::{BLOCK, Border, Caption, CaptionPlace, Cell, Scene, Shade, Vertex};

/// Details that a picture shows in addition to the scene.
#[derive(Clone, Debug)]
pub struct Annotations<'a> {
    /// The title of the picture, for readers who cannot see it.
    pub title: &'a str,
    /// The marks of both sides, and the names of their pieces: `('o', "White")`.
    pub sides: [(char, String); 2],
    /// The names of cells whose pieces the last move captured.
    pub captured: &'a [String],
    /// The clickable cells. `None` for a picture without links.
    pub clickable: Option<Clickable<'a>>,
}

/// The clickable cells of a board on a page. The page contains the names of all empty cells and shows them on demand,
/// except on large boards. Other pictures contain names only if the board has no coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Clickable<'a> {
    /// The links of the clickable cells, by the names of the cells.
    pub links: &'a BTreeMap<String, String>,
    /// The names of cells that the player already clicked, as part of a move.
    pub picked: &'a [String],
    /// Whether the picked move is complete. The scene then shows the position after it, so it is the scene's last move.
    pub is_whole: bool,
    /// The names of cells that can continue the picked move.
    pub targets: &'a [String],
    /// The names of cells that occur in a legal move. These cells have marks, which the page's style sheet shows.
    pub named: &'a BTreeSet<String>,
}

/// The radius of the circle inside the board's smallest cell, in units of the picture.
const RADIUS: f64 = 29.0;
/// The margin around the drawing, in units.
const MARGIN: f64 = 12.0;
/// Half the width of the gap between cells, in units.
const GAP: f64 = 1.0;
/// The size at which a space above other pieces is drawn, relative to its cell. The pieces below it remain visible.
const SMALLER: f64 = 0.55;
/// The opacity of a space above other pieces.
const FAINT: f64 = 0.45;
/// The height of letters, in units.
const FONT: f64 = 20.0;
/// The height of a free caption, as a multiple of [`FONT`]. Captions must be legible even if the names of the cells are
/// not.
const CAPTION: f64 = 1.2;
/// The size of a piece is proportional to this power of its cell's radius, so pieces grow more slowly than cells.
const GROWTH: f64 = 0.9;
/// The width of the bar along a side's own part of the rim, and its distance from the rim, in units.
const BAR: f64 = 11.0;
/// The width of a connection between two pieces, in units.
const BOND: f64 = 12.0;
/// The maximum number of cells on a board whose empty cells are named and described. On larger boards, such as TwixT's,
/// these texts would make up a quarter of the page.
const MOST_NAMED: usize = 400;

/// The words in the titles of cells, in addition to the side of a piece.
struct CellWords {
    empty: String,
    blocked: String,
    captured: String,
    unplayable: String,
    last: String,
    picked: String,
    winning: String,
    /// The words for the second and each higher level, in games with stacks.
    levels: Vec<String>,
}

/// Lays the scene out as a picture.
///
/// # Errors
/// If `words` has no text for a message.
pub fn lay_out<E>(scene: &Scene, annotations: &Annotations<'_>, words: &Words<'_, E>) -> Result<Picture, E> {
    let is_large = scene.cells.len() > MOST_NAMED;
    let top = scene.cells.last().map_or(1, |cell| cell.level + 1);
    let cell_words = CellWords {
        empty: if is_large { String::new() } else { words(&message!("draw.empty"))? },
        blocked: words(&message!("draw.blocked"))?,
        captured: words(&message!("draw.captured"))?,
        unplayable: words(&message!("draw.unplayable"))?,
        last: words(&message!("draw.last"))?,
        picked: words(&message!("draw.picked"))?,
        winning: words(&message!("draw.winning"))?,
        levels: (2..=top).map(|level| words(&message!("draw.level", level))).collect::<Result<_, E>>()?,
    };
    let captions = scene.captions.iter().filter(|caption| caption.place != CaptionPlace::Heading);
    let captions = captions.map(|caption| Ok((caption, words(&caption.text)?))).collect::<Result<Vec<_>, E>>()?;
    let scale = Scale::of(scene);
    let frame = scale.frame(scene, &captions);
    let named = annotations.clickable.is_some() && !is_large || !scene.has_coordinates();
    let mut cells = Cells { scale: &scale, scene, annotations, words: cell_words, named, stamps: Stamps::default() };
    let groups = scene.cells.iter().map(|cell| cells.cell(cell)).collect();
    let bonds = scene.bonds.iter().flat_map(|ends| scale.bond(scene, *ends));
    Ok(Picture {
        title: annotations.title.to_owned(),
        frame,
        ground: GROUND,
        borders: scene.borders.iter().flat_map(|border| scale.border(border, scene, &frame)).collect(),
        name_height: FONT * scene.cells.first().map_or(1.0, |cell| scale.size(cell)),
        caption_height: scale.caption(scene),
        cells: groups,
        stamps: cells.stamps.0,
        above: bonds.chain(scene.way.into_iter().flat_map(|ends| scale.arrow(scene, ends))).collect(),
        captions: captions.into_iter().flat_map(|(caption, text)| scale.written(caption, text, scene)).collect(),
    })
}

/// The number of picture units per edge of the tiling. The constants above fit cells of one size, so a board is scaled
/// until its smallest cell has that size.
struct Scale(f64);

impl Scale {
    fn of(scene: &Scene) -> Scale {
        let smallest = scene.cells.iter().map(radius).fold(f64::INFINITY, f64::min);
        Scale(RADIUS / smallest)
    }

    /// Returns the size of the piece in a cell, as a multiple of the usual size.
    fn size(&self, cell: &Cell) -> f64 {
        (radius(cell) * self.0 / RADIUS).powf(GROWTH)
    }

    /// Returns the height of a free caption. It grows with the cells, but more slowly than they do.
    fn caption(&self, scene: &Scene) -> f64 {
        FONT * CAPTION * scene.cells.first().map_or(1.0, |cell| self.size(cell).sqrt())
    }

    fn place(&self, vertex: &Vertex) -> Point {
        (vertex.x * self.0, vertex.y * self.0)
    }

    /// Returns the bounds of the drawing, with the margin.
    fn frame(&self, scene: &Scene, captions: &[(&Caption, String)]) -> Frame {
        let corners = scene.cells.iter().flat_map(|cell| &cell.corners);
        let around = |vertex: &Vertex, across: f64, down: f64| {
            let (x, y) = self.place(vertex);
            [(x - across, y - down), (x + across, y + down)]
        };
        // A letter's width is 0.6 times its height.
        let height = self.caption(scene);
        let captions = captions
            .iter()
            .flat_map(|(caption, text)| around(&caption.at, 0.3 * height * text.chars().count() as f64, 0.7 * height));
        let borders = scene.borders.iter().flat_map(|border| [&border.from, &border.to]);
        let borders = borders.flat_map(|corner| around(corner, 1.5 * BAR, 1.5 * BAR));
        let points = corners.flat_map(|corner| around(corner, 0.0, 0.0)).chain(captions).chain(borders);
        let start = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
        let (left, top, right, bottom) = points
            .fold(start, |(left, top, right, bottom), (x, y)| (left.min(x), top.min(y), right.max(x), bottom.max(y)));
        // Round to tenths, as in the SVG, so that the SVG and the PNG have the same proportions.
        let tenths = |length: f64| (length * 10.0).round() / 10.0;
        let (width, height) = (tenths(right - left + 2.0 * MARGIN), tenths(bottom - top + 2.0 * MARGIN));
        Frame { left: left - MARGIN, top: top - MARGIN, width, height }
    }

    /// Draws a bar in the side's colour outside its own part of the rim.
    fn border(&self, border: &Border, scene: &Scene, frame: &Frame) -> Vec<Shape> {
        let ((ax, ay), (bx, by)) = (self.place(&border.from), self.place(&border.to));
        let across = (ax + bx - 2.0 * frame.left - frame.width).signum();
        let down = (ay + by - 2.0 * frame.top - frame.height).signum();
        // Move the bar away from the middle of the board.
        let (dx, dy) = if ay == by { (0.0, down * BAR) } else { (across * BAR, 0.0) };
        let ends = [(ax + dx, ay + dy), (bx + dx, by + dy)];
        let bar = |colour, width| Shape::lined(Form::Lines(vec![ends]), Line { colour, width });
        // In dark mode, the ink around the dark bar is light.
        match border.mark == scene.light {
            true => vec![bar(DARK, BAR), bar(LIGHT, BAR - 4.0)],
            false => vec![bar(INK, BAR), bar(DARK, BAR - 4.0)],
        }
    }

    fn written(&self, caption: &Caption, text: String, scene: &Scene) -> Vec<Shape> {
        let (x, y) = self.place(&caption.at);
        match caption.place {
            // Draw the caption on a disc, because lines meet there. If a side holds the named base, the disc has that
            // side's colour.
            CaptionPlace::OnLines => {
                let (disc, letter) = match caption.holder {
                    Some(mark) if mark == scene.light => (LIGHT, DARK),
                    Some(_) => (DARK, LIGHT),
                    None => (GROUND, INK),
                };
                let edge = Line { colour: INK, width: if caption.holder.is_some() { 2.5 } else { 1.0 } };
                let disc = Shape::filled(Form::Circle { middle: (x, y), radius: 13.0 }, disc).with_line(edge);
                let text = Form::Text { base: (x, y + 5.6), height: 16.0, bold: true, text };
                vec![disc, Shape::filled(text, letter)]
            }
            CaptionPlace::Free | CaptionPlace::Heading => {
                let height = self.caption(scene);
                let base = (x, y + 0.35 * height);
                vec![Shape::filled(Form::Text { base, height, bold: false, text }, INK)]
            }
        }
    }

    fn middle(&self, cell: &Cell) -> Point {
        let (x, y) = middle(cell);
        (x * self.0, y * self.0)
    }

    /// Draws the connection of two pieces: a bar between them, in their colour.
    fn bond(&self, scene: &Scene, ends: [usize; 2]) -> Vec<Shape> {
        let [from, to] = ends.map(|at| &scene.cells[at]);
        let line = self.between([from, to], 0.9);
        let bar = |colour, width| Shape::lined(Form::Lines(vec![line]), Line { colour, width });
        let mut bars = vec![bar(DARK, BOND)];
        if from.piece == Some(scene.light) {
            bars.push(bar(LIGHT, BOND - 4.0));
        }
        bars
    }

    /// Draws the path of a piece: an arrow that ends at the piece's edge.
    fn arrow(&self, scene: &Scene, ends: [usize; 2]) -> Vec<Shape> {
        let [from, (x, y)] = self.between(ends.map(|at| &scene.cells[at]), 1.05);
        let (dx, dy) = (x - from.0, y - from.1);
        let length = dx.hypot(dy).max(1.0);
        let (dx, dy) = (dx / length * BAR, dy / length * BAR);
        let neck = (x - 1.8 * dx, y - 1.8 * dy);
        let head = vec![(x, y), (neck.0 - dy, neck.1 + dx), (neck.0 + dy, neck.1 - dx)];
        let line = Line { colour: LAST_LINE, width: BAR / 2.0 };
        let shapes =
            [Shape::lined(Form::Lines(vec![[from, neck]]), line), Shape::filled(Form::Polygon(head), LAST_LINE)];
        shapes.map(|shape| shape.with_opacity(0.85)).into()
    }

    /// Returns the line between the pieces of two cells. Each end is at `part` times the piece's radius from the middle
    /// of its cell.
    fn between(&self, cells: [&Cell; 2], part: f64) -> [Point; 2] {
        let [(ax, ay), (bx, by)] = cells.map(|cell| self.middle(cell));
        let length = (bx - ax).hypot(by - ay).max(1.0);
        let (dx, dy) = ((bx - ax) / length, (by - ay) / length);
        let [start, end] = cells.map(|cell| part * PIECE * self.size(cell));
        [(ax + dx * start, ay + dy * start), (bx - dx * end, by - dy * end)]
    }

    /// Returns the polygon of a cell, reduced by half of the gap to its neighbours. The polygon of a space above other
    /// pieces is smaller.
    fn ground(&self, cell: &Cell) -> Form {
        let (x, y) = self.middle(cell);
        let radius = radius(cell) * self.0;
        let part = if cell.level > 0 { SMALLER } else { (radius - GAP) / radius };
        let corner = |corner: &Vertex| {
            let (to_x, to_y) = self.place(corner);
            (x + (to_x - x) * part, y + (to_y - y) * part)
        };
        Form::Polygon(cell.corners.iter().map(corner).collect())
    }
}

/// The inputs for laying out the cells of one picture.
struct Cells<'a> {
    scale: &'a Scale,
    scene: &'a Scene,
    annotations: &'a Annotations<'a>,
    words: CellWords,
    /// Whether empty cells show their names.
    named: bool,
    stamps: Stamps,
}

impl Cells<'_> {
    fn cell(&mut self, cell: &Cell) -> Group {
        let captured = cell.piece.is_none() && self.annotations.captured.contains(&cell.name);
        let playable = cell.piece.is_some() || cell.label.is_some() || captured;
        let winning = self.scene.is_winning(cell);
        let clickable = self.annotations.clickable;
        // In a stack, only the next free space is a link.
        let on_top = cell.id == cell.name || cell.label.is_some();
        let link = clickable.and_then(|clickable| clickable.links.get(&cell.name)).filter(|_| on_top);
        let picked = clickable.is_some_and(|clickable| clickable.picked.contains(&cell.name)) && on_top;
        let target = clickable.is_some_and(|clickable| clickable.targets.contains(&cell.name)) && on_top;
        let state = [(cell.last, "last"), (winning, "winning"), (picked, "picked"), (target, "target")];
        let state: Vec<&str> = state.iter().filter(|(is, _)| *is).map(|(_, class)| *class).collect();
        // A complete pick may also fill cells that the player did not click.
        let is_whole = clickable.is_some_and(|clickable| clickable.is_whole);
        let of_pick = if is_whole { cell.last } else { picked };
        let words = &self.words;
        let notes = [(of_pick, &words.picked), (cell.last && !is_whole, &words.last), (winning, &words.winning)];
        let what = self.what(cell, captured, playable, &notes);
        let (at, size) = (self.scale.middle(cell), self.scale.size(cell));
        let mut parts = Vec::new();
        // A piece that lies on others covers its ground, so the ground is not drawn. After a win, the empty spaces
        // above the tiles are hidden.
        let is_won = !self.scene.winning.is_empty();
        if playable && (cell.level == 0 || cell.piece.is_none() && !is_won) {
            let ground = Shape::filled(self.scale.ground(cell), fill(cell));
            parts.push(Part::Shape(if cell.level > 0 { ground.with_opacity(FAINT) } else { ground }));
            if on_top && clickable.is_some_and(|clickable| clickable.named.contains(&cell.name)) {
                parts.push(Part::Shape(mark(cell, at, PIECE * size)));
            }
        }
        if captured {
            parts.extend(self.stamps.ghost(self.captured_is_light(), at, size));
        }
        if let Some(piece) = cell.piece {
            let stand = match piece {
                BLOCK => Stand::Block,
                _ => Stand::Piece { light: piece == self.scene.light, last: cell.last, level: cell.level },
            };
            parts.push(Part::Stamp(self.stamps.put(stand, at, size)));
        }
        if winning {
            // Move the star aside on a tile that lies on others, so that the tile's number stays legible.
            let (at, size) = match cell.level {
                0 => (at, size),
                _ => ((at.0 + 0.5 * PIECE * size, at.1 - 0.5 * PIECE * size), 0.55 * size),
            };
            parts.push(Part::Stamp(self.stamps.put(Stand::Star, at, size)));
        }
        if self.named && cell.piece.is_none() && cell.label.is_some() {
            let (base, height) = ((at.0, at.1 + 7.0 * size), FONT * size);
            let name = Form::Text { base, height, bold: false, text: cell.name.clone() };
            parts.push(Part::Shape(Shape::filled(name, NAME)));
        }
        let level = cell.level.checked_sub(1).and_then(|above| self.words.levels.get(above));
        let name = level.map_or_else(|| cell.name.clone(), |level| format!("{}, {level}", cell.name));
        let said = if what.is_empty() { name } else { format!("{name}: {what}") };
        let named = Some((cell.id.clone(), said));
        Group { class: state.join(" "), cell: named, link: link.cloned(), level: cell.level, parts }
    }

    /// Describes a cell for readers who cannot see it. Each note applies if its condition is true.
    fn what(&self, cell: &Cell, captured: bool, playable: bool, notes: &[(bool, &String)]) -> String {
        let side = cell.piece.and_then(|piece| self.annotations.sides.iter().find(|(mark, _)| *mark == piece));
        let what = match side {
            Some((_, side)) => side,
            None if !playable => &self.words.unplayable,
            None if cell.piece == Some(BLOCK) => &self.words.blocked,
            None if captured => &self.words.captured,
            None => &self.words.empty,
        };
        let notes = notes.iter().filter(|(is, _)| *is).map(|(_, note)| note.as_str());
        let words = std::iter::once(what.as_str()).chain(notes).filter(|words| !words.is_empty());
        words.collect::<Vec<_>>().join(", ")
    }

    /// Returns whether the captured pieces were light. They were if a dark piece made the last move.
    fn captured_is_light(&self) -> bool {
        let moved = self.scene.cells.iter().find(|cell| cell.last && cell.piece.is_some_and(|piece| piece != BLOCK));
        moved.is_some_and(|cell| cell.piece != Some(self.scene.light))
    }
}

/// Returns the mark of a clickable cell: a ring around a piece or in a space above other pieces, or a dot in any other
/// empty cell. A style sheet sets its colour.
fn mark(cell: &Cell, middle: Point, radius: f64) -> Shape {
    let (class, part) = match (cell.piece, cell.level) {
        (Some(_), _) => ("ring", 1.12),
        (None, 0) => ("dot", 0.36),
        (None, _) => ("ring", 0.5),
    };
    let form = Form::Circle { middle, radius: part * radius };
    Shape { class: Some(class), form, fill: None, line: None, opacity: 1.0 }
}

/// Returns the colour of a cell's ground.
fn fill(cell: &Cell) -> Colour {
    match (cell.shade, cell.last) {
        _ if cell.level > 0 => ABOVE,
        (Shade::Plain, false) => CELL,
        (Shade::Dark, false) => SHADED,
        (Shade::Plain, true) => LAST,
        (Shade::Dark, true) => LAST_SHADED,
    }
}

/// Returns the middle of a cell, in edge lengths of the tiling. It is the mean of the corners, because every cell is a
/// regular polygon, or nearly so.
fn middle(cell: &Cell) -> Point {
    let count = cell.corners.len() as f64;
    let sum = cell.corners.iter().fold((0.0, 0.0), |sum, corner| (sum.0 + corner.x, sum.1 + corner.y));
    (sum.0 / count, sum.1 / count)
}

/// Returns the distance from a cell's middle to its nearest side, in edge lengths of the tiling.
fn radius(cell: &Cell) -> f64 {
    let (x, y) = middle(cell);
    let sides = cell.corners.iter().zip(cell.corners.iter().cycle().skip(1));
    let distance = |(a, b): (&Vertex, &Vertex)| {
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        ((x - a.x) * dy - (y - a.y) * dx).abs() / dx.hypot(dy)
    };
    sides.map(distance).fold(f64::INFINITY, f64::min)
}
