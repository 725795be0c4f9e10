//! The outlines of letters, from an embedded font: a server need not have any.

use std::collections::BTreeMap;

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, MetadataProvider};

/// A straight line of an outline, from one point to the other, where the font is 1 high; y grows downwards.
type Edge = [(f32, f32); 2];

/// A font whose letters are all of one width; each is read when it is first drawn.
pub(super) struct Font {
    font: FontRef<'static>,
    letters: BTreeMap<char, Vec<Edge>>,
    /// The width of every letter, where the font is 1 high.
    pub(super) advance: f32,
}

impl Font {
    pub(super) fn new() -> Font {
        let font = FontRef::new(epaint_default_fonts::HACK_REGULAR).expect("the embedded font");
        let letter = font.charmap().map('a').unwrap_or_default();
        let advance = font.glyph_metrics(Size::new(1.0), LocationRef::default()).advance_width(letter);
        Font { font, letters: BTreeMap::new(), advance: advance.unwrap_or_default() }
    }

    /// The outline of a letter, or the mark that stands for one that the font has not.
    pub(super) fn outline(&mut self, letter: char) -> &[Edge] {
        let font = &self.font;
        self.letters.entry(letter).or_insert_with(|| {
            let mut outline = Outline::default();
            let glyph = font.charmap().map(letter).unwrap_or_default();
            if let Some(glyph) = font.outline_glyphs().get(glyph) {
                let settings = DrawSettings::unhinted(Size::new(1.0), LocationRef::default());
                // What cannot be read is left out, as a letter that the font has not.
                let _ = glyph.draw(settings, &mut outline);
            }
            outline.edges
        })
    }
}

/// The straight lines that follow an outline; the font's y grows upwards.
#[derive(Default)]
struct Outline {
    edges: Vec<Edge>,
    start: (f32, f32),
    at: (f32, f32),
}

/// How many straight lines follow a curve: letters are drawn a few dozen pixels high.
const STEPS: u8 = 3;

impl Outline {
    /// Follows a curve through these points (de Casteljau).
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
            self.line_to(points[0].0, points[0].1);
        }
    }
}

impl OutlinePen for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.at = (x, y);
        self.start = self.at;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.edges.push([(self.at.0, -self.at.1), (x, -y)]);
        self.at = (x, y);
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        self.curve([self.at, (cx0, cy0), (x, y)]);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.curve([self.at, (cx0, cy0), (cx1, cy1), (x, y)]);
    }

    fn close(&mut self) {
        self.line_to(self.start.0, self.start.1);
    }
}
