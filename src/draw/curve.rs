//! The curve of an analysis: a player's chance of winning at the start of a game and after each ply, as ASCII and as a
//! picture.

use super::picture::{Colour, Form, Frame, Line, Picture, Point, Shape};

/// The data of a curve.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// The description of the picture for readers who cannot see it.
    pub title: &'a str,
    /// The heading of the picture.
    pub heading: &'a str,
    /// The chance at the start and after each ply, from 0 to 1.
    pub chances: &'a [f64],
    /// The plies to mark on the curve.
    pub marked: &'a [usize],
}

/// The highest row of a curve in ASCII. There is a row for each tenth of the chance, and row 0.
const ROWS: usize = 10;
/// The maximum number of columns of a curve in ASCII.
const COLUMNS: usize = 66;
/// The maximum number of columns for a ply.
const WIDEST: usize = 4;

impl Curve<'_> {
    fn is_marked(&self, plies: std::ops::Range<usize>) -> bool {
        self.marked.iter().any(|ply| plies.contains(ply))
    }

    /// Draws the curve as ASCII, in lines of at most 78 columns: `*` for a chance, `#` for a marked one.
    pub fn characters(&self) -> String {
        let count = self.chances.len().max(1);
        let (wide, plies) = match COLUMNS / count {
            0 => (1, count.div_ceil(COLUMNS)),
            fits => (fits.min(WIDEST), 1),
        };
        let columns: Vec<(usize, char)> = (0..self.chances.len())
            .step_by(plies)
            .map(|first| {
                let last = (first + plies).min(self.chances.len()) - 1;
                let mark = if self.is_marked(first..last + 1) { '#' } else { '*' };
                (row(self.chances[last]), mark)
            })
            .collect();
        let mut text = String::new();
        for at in (0..=ROWS).rev() {
            let label = if at % 5 == 0 { format!("{}%", at * 100 / ROWS) } else { String::new() };
            let empty = if at % 5 == 0 { '-' } else { ' ' };
            let mut line = format!("{label:>4} |");
            for (height, mark) in &columns {
                line.push(if *height == at { *mark } else { empty });
                line.extend(std::iter::repeat_n(empty, wide - 1));
            }
            text += line.trim_end();
            text.push('\n');
        }
        text + &scale(columns.len(), wide, plies)
    }

    /// Draws the curve as a picture.
    pub fn picture(&self) -> Picture {
        let steps = self.chances.len().saturating_sub(1).max(1) as f64;
        let place = |(ply, chance): (usize, &f64)| -> Point {
            (LEFT + (RIGHT - LEFT) * ply as f64 / steps, BOTTOM - (BOTTOM - TOP) * chance)
        };
        let points: Vec<Point> = self.chances.iter().enumerate().map(place).collect();
        let level = |part: f64| BOTTOM - (BOTTOM - TOP) * part;
        let across = |part: f64| vec![[(LEFT, level(part)), (RIGHT, level(part))]];
        let mut above: Vec<Shape> = [0.0, 0.25, 0.5, 0.75, 1.0]
            .into_iter()
            .map(|part| Shape::lined(Form::Lines(across(part)), if part == 0.5 { MIDDLE } else { GRID }))
            .collect();
        if let ([first, ..], [.., last]) = (points.as_slice(), points.as_slice()) {
            let edge = [(last.0, level(0.5)), (first.0, level(0.5))];
            let area = points.iter().copied().chain(edge).collect();
            above.push(Shape::filled(Form::Polygon(area), CURVE.colour).with_opacity(0.14));
        }
        let lines = points.windows(2).map(|ends| [ends[0], ends[1]]).collect();
        above.push(Shape::lined(Form::Lines(lines), CURVE));
        for point in self.marked.iter().filter_map(|ply| points.get(*ply)) {
            above.push(Shape::filled(Form::Circle { middle: *point, radius: 9.0 }, MARK).with_line(MARK_EDGE));
        }
        let mut captions = vec![caption(((LEFT + RIGHT) / 2.0, 34.0), self.heading)];
        for (part, label) in [(0.0, "0%"), (0.5, "50%"), (1.0, "100%")] {
            captions.push(caption((LEFT / 2.0, level(part) + HEIGHT / 3.0), label));
        }
        for ply in labelled(self.chances.len()) {
            let Some((x, _)) = points.get(ply) else { continue };
            captions.push(caption((*x, BOTTOM + 1.6 * HEIGHT), &ply.to_string()));
        }
        Picture {
            title: self.title.to_owned(),
            frame: Frame { left: 0.0, top: 0.0, width: WIDTH, height: BOTTOM + 2.6 * HEIGHT },
            ground: PAPER,
            stamps: Vec::new(),
            borders: Vec::new(),
            name_height: HEIGHT,
            caption_height: HEIGHT,
            cells: Vec::new(),
            above,
            captions,
        }
    }
}

const WIDTH: f64 = 1_000.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 970.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 384.0;
/// The height of letters.
const HEIGHT: f64 = 24.0;
const PAPER: Colour = Colour([0xfb, 0xf7, 0xef]);
const INK: Colour = Colour([0x3d, 0x2c, 0x14]);
const GRID: Line = Line { colour: Colour([0xdc, 0xd2, 0xc0]), width: 1.5 };
const MIDDLE: Line = Line { colour: Colour([0xa8, 0x99, 0x7e]), width: 2.0 };
// Blue and orange are distinguishable with every kind of colour vision.
const CURVE: Line = Line { colour: Colour([0x1f, 0x6f, 0xb0]), width: 5.0 };
const MARK: Colour = Colour([0xe8, 0x72, 0x00]);
const MARK_EDGE: Line = Line { colour: PAPER, width: 3.0 };

fn caption(base: Point, text: &str) -> Shape {
    Shape::filled(Form::Text { base, height: HEIGHT, bold: false, text: text.to_owned() }, INK)
}

/// Returns the row, from the bottom, that represents a chance.
fn row(chance: f64) -> usize {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and the rows")]
    let row = (chance.clamp(0.0, 1.0) * ROWS as f64).round() as usize;
    row
}

/// Returns the plies to label below the curve: at most seven, in round steps.
pub fn labelled(positions: usize) -> impl Iterator<Item = usize> {
    let last = positions.saturating_sub(1);
    let steps = [1, 2, 5, 10, 20, 50, 100, 200, 500];
    let step = steps.into_iter().find(|step| last / step <= 6).unwrap_or(1_000);
    (0..=last).step_by(step)
}

/// Returns the line of ply numbers below the columns.
fn scale(columns: usize, wide: usize, plies: usize) -> String {
    let mut line = " ".repeat(6);
    for ply in labelled(columns * plies) {
        let at = 6 + ply / plies * wide;
        if at >= line.len() {
            line.extend(std::iter::repeat_n(' ', at - line.len()));
            line += &ply.to_string();
        }
    }
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve<'a>(chances: &'a [f64], marked: &'a [usize]) -> Curve<'a> {
        Curve { title: "The title", heading: "alice", chances, marked }
    }

    #[test]
    fn a_curve_is_drawn_in_characters() {
        let drawn = curve(&[0.5, 0.6, 0.31, 1.0, 0.0], &[2]).characters();
        let expected = "\
100% |------------*-------
     |
     |
     |
     |    *
 50% |*-------------------
     |
     |        #
     |
     |
  0% |----------------*---
      0   1   2   3   4
";
        assert_eq!(drawn, expected);
    }

    #[test]
    fn a_long_game_fits_on_a_line() {
        for count in [1, 17, 66, 67, 200, 1_001] {
            let chances = vec![0.5; count];
            let drawn = curve(&chances, &[count - 1]).characters();
            assert!(drawn.lines().all(|line| line.len() <= 78), "{drawn}");
            assert_eq!(drawn.matches('#').count(), 1, "{drawn}");
            assert!(labelled(count).count() <= 7, "{count}");
        }
    }

    #[test]
    fn a_picture_fills_its_frame_and_shows_all_marks() {
        let picture = curve(&[0.0, 1.0, 0.5], &[1]).picture();
        let lines = picture.above.iter().filter_map(|shape| match &shape.form {
            Form::Lines(lines) if shape.line == Some(CURVE) => Some(lines.clone()),
            _ => None,
        });
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [vec![[(LEFT, BOTTOM), (530.0, TOP)], [(530.0, TOP), (RIGHT, (TOP + BOTTOM) / 2.0)]]]
        );
        let marks = picture.above.iter().filter_map(|shape| match shape.form {
            Form::Circle { middle, .. } => Some(middle),
            _ => None,
        });
        assert_eq!(marks.collect::<Vec<_>>(), [(530.0, TOP)]);
        assert!(!crate::draw::png::render(&picture, 300).is_empty());
        assert!(crate::draw::svg::write(&picture).contains("<title>The title</title>"));
        // A game without moves has one point.
        assert!(!crate::draw::png::render(&curve(&[0.5], &[]).picture(), 300).is_empty());
    }
}
