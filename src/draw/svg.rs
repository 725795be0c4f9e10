//! Boards as pictures: the Scene as SVG, for pages as it is and for mail through [`super::png`].
//!
//! Each cell is a group with the cell's id and a title that says what stands there, for screen readers; a cell that
//! leads somewhere is a link. The sides are told apart by shape as well as by colour: a light disc and a dark square.
//! Colours are presentation attributes, which a page's style sheet overrides by the classes; what all cells share
//! stands once around them, for a page carries hundreds.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::Words;
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

/// A length or coordinate, written to a tenth.
struct Tenths(f64);

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            _ => write!(f, "{:.1}", tenths as f64 / 10.0),
        }
    }
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

const GROUND: &str = "#f4efe6";
const CELL: &str = "#fffdf8";
const LINE: &str = "#8a7f70";
const SHADED: &str = "#e6dbc6";
const NAME: &str = "#5f564a";
// Orange and blue for what is new: every kind of colour vision tells them apart.
const LAST: &str = "#ffd58a";
const LAST_SHADED: &str = "#f5bd60";
const LAST_LINE: &str = "#c45a00";
const CAPTURED: &str = "#0066b3";
// Seen on both a white and a black piece.
const WINNING: &str = "#e06a00";
const DARK: &str = "#1d1a17";
const LIGHT: &str = "#ffffff";

/// What the titles of cells say besides the side of a piece.
struct CellWords {
    empty: String,
    captured: String,
    unplayable: String,
    winning: String,
}

/// Draws the scene; the picture scales to any size.
///
/// # Errors
/// A message without words.
pub fn draw<E>(scene: &Scene, annotations: &Annotations<'_>, words: &Words<'_, E>) -> Result<String, E> {
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
    let (left, top, right, bottom) = frame;
    let (width, height) = (right - left, bottom - top);
    let role = if annotations.links.is_empty() { "img" } else { "group" };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left:.1} {top:.1} {width:.1} {height:.1}\" role=\"{role}\" \
         font-family=\"Hack, monospace\" font-size=\"{FONT}\" text-anchor=\"middle\">\n<title>{}</title>\n\
         <rect class=\"ground\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
         fill=\"{GROUND}\"/>\n",
        escape(annotations.title),
    );
    for border in &scene.borders {
        scale.border(&mut svg, border, scene, frame);
    }
    let font = Tenths(FONT * scale.common(scene));
    let _ = writeln!(
        svg,
        "<g stroke=\"{LINE}\" stroke-width=\"2\" stroke-linejoin=\"round\" fill=\"{NAME}\" font-size=\"{font}\">"
    );
    for cell in &scene.cells {
        scale.cell(&mut svg, cell, scene, annotations, &cell_words);
    }
    svg.push_str("</g>\n");
    for (caption, text) in &captions {
        scale.caption(&mut svg, caption, text);
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// Left, top, right and bottom of everything drawn, in units.
type Frame = (f64, f64, f64, f64);

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

    /// The size of the piece in the first cell: where all cells are of one size, the size of every piece.
    fn common(&self, scene: &Scene) -> f64 {
        scene.cells.first().map_or(1.0, |cell| self.size(cell))
    }

    fn place(&self, vertex: &Vertex) -> (f64, f64) {
        (vertex.x * self.0, vertex.y * self.0)
    }

    /// Left, top, right and bottom of everything drawn, with the margin.
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
        (left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN)
    }

    /// Draws a bar in the side's colour outside its own part of the rim.
    fn border(&self, svg: &mut String, border: &Border, scene: &Scene, (left, top, right, bottom): Frame) {
        let ((ax, ay), (bx, by)) = (self.place(&border.from), self.place(&border.to));
        let (across, down) = ((ax + bx - left - right).signum(), (ay + by - top - bottom).signum());
        // The bar is moved away from the middle of the board.
        let (dx, dy) = if ay == by { (0.0, down * BAR) } else { (across * BAR, 0.0) };
        let bar = |svg: &mut String, colour: &str, width: f64| {
            let _ = writeln!(
                svg,
                "<line class=\"border\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" \
                 stroke-width=\"{width}\" stroke-linecap=\"round\"/>",
                ax + dx,
                ay + dy,
                bx + dx,
                by + dy
            );
        };
        bar(svg, DARK, BAR);
        if border.mark == scene.light {
            bar(svg, LIGHT, BAR - 4.0);
        }
    }

    fn caption(&self, svg: &mut String, caption: &Caption, text: &str) {
        let (x, y) = self.place(&caption.at);
        match caption.place {
            // On a disc, since lines meet there.
            CaptionPlace::OnLines => {
                let text = escape(text);
                let _ = writeln!(
                    svg,
                    "<g class=\"caption\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"12\" fill=\"{GROUND}\" \
                     stroke=\"{LINE}\" stroke-width=\"1.5\"/><text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"16\" \
                     font-weight=\"bold\" fill=\"{DARK}\">{text}</text></g>",
                    y + 5.6
                );
            }
            CaptionPlace::Free | CaptionPlace::Heading => {
                Spot { x, y, size: CAPTION }.text(svg, "caption", DARK, text);
            }
        }
    }

    fn cell(&self, svg: &mut String, cell: &Cell, scene: &Scene, annotations: &Annotations<'_>, words: &CellWords) {
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
        let (id, name, what) = (escape(&cell.id), escape(&cell.name), escape(&what));
        let (tag, href) = match link {
            Some(link) => ("a", format!(" href=\"{}\"", escape(link))),
            None => ("g", String::new()),
        };
        let outline = self.outline(cell);
        let _ = writeln!(
            svg,
            "<{tag} class=\"{kind}{state}\" id=\"{id}\"{href}><title>{name}: {what}</title><path d=\"{outline}\" fill=\"{fill}\"/>"
        );
        let (x, y) = middle(cell);
        let spot = Spot { x: x * self.0, y: y * self.0, size: self.size(cell) };
        match cell.piece {
            Some(piece) => {
                spot.piece(svg, piece == scene.light, cell.last);
                if winning {
                    spot.star(svg);
                }
            }
            None => {
                if captured {
                    spot.cross(svg);
                }
                if cell.label.is_some() {
                    spot.name(svg, &cell.name, self.common(scene));
                }
            }
        }
        let _ = writeln!(svg, "</{tag}>");
    }

    /// The outline of a cell as a path, each corner relative to the one before.
    fn outline(&self, cell: &Cell) -> String {
        let mut path = String::new();
        let (mut x, mut y) = (0.0, 0.0);
        for (i, corner) in cell.corners.iter().enumerate() {
            let (to_x, to_y) = self.place(corner);
            // Relative to the rounded corner before, so that errors do not add up.
            let (dx, dy) = (tenths(to_x) - x, tenths(to_y) - y);
            let _ = match (i, Tenths(dx).to_string().as_str(), Tenths(dy).to_string().as_str()) {
                (0, dx, dy) => write!(path, "M{dx} {dy}"),
                (_, dx, "0") => write!(path, "h{dx}"),
                (_, "0", dy) => write!(path, "v{dy}"),
                (_, dx, dy) => write!(path, "l{dx} {dy}"),
            };
            (x, y) = (x + dx, y + dy);
        }
        path + "z"
    }
}

fn tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

/// The middle of a cell, and the size of a piece there as a multiple of the usual size.
struct Spot {
    x: f64,
    y: f64,
    size: f64,
}

impl Spot {
    fn piece(&self, svg: &mut String, light: bool, last: bool) {
        let Spot { x, y, size } = self;
        let (line, width) = if last { (LAST_LINE, 4.0 * size) } else { (DARK, 2.5) };
        let _ = if light {
            writeln!(
                svg,
                "<circle class=\"light\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"{LIGHT}\" stroke=\"{line}\" \
                 stroke-width=\"{width:.1}\"/>",
                PIECE * size
            )
        } else {
            // A square looks larger than a disc of the same width.
            let half = (PIECE - 2.5) * size;
            writeln!(
                svg,
                "<rect class=\"dark\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\" \
                 fill=\"{DARK}\" stroke=\"{line}\" stroke-width=\"{width:.1}\"/>",
                x - half,
                y - half,
                2.0 * half,
                2.0 * half
            )
        };
    }

    /// Draws a star on a winning piece, which tells it apart by shape as well as by colour.
    fn star(&self, svg: &mut String) {
        let size = PIECE * self.size;
        let mut path = String::new();
        for point in 0..10_u32 {
            let (angle, length) = (f64::from(point) * std::f64::consts::PI / 5.0, [0.72, 0.3][(point % 2) as usize]);
            let (x, y) = (self.x + size * length * angle.sin(), self.y - size * length * angle.cos());
            let _ = write!(path, "{}{} {}", if point == 0 { 'M' } else { 'L' }, Tenths(x), Tenths(y));
        }
        let _ = writeln!(svg, "<path class=\"star\" d=\"{path}z\" fill=\"{WINNING}\" stroke=\"none\"/>");
    }

    /// Draws a cross where a piece was captured.
    fn cross(&self, svg: &mut String) {
        let arm = (PIECE - 3.0) * self.size;
        let (left, top, across) = (self.x - arm, self.y - arm, 2.0 * arm);
        let _ = writeln!(
            svg,
            "<path class=\"captured\" d=\"M{left:.1} {top:.1}l{across:.1} {across:.1}m0 {:.1}l{:.1} {across:.1}\" \
             stroke=\"{CAPTURED}\" stroke-width=\"4\" stroke-linecap=\"round\" fill=\"none\" opacity=\"0.5\"/>",
            -across, -across,
        );
    }

    /// Writes the name of an empty cell. The attributes that most names share stand on the group of all cells.
    fn name(&self, svg: &mut String, name: &str, common: f64) {
        let Spot { x, y, size } = self;
        // Sizes of equal cells differ by rounding errors.
        let same = (size - common).abs() < 1e-6;
        let height = if same { String::new() } else { format!(" font-size=\"{}\"", Tenths(FONT * size)) };
        let (x, base) = (Tenths(*x), Tenths(y + 7.0 * size));
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{base}\"{height} stroke=\"none\">{}</text>", escape(name));
    }

    fn text(&self, svg: &mut String, class: &str, fill: &str, text: &str) {
        let Spot { x, y, size } = self;
        let (text, base) = (escape(text), y + 7.0 * size);
        let height = if *size > 1.0 { format!(" font-size=\"{}\"", Tenths(FONT * size)) } else { String::new() };
        let (x, base) = (Tenths(*x), Tenths(base));
        let _ = writeln!(
            svg,
            "<text class=\"{class}\" x=\"{x}\" y=\"{base}\"{height} fill=\"{fill}\" stroke=\"none\">{text}</text>"
        );
    }
}

/// The mean of a cell's corners, in edge lengths of the tiling: every cell here is a regular polygon, or nearly.
fn middle(cell: &Cell) -> (f64, f64) {
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

/// Escapes text for SVG or HTML, attributes included.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
