//! What a picture of a board consists of: shapes with their colours, written once as SVG and once as PNG.

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

/// A picture of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows, for readers who cannot see it.
    pub title: String,
    /// Where it begins and ends.
    pub frame: Frame,
    /// The colour behind everything.
    pub ground: Colour,
    /// What lies beneath the cells.
    pub borders: Vec<Shape>,
    /// The height of most names of cells, in units.
    pub name_height: f64,
    /// The cells, in board order.
    pub cells: Vec<Group>,
    /// What is written on the board, above the cells.
    pub captions: Vec<Group>,
}

impl Picture {
    /// Whether both pictures look the same, whatever their titles and links are.
    pub fn looks_like(&self, other: &Picture) -> bool {
        self.frame == other.frame && self.ground == other.ground && self.shapes().eq(other.shapes())
    }

    /// Every shape, from the lowest to the topmost.
    pub fn shapes(&self) -> impl Iterator<Item = &Shape> {
        let groups = self.cells.iter().chain(&self.captions);
        self.borders.iter().chain(groups.flat_map(|group| &group.shapes))
    }
}

/// Where a picture begins and ends, in units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The left edge.
    pub left: f64,
    /// The upper edge.
    pub top: f64,
    /// From the left edge to the right one.
    pub width: f64,
    /// From the upper edge to the lower one.
    pub height: f64,
}

/// Shapes that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// What a style sheet and a script know it by.
    pub class: String,
    /// The identifier of a cell on its board, and what is said of it to readers who cannot see it.
    pub cell: Option<(String, String)>,
    /// The page that it leads to.
    pub link: Option<String>,
    /// From the lowest to the topmost.
    pub shapes: Vec<Shape>,
}

/// One shape in one colour, with a line around it or without.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// What a style sheet and a script know it by.
    pub class: Option<&'static str>,
    /// Its geometry.
    pub form: Form,
    /// The colour inside.
    pub fill: Option<Colour>,
    /// The line along its edge.
    pub line: Option<Line>,
    /// How much of what lies beneath it it hides, up to 1.
    pub opacity: f64,
}

impl Shape {
    /// An opaque shape without a line.
    pub fn filled(form: Form, fill: Colour) -> Shape {
        Shape { class: None, form, fill: Some(fill), line: None, opacity: 1.0 }
    }

    /// An opaque line with nothing inside.
    pub fn lined(form: Form, line: Line) -> Shape {
        Shape { class: None, form, fill: None, line: Some(line), opacity: 1.0 }
    }

    /// The shape with a line along its edge.
    pub fn with_line(self, line: Line) -> Shape {
        Shape { line: Some(line), ..self }
    }

    /// The shape with a class.
    pub fn with_class(self, class: &'static str) -> Shape {
        Shape { class: Some(class), ..self }
    }
}

/// The line along the edge of a shape; its ends and corners are round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Its colour.
    pub colour: Colour,
    /// Its width, in units.
    pub width: f64,
}

/// The geometry of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// The corners in order.
    Polygon(Vec<Point>),
    /// Straight lines, from one point to the other.
    Lines(Vec<[Point; 2]>),
    /// A disc.
    Circle {
        /// The middle.
        middle: Point,
        /// The radius.
        radius: f64,
    },
    /// A square with round corners.
    Square {
        /// The middle.
        middle: Point,
        /// Half the length of its sides.
        half: f64,
        /// The radius of its corners.
        corner: f64,
    },
    /// A line of text.
    Text {
        /// The middle of its base line.
        base: Point,
        /// The height of the font.
        height: f64,
        /// Whether it is heavier than usual, where the font can be: ours cannot.
        bold: bool,
        /// The text.
        text: String,
    },
}
