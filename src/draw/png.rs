//! A picture as a PNG file, for mail and for programs without support for SVG.

use super::coverage::{Coverage, Font, Pixel, Run};
use super::picture::{Colour, Form, Frame, Line, Picture, Point, Shape};

/// The width of a picture in pixels.
pub const WIDTH: u32 = 1_000;

/// The compression level, up to 9. Level 7 makes a large file 2 % smaller and a small one up to 18 % smaller, but
/// takes 1.2 to 1.7 times as long.
const LEVEL: u8 = 5;

/// Renders a picture as a PNG file of this width.
///
/// # Panics
/// If the width is 0, or memory cannot hold the file.
pub fn render(picture: &Picture, width: u32) -> Vec<u8> {
    let canvas = Canvas::paint(picture, width);
    let mut file = Vec::new();
    let height = (canvas.pixels.len() / canvas.width) as u32;
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(canvas.palette.bytes());
    encoder.set_deflate_compression(png::DeflateCompression::Level(LEVEL));
    encoder.set_filter(png::Filter::NoFilter);
    let write = |encoder: png::Encoder<'_, _>| encoder.write_header()?.write_image_data(&canvas.pixels);
    write(encoder).expect("PNG can encode any picture, and memory can hold any file");
    file
}

/// The number of sides of a polygon that represents a disc. More would not be visible at our sizes.
const DISC: u8 = 48;
/// The number of sides of a line's round end, which is only a few pixels wide.
const END: u8 = 8;
/// The number of sides at a rounded corner of a square.
const CORNER: u8 = 8;

/// A picture in pixels.
pub(crate) struct Canvas {
    pub(crate) width: usize,
    /// The colour of each pixel, row by row, as an index into the palette.
    pub(crate) pixels: Vec<u8>,
    pub(crate) palette: Palette,
    /// The number of pixels in a unit.
    scale: f64,
    /// The coordinates of the first pixel, in units.
    origin: Point,
    coverage: Coverage,
    font: Font,
}

impl Canvas {
    /// Paints a picture at this width in pixels.
    pub(crate) fn paint(picture: &Picture, width: u32) -> Canvas {
        let scale = f64::from(width) / picture.frame.width;
        let width = width as usize;
        // Round down, so that no row extends beyond the frame.
        let height = ((picture.frame.height * scale) as usize).max(1);
        let colours = picture.shapes().flat_map(|shape| [shape.fill, shape.line.map(|line| line.colour)]).flatten();
        let mut canvas = Canvas {
            width,
            pixels: vec![0; width * height],
            palette: Palette::new([picture.ground].into_iter().chain(colours)),
            scale,
            origin: (picture.frame.left, picture.frame.top),
            coverage: Coverage::default(),
            font: Font::new(),
        };
        picture.shapes().for_each(|shape| canvas.shape(&shape));
        canvas
    }

    fn shape(&mut self, shape: &Shape) {
        if let Some(fill) = shape.fill {
            match &shape.form {
                Form::Text { base, height, text, .. } => self.text(*base, *height, text),
                form => self.cover(&[self.outline(form, 0.0)]),
            }
            self.blend(fill, shape.opacity);
        }
        if let Some(Line { colour, width }) = shape.line {
            let half = width / 2.0;
            let parts = match &shape.form {
                Form::Lines(lines) => lines.iter().flat_map(|line| self.stroke(*line, half)).collect(),
                form => {
                    let inner = self.outline(form, -half).into_iter().rev().collect();
                    vec![self.outline(form, half), inner]
                }
            };
            self.cover(&parts);
            self.blend(colour, shape.opacity);
        }
    }

    /// Converts a point to pixels.
    fn place(&self, (x, y): Point) -> Pixel {
        (((x - self.origin.0) * self.scale) as f32, ((y - self.origin.1) * self.scale) as f32)
    }

    /// Converts a length to pixels.
    fn length(&self, units: f64) -> f32 {
        (units * self.scale) as f32
    }

    /// Returns the outline of a form, enlarged by `more` units on all sides.
    fn outline(&self, form: &Form, more: f64) -> Vec<Pixel> {
        match form {
            Form::Polygon(corners) => {
                let corners: Vec<Pixel> = corners.iter().map(|corner| self.place(*corner)).collect();
                if more == 0.0 { corners } else { grown(&corners, self.length(more)) }
            }
            Form::Circle { middle, radius } => {
                arc(self.place(*middle), self.length(radius + more), 0.0, 1.0, DISC).collect()
            }
            Form::Square { middle: (x, y), half, corner } => {
                let (inset, radius) = (half - corner, self.length((corner + more).max(0.0)));
                let corners = [(inset, inset), (-inset, inset), (-inset, -inset), (inset, -inset)];
                let corners = corners.into_iter().zip([0.0, 0.25, 0.5, 0.75]);
                let round = |((dx, dy), turn)| arc(self.place((x + dx, y + dy)), radius, turn, turn + 0.25, CORNER);
                corners.flat_map(round).collect()
            }
            Form::Lines(_) | Form::Text { .. } => Vec::new(),
        }
    }

    /// Returns the outlines that form a straight line with round ends: a box, and a disc around each end.
    fn stroke(&self, line: [Point; 2], half: f64) -> [Vec<Pixel>; 3] {
        let half = self.length(half);
        let [from, to] = line.map(|end| self.place(end));
        let (dx, dy) = beside(from, to, half);
        let corner = |(x, y): Pixel, side: f32| (x + side * dx, y + side * dy);
        let sides = vec![corner(from, 1.0), corner(to, 1.0), corner(to, -1.0), corner(from, -1.0)];
        let end = |at| arc(at, half, 0.0, 1.0, END).collect();
        [sides, end(from), end(to)]
    }

    /// Computes which pixels the area enclosed by these outlines covers.
    fn cover(&mut self, parts: &[Vec<Pixel>]) {
        self.coverage.start(parts.iter().flatten().copied());
        parts.iter().for_each(|part| self.coverage.outline(part));
    }

    /// Computes which pixels a line of text covers. `base` is the middle of its baseline.
    fn text(&mut self, base: Point, height: f64, text: &str) {
        let ((middle, y), height) = (self.place(base), self.length(height));
        let advance = self.font.advance * height;
        let width = advance * text.chars().count() as f32;
        let left = middle - width / 2.0;
        let mut edges = Vec::new();
        for (letter, i) in text.chars().zip(0_u16..) {
            let x = left + advance * f32::from(i);
            let place = |(across, down): Pixel| (x + across * height, y + down * height);
            edges.extend(self.font.outline(letter).iter().map(|edge| edge.map(place)));
        }
        self.coverage.start(edges.iter().flatten().copied());
        edges.iter().for_each(|[from, to]| self.coverage.edge(*from, *to));
    }

    /// Paints the covered area.
    fn blend(&mut self, colour: Colour, opacity: f64) {
        let (pixels, palette, width) = (&mut self.pixels, &mut self.palette, self.width);
        let (colour, shades) = (palette.index(colour), opacity as f32 * SHADES as f32);
        self.coverage.runs(|Run { x, y, length, coverage }| {
            let shade = (coverage * shades + 0.5) as usize;
            if shade == 0 {
                return;
            }
            let columns = |x: i32| usize::try_from(x).unwrap_or(0).min(width);
            let Ok(row) = usize::try_from(y) else { return };
            let Some(row) = pixels.get_mut(row * width..(row + 1) * width) else { return };
            let run = &mut row[columns(x)..columns(x + length as i32)];
            if shade >= SHADES {
                run.fill(colour);
            } else {
                run.iter_mut().for_each(|pixel| *pixel = palette.mixed(colour, *pixel, shade));
            }
        });
    }
}

/// Returns the offset to a point this many pixels to the left of a line.
fn beside(from: Pixel, to: Pixel, pixels: f32) -> Pixel {
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    let part = pixels / across.hypot(down);
    (down * part, -across * part)
}

/// Moves the sides of a convex polygon outwards by `pixels`. Corners become round if they move outwards.
fn grown(corners: &[Pixel], pixels: f32) -> Vec<Pixel> {
    let next = |i: usize| corners[(i + 1) % corners.len()];
    let area: f32 = corners.iter().zip(0..).map(|((x, y), i)| x * next(i).1 - next(i).0 * y).sum();
    let pixels = pixels * area.signum();
    let outwards = pixels * area.signum() > 0.0;
    let mut points = Vec::with_capacity(3 * corners.len());
    for (i, (x, y)) in corners.iter().enumerate() {
        let before = corners[(i + corners.len() - 1) % corners.len()];
        let (ax, ay) = beside(before, (*x, *y), pixels);
        let (bx, by) = beside((*x, *y), next(i), pixels);
        let (mx, my) = (ax + bx, ay + by);
        if outwards {
            let round = pixels.abs() / mx.hypot(my);
            points.extend([(x + ax, y + ay), (x + mx * round, y + my * round), (x + bx, y + by)]);
        } else {
            let sharp = pixels * pixels / (pixels * pixels + ax * bx + ay * by);
            points.push((x + mx * sharp, y + my * sharp));
        }
    }
    points
}

/// Returns the corners of a polygon that approximates a part of a circle, clockwise between two fractions of a full
/// turn.
fn arc((x, y): Pixel, radius: f32, from: f32, to: f32, steps: u8) -> impl Iterator<Item = Pixel> {
    (0..=steps).map(move |step| {
        let turn = from + (to - from) * f32::from(step) / f32::from(steps);
        let (sin, cos) = (turn * std::f32::consts::TAU).sin_cos();
        (x + radius * cos, y + radius * sin)
    })
}

const GROUND: Colour = Colour([0xf4, 0xef, 0xe6]);
const WHITE: Colour = Colour([0xff, 0xff, 0xff]);
const INK: Colour = Colour([0x1d, 0x1a, 0x17]);

/// Renders the icon of the web pages as a PNG file of this width in pixels.
pub fn render_icon(width: u32) -> Vec<u8> {
    let disc = Shape::filled(Form::Circle { middle: (12.0, 12.0), radius: 7.5 }, WHITE);
    let square = Form::Square { middle: (21.0, 21.0), half: 6.0, corner: 2.0 };
    let picture = Picture {
        title: String::new(),
        frame: Frame { left: 0.0, top: 0.0, width: 32.0, height: 32.0 },
        ground: GROUND,
        stamps: Vec::new(),
        borders: Vec::new(),
        name_height: 0.0,
        caption_height: 0.0,
        cells: Vec::new(),
        above: vec![disc.with_line(Line { colour: INK, width: 2.0 }), Shape::filled(square, INK)],
        captions: Vec::new(),
    };
    render(&picture, width)
}

/// The maximum number of colours. A board has a dozen; the others are shades along lines and letters. Fewer shades make
/// a smaller file.
const COLOURS: usize = 32;
/// A mixed colour is replaced by an existing one at this distance or less.
const NEAR: u32 = 20;
/// The number of steps from one colour to another.
pub(crate) const SHADES: usize = 8;

/// The colours of a PNG file, by their index.
pub(crate) struct Palette {
    colours: Vec<Colour>,
    /// Cached results of [`Palette::mixed`], by the upper colour, the lower colour and the shade.
    known: Vec<Option<u8>>,
}

impl Palette {
    /// Creates a palette of these colours without duplicates.
    pub(crate) fn new(all: impl Iterator<Item = Colour>) -> Palette {
        let mut colours = Vec::new();
        for colour in all {
            if !colours.contains(&colour) && colours.len() < COLOURS {
                colours.push(colour);
            }
        }
        Palette { colours, known: vec![None; COLOURS * COLOURS * SHADES] }
    }

    /// Returns the index of one of the initial colours.
    pub(crate) fn index(&self, colour: Colour) -> u8 {
        self.nearest(colour).0
    }

    /// Returns the colour of a pixel if an upper colour covers `shade` of [`SHADES`] parts of a lower one.
    pub(crate) fn mixed(&mut self, upper: u8, lower: u8, shade: usize) -> u8 {
        let at = (usize::from(upper) * COLOURS + usize::from(lower)) * SHADES + shade;
        if let Some(known) = self.known[at] {
            return known;
        }
        let (Colour(over), Colour(under)) = (self.colours[usize::from(upper)], self.colours[usize::from(lower)]);
        let mix = |i: usize| (usize::from(over[i]) * shade + usize::from(under[i]) * (SHADES - shade)) / SHADES;
        let colour = Colour([mix(0), mix(1), mix(2)].map(|part| part as u8));
        let (mut index, distance) = self.nearest(colour);
        if distance > NEAR * NEAR && self.colours.len() < COLOURS {
            index = self.colours.len() as u8;
            self.colours.push(colour);
        }
        self.known[at] = Some(index);
        index
    }

    /// Returns the nearest colour, and the square of its distance.
    fn nearest(&self, Colour(colour): Colour) -> (u8, u32) {
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        let distances = self.colours.iter().map(|Colour(other)| (0..3).map(|i| square(colour[i], other[i])).sum());
        (0..).zip(distances).min_by_key(|(_, distance): &(u8, u32)| *distance).unwrap_or_default()
    }

    /// Returns red, green and blue of each colour, as PNG requires.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.colours.iter().flat_map(|Colour(parts)| *parts).collect()
    }
}
