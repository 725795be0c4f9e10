//! From a scene to a picture: where each shape lies, how large it is, and its colour.
//!
//! The sides are told apart by shape as well as by colour: a light disc and a dark square.

use std::collections::BTreeMap;

use super::Words;
use super::picture::{Colour, Form, Frame, Group, Line, Picture, Point, Shape};
use crate::message;
use crate::rules::scene::{Border, Caption, CaptionPlace, Cell, Scene, Shade, Vertex};

/// What a picture shows besides the scene.
#[derive(Clone, Debug)]
pub struct Annotations<'a> {
    /// The title of the picture, for readers who cannot see it.
    pub title: &'a str,
    /// The marks of both sides, and what their pieces are called: `('o', "White (o)")`.
    pub sides: [(char, String); 2],
    /// The names of cells whose pieces the last move captured.
    pub captured: &'a [String],
    /// The links of cells, by their names. A picture has none.
    pub links: &'a BTreeMap<String, String>,
    /// The names of cells that were clicked already and are not yet a whole move.
    pub picked: &'a [String],
}

/// The radius of the circle inside the board's smallest cell, in units of the picture: that of a triangle whose sides
/// are 100 units long.
const RADIUS: f64 = 28.867_513;
/// The margin around everything drawn, in units.
const MARGIN: f64 = 16.0;
/// Half the size of a piece, in units.
const PIECE: f64 = 19.0;
/// The height of letters, in units.
const FONT: f64 = 20.0;
/// The height of a caption in free space, as a multiple of that: it must be legible where names no longer are.
const CAPTION: f64 = 1.4;
/// The radius of a cell beyond which its piece is larger than usual: a square whose sides are as long as the triangle's
/// still has usual pieces.
const ROOMY: f64 = 50.0;
/// The width of the bar along a side's own part of the rim, and its distance from the rim, in units.
const BAR: f64 = 11.0;

const GROUND: Colour = Colour([0xf4, 0xef, 0xe6]);
const CELL: Colour = Colour([0xff, 0xfd, 0xf8]);
const SHADED: Colour = Colour([0xe6, 0xdb, 0xc6]);
// Orange and blue for what is new: every kind of colour vision tells them apart.
const LAST: Colour = Colour([0xff, 0xd5, 0x8a]);
const LAST_SHADED: Colour = Colour([0xf5, 0xbd, 0x60]);
const LAST_LINE: Colour = Colour([0xc4, 0x5a, 0x00]);
const CAPTURED: Colour = Colour([0x00, 0x66, 0xb3]);
// Seen on both a white and a black piece.
const WINNING: Colour = Colour([0xe0, 0x6a, 0x00]);
const DARK: Colour = Colour([0x1d, 0x1a, 0x17]);
const LIGHT: Colour = Colour([0xff, 0xff, 0xff]);

/// The colour of the names of cells.
pub(super) const NAME: Colour = Colour([0x5f, 0x56, 0x4a]);
/// The line around a cell.
pub(super) const OUTLINE: Line = Line { colour: Colour([0x8a, 0x7f, 0x70]), width: 2.0 };

/// What the titles of cells say besides the side of a piece.
struct CellWords {
    empty: String,
    captured: String,
    unplayable: String,
    winning: String,
}

/// Lays the scene out as a picture.
///
/// # Errors
/// A message without words.
pub fn lay_out<E>(scene: &Scene, annotations: &Annotations<'_>, words: &Words<'_, E>) -> Result<Picture, E> {
    let cell_words = CellWords {
        empty: words(&message!("draw.empty"))?,
        captured: words(&message!("draw.captured"))?,
        unplayable: words(&message!("draw.unplayable"))?,
        winning: words(&message!("draw.winning"))?,
    };
    let captions = scene.captions.iter().map(|caption| Ok((caption, words(&caption.text)?)));
    let captions = captions.collect::<Result<Vec<_>, E>>()?;
    let scale = Scale::of(scene);
    let frame = scale.frame(scene, &captions);
    Ok(Picture {
        title: annotations.title.to_owned(),
        frame,
        ground: GROUND,
        borders: scene.borders.iter().flat_map(|border| scale.border(border, scene, &frame)).collect(),
        name_height: FONT * scene.cells.first().map_or(1.0, |cell| scale.size(cell)),
        cells: scene.cells.iter().map(|cell| scale.cell(cell, scene, annotations, &cell_words)).collect(),
        captions: captions.into_iter().map(|(caption, text)| scale.caption(caption, text)).collect(),
    })
}

/// Units of the picture per edge of the tiling. The measures above fit cells of one size, so a board is scaled until
/// its smallest cell has that size.
struct Scale(f64);

impl Scale {
    fn of(scene: &Scene) -> Scale {
        let smallest = scene.cells.iter().map(radius).fold(f64::INFINITY, f64::min);
        Scale(RADIUS / smallest)
    }

    /// The size of the piece in a cell, as a multiple of the usual size.
    fn size(&self, cell: &Cell) -> f64 {
        (radius(cell) * self.0 / ROOMY).max(1.0)
    }

    fn place(&self, vertex: &Vertex) -> Point {
        (vertex.x * self.0, vertex.y * self.0)
    }

    /// Where everything drawn begins and ends, with the margin.
    fn frame(&self, scene: &Scene, captions: &[(&Caption, String)]) -> Frame {
        let corners = scene.cells.iter().flat_map(|cell| &cell.corners);
        let around = |vertex: &Vertex, across: f64, down: f64| {
            let (x, y) = self.place(vertex);
            [(x - across, y - down), (x + across, y + down)]
        };
        // A letter is 0.6 times as wide as high.
        let captions = captions.iter().flat_map(|(caption, text)| {
            around(&caption.at, 0.3 * FONT * CAPTION * text.chars().count() as f64, FONT * CAPTION)
        });
        let borders = scene.borders.iter().flat_map(|border| [&border.from, &border.to]);
        let borders = borders.flat_map(|corner| around(corner, 1.5 * BAR, 1.5 * BAR));
        let points = corners.flat_map(|corner| around(corner, 0.0, 0.0)).chain(captions).chain(borders);
        let start = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
        let (left, top, right, bottom) = points
            .fold(start, |(left, top, right, bottom), (x, y)| (left.min(x), top.min(y), right.max(x), bottom.max(y)));
        let (width, height) = (right - left + 2.0 * MARGIN, bottom - top + 2.0 * MARGIN);
        Frame { left: left - MARGIN, top: top - MARGIN, width, height }
    }

    /// A bar in the side's colour outside its own part of the rim.
    fn border(&self, border: &Border, scene: &Scene, frame: &Frame) -> Vec<Shape> {
        let ((ax, ay), (bx, by)) = (self.place(&border.from), self.place(&border.to));
        let across = (ax + bx - 2.0 * frame.left - frame.width).signum();
        let down = (ay + by - 2.0 * frame.top - frame.height).signum();
        // The bar is moved away from the middle of the board.
        let (dx, dy) = if ay == by { (0.0, down * BAR) } else { (across * BAR, 0.0) };
        let ends = [(ax + dx, ay + dy), (bx + dx, by + dy)];
        let bar = |colour, width| Shape::lined(Form::Lines(vec![ends]), Line { colour, width }).with_class("border");
        let mut bars = vec![bar(DARK, BAR)];
        if border.mark == scene.light {
            bars.push(bar(LIGHT, BAR - 4.0));
        }
        bars
    }

    fn caption(&self, caption: &Caption, text: String) -> Group {
        let (x, y) = self.place(&caption.at);
        let shapes = match caption.place {
            // On a disc, since lines meet there.
            CaptionPlace::OnLines => vec![
                Shape::filled(Form::Circle { middle: (x, y), radius: 12.0 }, GROUND)
                    .with_line(Line { width: 1.5, ..OUTLINE }),
                Shape::filled(Form::Text { base: (x, y + 5.6), height: 16.0, bold: true, text }, DARK),
            ],
            CaptionPlace::Free | CaptionPlace::Heading => {
                let base = (x, y + 7.0 * CAPTION);
                vec![Shape::filled(Form::Text { base, height: FONT * CAPTION, bold: false, text }, DARK)]
            }
        };
        Group { class: "caption".to_owned(), shapes, ..Group::default() }
    }

    fn cell(&self, cell: &Cell, scene: &Scene, annotations: &Annotations<'_>, words: &CellWords) -> Group {
        let side = cell.piece.and_then(|piece| annotations.sides.iter().find(|(mark, _)| *mark == piece));
        let captured = cell.piece.is_none() && annotations.captured.contains(&cell.name);
        let playable = cell.piece.is_some() || cell.label.is_some() || captured;
        let what = match side {
            Some((_, side)) => side,
            None if !playable => &words.unplayable,
            None if captured => &words.captured,
            None => &words.empty,
        };
        let fill = match (cell.shade, cell.last) {
            // Only its outline shows where it will be.
            _ if !playable => GROUND,
            (Shade::Plain, false) => CELL,
            (Shade::Dark, false) => SHADED,
            (Shade::Plain, true) => LAST,
            (Shade::Dark, true) => LAST_SHADED,
        };
        // On a stack, only the space that is filled next is a link.
        let link = annotations.links.get(&cell.name).filter(|_| cell.id == cell.name || cell.label.is_some());
        let picked = annotations.picked.contains(&cell.name);
        let winning = scene.is_winning(cell);
        let kind = if link.is_some() { "open" } else { "cell" };
        let state = [(cell.last, " last"), (winning, " winning"), (picked, " picked")];
        let state: String = state.iter().filter(|(is, _)| *is).map(|(_, class)| *class).collect();
        let what = if winning { format!("{what}, {}", words.winning) } else { what.clone() };
        let corners = cell.corners.iter().map(|corner| self.place(corner)).collect();
        let mut shapes = vec![Shape::filled(Form::Polygon(corners), fill).with_line(OUTLINE)];
        let (x, y) = middle(cell);
        let spot = Spot { x: x * self.0, y: y * self.0, size: self.size(cell) };
        match cell.piece {
            Some(piece) => {
                shapes.push(spot.piece(piece == scene.light, cell.last));
                shapes.extend(winning.then(|| spot.star()));
            }
            None => {
                shapes.extend(captured.then(|| spot.cross()));
                shapes.extend(cell.label.is_some().then(|| spot.name(&cell.name)));
            }
        }
        let cell = Some((cell.id.clone(), format!("{}: {what}", cell.name)));
        Group { class: format!("{kind}{state}"), cell, link: link.cloned(), shapes }
    }
}

/// The middle of a cell, and the size of a piece there as a multiple of the usual size.
struct Spot {
    x: f64,
    y: f64,
    size: f64,
}

impl Spot {
    fn piece(&self, light: bool, last: bool) -> Shape {
        let Spot { x, y, size } = *self;
        let (colour, width) = if last { (LAST_LINE, 4.0 * size) } else { (DARK, 2.5) };
        let piece = if light {
            Shape::filled(Form::Circle { middle: (x, y), radius: PIECE * size }, LIGHT).with_class("light")
        } else {
            // A square looks larger than a disc of the same width.
            let half = (PIECE - 2.5) * size;
            Shape::filled(Form::Square { middle: (x, y), half, corner: 4.0 }, DARK).with_class("dark")
        };
        piece.with_line(Line { colour, width })
    }

    /// A star on a winning piece, which tells it apart by shape as well as by colour.
    fn star(&self) -> Shape {
        let size = PIECE * self.size;
        let corner = |point: u32| {
            let (angle, length) = (f64::from(point) * std::f64::consts::PI / 5.0, [0.72, 0.3][(point % 2) as usize]);
            (self.x + size * length * angle.sin(), self.y - size * length * angle.cos())
        };
        Shape::filled(Form::Polygon((0..10).map(corner).collect()), WINNING).with_class("star")
    }

    /// A cross where a piece was captured.
    fn cross(&self) -> Shape {
        let arm = (PIECE - 3.0) * self.size;
        let (left, top, right, bottom) = (self.x - arm, self.y - arm, self.x + arm, self.y + arm);
        let lines = vec![[(left, top), (right, bottom)], [(right, top), (left, bottom)]];
        let line = Line { colour: CAPTURED, width: 4.0 };
        Shape { opacity: 0.5, ..Shape::lined(Form::Lines(lines), line).with_class("captured") }
    }

    /// The name of an empty cell.
    fn name(&self, name: &str) -> Shape {
        let Spot { x, y, size } = *self;
        let (base, height) = ((x, y + 7.0 * size), FONT * size);
        Shape::filled(Form::Text { base, height, bold: false, text: name.to_owned() }, NAME)
    }
}

/// The mean of a cell's corners, in edge lengths of the tiling: every cell here is a regular polygon, or nearly.
fn middle(cell: &Cell) -> Point {
    let count = cell.corners.len() as f64;
    let sum = cell.corners.iter().fold((0.0, 0.0), |sum, corner| (sum.0 + corner.x, sum.1 + corner.y));
    (sum.0 / count, sum.1 / count)
}

/// The radius of the circle that touches the cell's nearest side, in edge lengths of the tiling.
fn radius(cell: &Cell) -> f64 {
    let (x, y) = middle(cell);
    let sides = cell.corners.iter().zip(cell.corners.iter().cycle().skip(1));
    let distance = |(a, b): (&Vertex, &Vertex)| {
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        ((x - a.x) * dy - (y - a.y) * dx).abs() / dx.hypot(dy)
    };
    sides.map(distance).fold(f64::INFINITY, f64::min)
}
