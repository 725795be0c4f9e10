//! The outlines of letters, from an embedded font, because a server may have no fonts.

use std::collections::BTreeMap;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// A straight line of an outline, between two points. The font is 1 unit high; y grows downwards.
type Edge = [(f32, f32); 2];

/// The glyph for a letter that the font lacks.
const MISSING: GlyphId = GlyphId(0);

/// A monospaced font. Each letter is read when it is first drawn.
pub(crate) struct Font {
    face: Face<'static>,
    /// The height of the font, in its own units.
    unit: f32,
    letters: BTreeMap<char, Vec<Edge>>,
    /// The width of every letter; the font is 1 unit high.
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

/// Approximates an outline by straight lines. In the font, y grows upwards.
struct Outline {
    /// The height of the font, in its own units.
    unit: f32,
    edges: Vec<Edge>,
    start: (f32, f32),
    at: (f32, f32),
}

/// The number of straight lines for a curve. Letters are drawn a few dozen pixels high.
const STEPS: u8 = 3;

impl Outline {
    /// Scales a point of the font to a height of 1.
    fn scaled(&self, x: f32, y: f32) -> (f32, f32) {
        (x / self.unit, y / self.unit)
    }

    /// Adds a line from the current point.
    fn line(&mut self, to: (f32, f32)) {
        self.edges.push([(self.at.0, -self.at.1), (to.0, -to.1)]);
        self.at = to;
    }

    /// Approximates a curve through these points (de Casteljau).
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
