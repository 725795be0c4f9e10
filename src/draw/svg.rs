//! A picture as SVG, for pages.
//!
//! Each cell is a group with the cell's id and a title that says what stands there, for screen readers; a cell that
//! leads somewhere is a link. Colours are presentation attributes, which a page's style sheet overrides by the classes;
//! what all cells share stands once around them, for a page carries hundreds.

use std::fmt::{self, Write};

use super::layout::{NAME, OUTLINE};
use super::picture::{Colour, Form, Frame, Group, Line, Picture, Point, Shape};

/// The height of letters where nothing else is said, in units.
const HEIGHT: f64 = 20.0;

/// A length or coordinate, written to a tenth.
#[derive(Clone, Copy)]
struct Tenths(f64);

impl Tenths {
    fn rounded(self) -> f64 {
        (self.0 * 10.0).round() / 10.0
    }
}

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            _ => write!(f, "{:.1}", tenths as f64 / 10.0),
        }
    }
}

/// Writes a picture; it scales to any size.
pub fn write(picture: &Picture) -> String {
    let mut svg = Svg { text: String::new(), around: Inherited::NOTHING };
    // A String takes any text.
    let _ = svg.picture(picture);
    svg.text
}

/// What a shape takes from the elements around it.
#[derive(Clone, Copy)]
struct Inherited {
    fill: Option<Colour>,
    line: Option<Line>,
    height: f64,
}

impl Inherited {
    const NOTHING: Inherited = Inherited { fill: None, line: None, height: HEIGHT };
}

struct Svg {
    text: String,
    around: Inherited,
}

impl Svg {
    fn picture(&mut self, picture: &Picture) -> fmt::Result {
        let Frame { left, top, width, height } = picture.frame;
        let role = if picture.cells.iter().any(|cell| cell.link.is_some()) { "group" } else { "img" };
        writeln!(
            self.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left:.1} {top:.1} {width:.1} {height:.1}\" role=\"{role}\" \
             font-family=\"Hack, monospace\" font-size=\"{HEIGHT}\" text-anchor=\"middle\">\n<title>{}</title>\n\
             <rect class=\"ground\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
            escape(&picture.title),
            picture.ground,
        )?;
        picture.borders.iter().try_for_each(|border| self.shape(border))?;
        self.around = Inherited { fill: Some(NAME), line: Some(OUTLINE), height: picture.name_height };
        let (Line { colour, width }, height) = (OUTLINE, Tenths(picture.name_height));
        writeln!(
            self.text,
            "<g stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" fill=\"{NAME}\" font-size=\"{height}\">"
        )?;
        picture.cells.iter().try_for_each(|cell| self.group(cell))?;
        self.text.push_str("</g>\n");
        self.around = Inherited::NOTHING;
        picture.captions.iter().try_for_each(|caption| self.group(caption))?;
        self.text.push_str("</svg>\n");
        Ok(())
    }

    fn group(&mut self, group: &Group) -> fmt::Result {
        let tag = if group.link.is_some() { "a" } else { "g" };
        write!(self.text, "<{tag} class=\"{}\"", group.class)?;
        if let Some((id, _)) = &group.cell {
            write!(self.text, " id=\"{}\"", escape(id))?;
        }
        if let Some(link) = &group.link {
            write!(self.text, " href=\"{}\"", escape(link))?;
        }
        self.text.push('>');
        if let Some((_, what)) = &group.cell {
            write!(self.text, "<title>{}</title>", escape(what))?;
        }
        group.shapes.iter().try_for_each(|shape| self.shape(shape))?;
        writeln!(self.text, "</{tag}>")
    }

    fn shape(&mut self, shape: &Shape) -> fmt::Result {
        let class = shape.class.map(|class| format!(" class=\"{class}\"")).unwrap_or_default();
        let out = &mut self.text;
        match &shape.form {
            Form::Polygon(corners) => write!(out, "<path{class} d=\"{}z\"", path(corners))?,
            Form::Lines(lines) => {
                let path: String = lines.iter().map(|ends| path(ends)).collect();
                write!(out, "<path{class} d=\"{path}\" stroke-linecap=\"round\"")?;
            }
            Form::Circle { middle: (x, y), radius } => {
                let (x, y, radius) = (Tenths(*x), Tenths(*y), Tenths(*radius));
                write!(out, "<circle{class} cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"")?;
            }
            Form::Square { middle: (x, y), half, corner } => {
                let (x, y, side) = (Tenths(x - half), Tenths(y - half), Tenths(2.0 * half));
                write!(out, "<rect{class} x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" rx=\"{corner}\"")?;
            }
            Form::Text { base: (x, y), height, bold, .. } => {
                write!(out, "<text{class} x=\"{}\" y=\"{}\"", Tenths(*x), Tenths(*y))?;
                // Sizes of equal cells differ by rounding errors.
                if (height - self.around.height).abs() > 1e-6 {
                    write!(out, " font-size=\"{}\"", Tenths(*height))?;
                }
                out.push_str(if *bold { " font-weight=\"bold\"" } else { "" });
            }
        }
        self.colours(shape)?;
        match &shape.form {
            Form::Text { text, .. } => write!(self.text, ">{}</text>", escape(text)),
            _ => write!(self.text, "/>"),
        }
    }

    /// Writes the colours of a shape, unless those around it are the same.
    fn colours(&mut self, shape: &Shape) -> fmt::Result {
        let (around, out) = (self.around, &mut self.text);
        match shape.fill {
            Some(fill) if Some(fill) == around.fill => {}
            Some(fill) => write!(out, " fill=\"{fill}\"")?,
            None => write!(out, " fill=\"none\"")?,
        }
        match (shape.line, around.line) {
            (None, None) => {}
            (None, Some(_)) => write!(out, " stroke=\"none\"")?,
            (Some(line), around) if Some(line) == around => {}
            (Some(Line { colour, width }), _) => {
                write!(out, " stroke=\"{colour}\" stroke-width=\"{}\"", Tenths(width))?;
            }
        }
        if shape.opacity < 1.0 { write!(out, " opacity=\"{}\"", shape.opacity) } else { Ok(()) }
    }
}

/// Straight lines as a path, each point relative to the one before.
fn path(points: &[Point]) -> String {
    let mut path = String::new();
    let (mut x, mut y) = (0.0, 0.0);
    for (i, (to_x, to_y)) in points.iter().enumerate() {
        // Relative to the rounded point before, so that errors do not add up.
        let (dx, dy) = (Tenths(*to_x).rounded() - x, Tenths(*to_y).rounded() - y);
        let _ = match (i, Tenths(dx).to_string().as_str(), Tenths(dy).to_string().as_str()) {
            (0, dx, dy) => write!(path, "M{dx} {dy}"),
            (_, dx, "0") => write!(path, "h{dx}"),
            (_, "0", dy) => write!(path, "v{dy}"),
            (_, dx, dy) => write!(path, "l{dx} {dy}"),
        };
        (x, y) = (x + dx, y + dy);
    }
    path
}

/// Escapes text for SVG or HTML, attributes included.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
