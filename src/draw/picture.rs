//! The parts of a picture: shapes with their colours. One description serves both SVG and PNG.

use std::borrow::Cow;
use std::fmt;

/// A point in units of the picture.
pub type Point = (f64, f64);

/// An opaque colour: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Colour([red, green, blue]) = self;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// A picture, usually of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The description of the picture for readers who cannot see it.
    pub title: String,
    /// The bounds of the picture.
    pub frame: Frame,
    /// The colour behind all shapes.
    pub ground: Colour,
    /// The shapes that are drawn in several places.
    pub stamps: Vec<Stamp>,
    /// Shapes below the cells.
    pub borders: Vec<Shape>,
    /// The height of most names of cells, in units.
    pub name_height: f64,
    /// The height of most captions, in units.
    pub caption_height: f64,
    /// The cells, in board order.
    pub cells: Vec<Group>,
    /// Shapes above the cells.
    pub above: Vec<Shape>,
    /// Text on the board, above everything.
    pub captions: Vec<Shape>,
}

impl Picture {
    /// Returns whether both pictures have the same shapes, regardless of their titles and links.
    pub fn looks_like(&self, other: &Picture) -> bool {
        self.frame == other.frame && self.ground == other.ground && self.shapes().eq(other.shapes())
    }

    /// Prepares the picture for a page with other pictures: makes the names of its stamps unique, and removes the ids
    /// and descriptions of its cells.
    #[must_use]
    pub fn beside_others(mut self, prefix: &str) -> Picture {
        self.stamps.iter_mut().for_each(|stamp| stamp.name = format!("{prefix}-{}", stamp.name));
        self.cells.iter_mut().for_each(|group| group.cell = None);
        self
    }

    /// Iterates over every shape, from the lowest to the topmost.
    pub fn shapes(&self) -> impl Iterator<Item = Cow<'_, Shape>> {
        let parts = self.cells.iter().flat_map(|group| &group.parts);
        let cells = parts.flat_map(|part| match part {
            Part::Shape(shape) => vec![Cow::Borrowed(shape)],
            Part::Stamp(stamped) => self.stamps[stamped.stamp].at(stamped),
        });
        let above = self.above.iter().chain(&self.captions).map(Cow::Borrowed);
        self.borders.iter().map(Cow::Borrowed).chain(cells).chain(above)
    }
}

/// Shapes that are drawn in several places.
#[derive(Clone, Debug, PartialEq)]
pub struct Stamp {
    /// The identifier in the file.
    pub name: String,
    /// The shapes from the lowest to the topmost, around the origin.
    pub shapes: Vec<Shape>,
}

impl Stamp {
    fn at(&self, stamped: &Stamped) -> Vec<Cow<'_, Shape>> {
        let place = |shape: &Shape| {
            let opacity = shape.opacity * stamped.opacity;
            Cow::Owned(Shape { form: shape.form.moved(stamped.at), opacity, ..shape.clone() })
        };
        self.shapes.iter().map(place).collect()
    }
}

/// The bounds of a picture, in units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The x coordinate of the left edge.
    pub left: f64,
    /// The y coordinate of the upper edge.
    pub top: f64,
    /// The distance between the left and right edges.
    pub width: f64,
    /// The distance between the upper and lower edges.
    pub height: f64,
}

/// Shapes that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The class, for style sheets and scripts.
    pub class: String,
    /// The identifier of a cell on its board, and its description for readers who cannot see it.
    pub cell: Option<(String, String)>,
    /// The target of the link.
    pub link: Option<String>,
    /// The number of pieces below the cell, in games with stacks.
    pub level: usize,
    /// The parts from the lowest to the topmost.
    pub parts: Vec<Part>,
}

/// A part of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// An individual shape.
    Shape(Shape),
    /// A stamp shared with other cells.
    Stamp(Stamped),
}

/// A stamp drawn at one position.
#[derive(Clone, Debug, PartialEq)]
pub struct Stamped {
    /// The index in the picture's stamps.
    pub stamp: usize,
    /// The position of the stamp's origin.
    pub at: Point,
    /// The class, for style sheets and scripts.
    pub class: Option<&'static str>,
    /// The opacity, from 0 to 1.
    pub opacity: f64,
}

/// One shape: an area in one colour, an outline, or both.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The class, for style sheets and scripts.
    pub class: Option<&'static str>,
    /// The geometry.
    pub form: Form,
    /// The colour inside.
    pub fill: Option<Colour>,
    /// The outline.
    pub line: Option<Line>,
    /// The opacity, from 0 to 1.
    pub opacity: f64,
}

impl Shape {
    /// Creates an opaque shape without an outline.
    pub fn filled(form: Form, fill: Colour) -> Shape {
        Shape { class: None, form, fill: Some(fill), line: None, opacity: 1.0 }
    }

    /// Creates an opaque outline without a filling.
    pub fn lined(form: Form, line: Line) -> Shape {
        Shape { class: None, form, fill: None, line: Some(line), opacity: 1.0 }
    }

    /// Returns the shape with this opacity.
    pub fn with_opacity(self, opacity: f64) -> Shape {
        Shape { opacity, ..self }
    }

    /// Returns the shape with an outline.
    pub fn with_line(self, line: Line) -> Shape {
        Shape { line: Some(line), ..self }
    }
}

/// A line along the edge of a shape. The ends of [`Form::Lines`] are round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// The colour of the line.
    pub colour: Colour,
    /// The width in units.
    pub width: f64,
}

/// The geometry of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// The corners in order.
    Polygon(Vec<Point>),
    /// Straight line segments.
    Lines(Vec<[Point; 2]>),
    /// A disc.
    Circle {
        /// The middle.
        middle: Point,
        /// The radius.
        radius: f64,
    },
    /// A square with rounded corners.
    Square {
        /// The middle.
        middle: Point,
        /// Half the length of the sides.
        half: f64,
        /// The radius of the corners.
        corner: f64,
    },
    /// A line of text.
    Text {
        /// The middle of the baseline.
        base: Point,
        /// The height of the font.
        height: f64,
        /// Whether to use a bold font if one is available. The embedded font is not bold.
        bold: bool,
        /// The text.
        text: String,
    },
}

impl Form {
    /// Returns the form, moved by these distances to the right and downwards.
    fn moved(&self, (dx, dy): Point) -> Form {
        let moved = |(x, y): Point| (x + dx, y + dy);
        match self.clone() {
            Form::Polygon(corners) => Form::Polygon(corners.into_iter().map(moved).collect()),
            Form::Lines(lines) => Form::Lines(lines.into_iter().map(|ends| ends.map(moved)).collect()),
            Form::Circle { middle, radius } => Form::Circle { middle: moved(middle), radius },
            Form::Square { middle, half, corner } => Form::Square { middle: moved(middle), half, corner },
            Form::Text { base, height, bold, text } => Form::Text { base: moved(base), height, bold, text },
        }
    }
}
