//! The contents of cells: pieces, and marks of the same size. A picture contains each of them only once for all cells
//! of the same size.
//!
//! The sides differ in shape as well as in colour: a light disc, and a dark square with rounded corners.

use super::picture::{Form, Line, Part, Point, Shape, Stamp, Stamped};
use super::themes::{
    CAPTURED, DARK, DARK_EDGE, DARK_RING, DARK_WALL, LAST_LINE, LIGHT, LIGHT_EDGE, LIGHT_RING, LIGHT_WALL, NAME,
    SHADOW, WINNING,
};

/// The radius of a piece of the usual size, in units: 78 % of its cell's radius.
pub(crate) const PIECE: f64 = 22.6;
/// The thickness of a piece that lies on others, as a multiple of its radius.
const THICKNESS: f64 = 0.28;

/// The possible contents of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// A piece: whether it is light, whether it was part of the last move, and the number of pieces below it.
    Piece { light: bool, last: bool, level: usize },
    /// The mark of a blocked cell.
    Block,
    /// The mark on a winning piece.
    Star,
    /// The mark of a captured piece.
    Cross,
}

/// The stamps of a picture, created on demand.
#[derive(Default)]
pub(crate) struct Stamps(pub(crate) Vec<Stamp>);

impl Stamps {
    /// Draws the contents of a cell at a position. `size` is a multiple of the usual size.
    pub(crate) fn put(&mut self, stand: Stand, at: Point, size: f64) -> Stamped {
        let level = match stand {
            Stand::Piece { level: beneath @ 1.., .. } => format!("-level{}-", beneath + 1),
            _ => String::new(),
        };
        let name = format!("{}{level}{}", stand.name(), (size * 10.0).round());
        let stamp = self.0.iter().position(|stamp| stamp.name == name).unwrap_or_else(|| {
            self.0.push(Stamp { name, shapes: stand.shapes(PIECE * size) });
            self.0.len() - 1
        });
        Stamped { stamp, at, class: None, opacity: 1.0 }
    }

    /// Draws a captured piece: faint and crossed out.
    pub(crate) fn ghost(&mut self, light: bool, at: Point, size: f64) -> [Part; 2] {
        let ghost = self.put(Stand::Piece { light, last: false, level: 0 }, at, size);
        let cross = Stamped { class: Some("captured"), opacity: 0.7, ..self.put(Stand::Cross, at, size) };
        [Part::Stamp(Stamped { class: Some("ghost"), opacity: 0.4, ..ghost }), Part::Stamp(cross)]
    }
}

impl Stand {
    fn name(self) -> &'static str {
        match self {
            Stand::Piece { light: true, last: false, .. } => "light",
            Stand::Piece { light: true, last: true, .. } => "light-last",
            Stand::Piece { light: false, last: false, .. } => "dark",
            Stand::Piece { light: false, last: true, .. } => "dark-last",
            Stand::Block => "block",
            Stand::Star => "star",
            Stand::Cross => "cross",
        }
    }

    fn shapes(self, radius: f64) -> Vec<Shape> {
        let half = radius * 0.87;
        match self {
            Stand::Piece { light, last, level } => {
                let body = |part: f64, middle: Point| match light {
                    true => Form::Circle { middle, radius: radius * part },
                    false => Form::Square { middle, half: half * part, corner: 0.4 * half * part },
                };
                let (top, wall, edge, ring) = match light {
                    true => (LIGHT, LIGHT_WALL, LIGHT_EDGE, LIGHT_RING),
                    false => (DARK, DARK_WALL, DARK_EDGE, DARK_RING),
                };
                // Light falls from the upper left. The higher a piece lies, the longer its shadow.
                let (across, down) = match level {
                    0 => (0.0, 0.1),
                    _ => (0.1 * level as f64, THICKNESS + 0.04 + 0.12 * level as f64),
                };
                let shadow = body(1.0, (radius * across, radius * down));
                let mut shapes = vec![Shape::filled(shadow, SHADOW).with_opacity(if level > 0 { 0.45 } else { 0.35 })];
                if level > 0 {
                    shapes.push(Shape::filled(body(1.0, (0.0, THICKNESS * radius)), wall).with_line(edge));
                }
                let edge = if last { Line { colour: LAST_LINE, width: 0.16 * radius } } else { edge };
                shapes.push(Shape::filled(body(1.0, (0.0, 0.0)), top).with_line(edge));
                shapes.push(Shape::lined(body(if light { 0.66 } else { 0.64 }, (0.0, 0.0)), ring));
                if level > 0 {
                    let (height, text) = (0.78 * radius, (level + 1).to_string());
                    let number = Form::Text { base: (0.0, 0.36 * height), height, bold: false, text };
                    shapes.push(Shape::filled(number, if light { DARK } else { LIGHT }));
                }
                shapes
            }
            Stand::Star => {
                let corner = |point: u32| {
                    let angle = f64::from(point) * std::f64::consts::PI / 5.0;
                    let length = radius * [0.72, 0.3][(point % 2) as usize];
                    (length * angle.sin(), -length * angle.cos())
                };
                vec![Shape::filled(Form::Polygon((0..10).map(corner).collect()), WINNING)]
            }
            Stand::Block => {
                // The arms are areas instead of lines, because a style sheet replaces this colour only in areas.
                let (long, wide) = (0.78 * radius, 0.16 * radius);
                let corner = |point: u32| {
                    let (x, y) = [(wide, wide), (long, wide), (long, -wide)][(point % 3) as usize];
                    let angle = std::f64::consts::PI * (0.25 - f64::from(point / 3) / 2.0);
                    (x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos())
                };
                vec![Shape::filled(Form::Polygon((0..12).map(corner).collect()), NAME)]
            }
            Stand::Cross => {
                let arm = 0.45 * radius;
                let lines = vec![[(-arm, -arm), (arm, arm)], [(arm, -arm), (-arm, arm)]];
                vec![Shape::lined(Form::Lines(lines), Line { colour: CAPTURED, width: 4.0 })]
            }
        }
    }
}
