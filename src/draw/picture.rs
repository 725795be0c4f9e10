//! What a picture of a board consists of: shapes with their colours, written once as SVG and once as PNG.

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

/// A picture of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows, for readers who cannot see it.
    pub title: String,
    /// Where it begins and ends.
    pub frame: Frame,
    /// The colour behind everything.
    pub ground: Colour,
    /// What is drawn at several places.
    pub stamps: Vec<Stamp>,
    /// What lies beneath the cells.
    pub borders: Vec<Shape>,
    /// The height of most names of cells, in units.
    pub name_height: f64,
    /// The height of most captions, in units.
    pub caption_height: f64,
    /// The cells, in board order.
    pub cells: Vec<Group>,
    /// What lies above the cells.
    pub above: Vec<Shape>,
    /// What is written on the board, above everything.
    pub captions: Vec<Shape>,
}

impl Picture {
    /// Whether both pictures look the same, whatever their titles and links are.
    pub fn looks_like(&self, other: &Picture) -> bool {
        self.frame == other.frame && self.ground == other.ground && self.shapes().eq(other.shapes())
    }

    /// The picture for a page with others: its stamps are known by names that no other has, and its cells by none.
    #[must_use]
    pub fn beside_others(mut self, prefix: &str) -> Picture {
        self.stamps.iter_mut().for_each(|stamp| stamp.name = format!("{prefix}-{}", stamp.name));
        self.cells.iter_mut().for_each(|group| group.cell = None);
        self
    }

    /// Every shape, from the lowest to the topmost.
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

/// Shapes that are drawn at several places.
#[derive(Clone, Debug, PartialEq)]
pub struct Stamp {
    /// What it is known by in the file.
    pub name: String,
    /// From the lowest to the topmost, around the origin.
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
    /// How many pieces lie beneath, where they are stacked.
    pub level: usize,
    /// From the lowest to the topmost.
    pub parts: Vec<Part>,
}

/// A part of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A shape of its own.
    Shape(Shape),
    /// One that other cells have too.
    Stamp(Stamped),
}

/// A stamp at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Stamped {
    /// Its index in the picture.
    pub stamp: usize,
    /// Where its origin is.
    pub at: Point,
    /// What a style sheet and a script know it by.
    pub class: Option<&'static str>,
    /// How much of what lies beneath it it hides, up to 1.
    pub opacity: f64,
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

    /// The shape, hiding so much of what lies beneath it.
    pub fn with_opacity(self, opacity: f64) -> Shape {
        Shape { opacity, ..self }
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

impl Form {
    /// The same form, this far to the right and downwards.
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
