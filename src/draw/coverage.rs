//! Computes exactly how much of each pixel a shape or a letter covers. Each edge adds its area and height to the pixels
//! that it crosses, and the running sum along a row is the coverage. The outlines of letters are from an embedded font,
//! because a server may have no fonts.

use std::collections::BTreeMap;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// A point in pixels; y grows downwards.
pub(crate) type Pixel = (f32, f32);

/// The number of pixels that are compared in one step.
const CHUNK: usize = 8;

/// A part of a row with constant coverage.
pub(crate) struct Run {
    pub(crate) y: i32,
    /// The first column.
    pub(crate) x: i32,
    /// The number of columns.
    pub(crate) length: usize,
    /// The covered fraction, from 0 to 1.
    pub(crate) coverage: f32,
}

/// How much of each pixel in a rectangle is covered by one shape. Parts of a shape may overlap if all have the same
/// orientation.
#[derive(Default)]
pub(crate) struct Coverage {
    left: i32,
    top: i32,
    width: usize,
    height: usize,
    /// The difference between the coverage of each pixel and of the one before it, row by row.
    changes: Vec<f32>,
}

impl Coverage {
    /// Clears the coverage, and makes room for a shape within the bounds of these points.
    pub(crate) fn start(&mut self, points: impl Iterator<Item = Pixel>) {
        let nowhere = (f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY);
        let (left, top, right, bottom) = points
            .fold(nowhere, |(left, top, right, bottom), (x, y)| (left.min(x), top.min(y), right.max(x), bottom.max(y)));
        let size = |from: f32, to: f32| (to.ceil() - from.floor()).max(0.0) as usize;
        (self.left, self.top) = (left.floor() as i32, top.floor() as i32);
        // An edge in the last column also changes the next one, and rows are read in whole chunks.
        self.width = (size(left, right) + 2).next_multiple_of(CHUNK);
        self.height = size(top, bottom);
        self.changes.clear();
        self.changes.resize(self.width * self.height, 0.0);
    }

    /// Adds the outline of a part, closed from its last point to its first.
    pub(crate) fn outline(&mut self, points: &[Pixel]) {
        for (from, to) in points.iter().zip(points.iter().cycle().skip(1)) {
            self.edge(*from, *to);
        }
    }

    pub(crate) fn edge(&mut self, from: Pixel, to: Pixel) {
        let place = |(x, y): Pixel| (x - self.left as f32, y - self.top as f32);
        let (from, to) = (place(from), place(to));
        let (sign, (mut x, top), (end, bottom)) = if from.1 < to.1 { (1.0, from, to) } else { (-1.0, to, from) };
        if top == bottom {
            return;
        }
        let slope = (end - x) / (bottom - top);
        for row in top as usize..up(bottom).min(self.height) {
            let height = bottom.min((row + 1) as f32) - top.max(row as f32);
            let next = x + slope * height;
            self.cross(row, sign * height, x.min(next).max(0.0), x.max(next).max(0.0));
            x = next;
        }
    }

    /// Adds the part of an edge within one row. `height` is positive downwards; `left` and `right` are the columns of
    /// its ends.
    fn cross(&mut self, row: usize, height: f32, left: f32, right: f32) {
        let first = left as usize;
        let count = up(right).saturating_sub(first);
        let Some(changes) = self.changes.get_mut(row * self.width + first..(row + 1) * self.width) else { return };
        if changes.len() <= count.max(1) {
            return;
        }
        let (left, right) = (left - first as f32, right - first as f32);
        if count <= 1 {
            let right_of_it = height * 0.5 * (left + right);
            changes[0] += height - right_of_it;
            changes[1] += right_of_it;
            return;
        }
        // The height of the edge in each column that it crosses.
        let rise = height / (right - left);
        let mut before = 0.0;
        let mut area_before = 0.0;
        for (i, change) in changes[..=count].iter_mut().enumerate() {
            let end = ((i + 1) as f32).min(right);
            let inside = (end - left).max(0.0);
            // The area to the right of the edge, up to the end of this pixel.
            let area = 0.5 * rise * inside * inside + rise * (right - left) * ((i + 1) as f32 - end);
            let covered = area - area_before;
            *change += covered - before;
            (before, area_before) = (covered, area);
        }
    }

    /// Calls `paint` for the parts of each row, row by row, up to the last change of the coverage. Some parts may have
    /// no coverage.
    pub(crate) fn runs(&self, mut paint: impl FnMut(Run)) {
        for (row, y) in self.changes.chunks_exact(self.width).zip(self.top..) {
            let (mut sum, mut from) = (0.0_f32, 0);
            while let Some(to) = next_change(row, from) {
                if to > from {
                    paint(Run { y, x: self.left + from as i32, length: to - from, coverage: sum.abs().min(1.0) });
                }
                sum += row[to];
                paint(Run { y, x: self.left + to as i32, length: 1, coverage: sum.abs().min(1.0) });
                from = to + 1;
            }
        }
    }
}

/// Returns the next pixel whose coverage differs from that of the pixel before it. Most pixels do not differ, so whole
/// chunks are compared.
fn next_change(row: &[f32], from: usize) -> Option<usize> {
    let mut at = from;
    while at < row.len() {
        let end = (at / CHUNK + 1) * CHUNK;
        let chunk = &row[at..end];
        let bits = chunk.iter().fold(0, |all, change| all | change.to_bits());
        if bits != 0
            && let Some(place) = chunk.iter().position(|change| *change != 0.0)
        {
            return Some(at + place);
        }
        at = end;
    }
    None
}

/// Rounds up a nonnegative number.
fn up(number: f32) -> usize {
    let whole = number as usize;
    whole + usize::from((whole as f32) < number)
}

/// A straight line of an outline, between two points. The unit is the height of the font; y grows downwards.
type Edge = [(f32, f32); 2];

/// The glyph for a letter that the font lacks.
const MISSING: GlyphId = GlyphId(0);

/// A monospaced font. The outline of a letter is read when the letter is first drawn.
pub(crate) struct Font {
    face: Face<'static>,
    /// The number of font units in the height of the font.
    unit: f32,
    letters: BTreeMap<char, Vec<Edge>>,
    /// The width of every letter, as a multiple of the font's height.
    pub(crate) advance: f32,
}

impl Font {
    pub(crate) fn new() -> Font {
        let face = Face::parse(epaint_default_fonts::HACK_REGULAR, 0).expect("the embedded font");
        let unit = f32::from(face.units_per_em());
        let advance = face.glyph_hor_advance(face.glyph_index('a').unwrap_or(MISSING)).unwrap_or_default();
        Font { face, unit, letters: BTreeMap::new(), advance: f32::from(advance) / unit }
    }

    /// Returns the outline of a letter, or the replacement glyph if the font lacks the letter.
    pub(crate) fn outline(&mut self, letter: char) -> &[Edge] {
        let (face, unit) = (&self.face, self.unit);
        self.letters.entry(letter).or_insert_with(|| {
            let mut outline = Outline { unit, edges: Vec::new(), start: (0.0, 0.0), at: (0.0, 0.0) };
            // A blank has no outline.
            face.outline_glyph(face.glyph_index(letter).unwrap_or(MISSING), &mut outline);
            outline.edges
        })
    }
}

/// A glyph's outline, approximated by straight lines. In the font, y grows upwards.
struct Outline {
    /// The number of font units in the height of the font.
    unit: f32,
    edges: Vec<Edge>,
    start: (f32, f32),
    at: (f32, f32),
}

/// The number of straight lines that replace a curve. Letters are only a few dozen pixels high, so few lines suffice.
const STEPS: u8 = 3;

impl Outline {
    /// Scales a point from font units to multiples of the font's height.
    fn scaled(&self, x: f32, y: f32) -> (f32, f32) {
        (x / self.unit, y / self.unit)
    }

    /// Adds a line from the current point.
    fn line(&mut self, to: (f32, f32)) {
        self.edges.push([(self.at.0, -self.at.1), (to.0, -to.1)]);
        self.at = to;
    }

    /// Adds lines that approximate the Bézier curve with these control points (de Casteljau's algorithm).
    fn curve<const N: usize>(&mut self, points: [(f32, f32); N]) {
        for step in 1..=STEPS {
            let part = f32::from(step) / f32::from(STEPS);
            let mut points = points;
            for left in (1..N).rev() {
                for i in 0..left {
                    let ((ax, ay), (bx, by)) = (points[i], points[i + 1]);
                    points[i] = (ax + (bx - ax) * part, ay + (by - ay) * part);
                }
            }
            self.line(points[0]);
        }
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.at = self.scaled(x, y);
        self.start = self.at;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.line(self.scaled(x, y));
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.curve([self.at, self.scaled(cx, cy), self.scaled(x, y)]);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.curve([self.at, self.scaled(cx0, cy0), self.scaled(cx1, cy1), self.scaled(x, y)]);
    }

    fn close(&mut self) {
        self.line(self.start);
    }
}
