//! A picture as SVG, for pages, and as a small SVG for lists.
//!
//! Each cell is a group with the cell's id and a title that describes its content for screen readers. A cell with a
//! link target is a link. Colours are presentation attributes, which a page's style sheet replaces with the colours of
//! a theme. A page contains hundreds of cells, so shared parts are written once: pieces and grounds are references, and
//! names inherit colour and size from their group.
//!
//! A page may show dozens of small SVGs (thumbnails), so in each of them, cells of one colour share one path. The page
//! embeds thumbnails as images, which its style sheet cannot change, so they contain the colours of a theme.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::picture::{Colour, Form, Frame, Group, Line, Part, Picture, Point, Shape, Stamp, Stamped};
use super::themes::{INK, NAME, Theme};

/// The default height of letters, in units.
const HEIGHT: f64 = 20.0;

/// Pictures with a greater ratio of width to height get the class `wide`.
const WIDE: f64 = 1.4;

/// A length or coordinate, written with one decimal place.
#[derive(Clone, Copy)]
pub(crate) struct Tenths(pub(crate) f64);

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

/// Writes a picture as SVG, which scales to any size.
pub fn write(picture: &Picture) -> String {
    write_with_prefix(picture, "")
}

/// Writes a picture as SVG for a page with other pictures. The prefix makes its ids unique.
pub(crate) fn write_beside_others(picture: Picture, prefix: &str) -> String {
    write_with_prefix(&picture.beside_others(prefix), prefix)
}

fn write_with_prefix(picture: &Picture, prefix: &str) -> String {
    let mut svg = Svg::new(Grounds::of(picture, prefix));
    // Writing to a String cannot fail.
    let _ = svg.picture(picture);
    svg.text
}

/// Writes the stamps of a picture as definitions, without their texts.
pub(crate) fn stamps_without_text(picture: &Picture) -> String {
    let mut svg = Svg::new(Grounds::default());
    let _ = picture.stamps.iter().try_for_each(|stamp| {
        let drawn = stamp.shapes.iter().filter(|shape| !matches!(shape.form, Form::Text { .. }));
        svg.stamp(&Stamp { name: stamp.name.clone(), shapes: drawn.cloned().collect() })
    });
    format!("<defs>{}</defs>", svg.text)
}

/// The properties that a shape inherits from its parent elements.
#[derive(Clone, Copy)]
struct Inherited {
    fill: Option<Colour>,
    height: f64,
}

impl Inherited {
    const NOTHING: Inherited = Inherited { fill: None, height: HEIGHT };
}

/// The ids of the grounds that at least three cells share, by the SVG text of the ground (with colour and mark).
#[derive(Default)]
struct Grounds(BTreeMap<String, String>);

impl Grounds {
    fn of(picture: &Picture, prefix: &str) -> Grounds {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for ground in picture.cells.iter().filter_map(|cell| Ground::of(&cell.parts)) {
            *counts.entry(ground.text).or_default() += 1;
        }
        let common = counts.into_iter().filter(|(_, count)| *count > 2).enumerate();
        // No name of a cell contains an underscore.
        Grounds(common.map(|(i, (text, _))| (text, format!("{prefix}_{i}"))).collect())
    }
}

/// The ground of a cell (the polygon below its piece), with its mark.
struct Ground {
    /// The SVG elements, with the first corner at the origin.
    text: String,
    /// The position of the first corner.
    at: Point,
    /// The number of the cell's parts that form the ground.
    parts: usize,
}

impl Ground {
    /// Extracts the ground from the first parts of a cell.
    fn of(parts: &[Part]) -> Option<Ground> {
        let [Part::Shape(shape), rest @ ..] = parts else { return None };
        let Shape { class: None, form: Form::Polygon(corners), fill: Some(fill), line: None, opacity } = shape else {
            return None;
        };
        let &at = corners.first()?;
        let from_at = |point: &Point| (point.0 - at.0, point.1 - at.1);
        let corners: Vec<Point> = corners.iter().map(from_at).collect();
        let opacity = if *opacity < 1.0 { format!(" opacity=\"{opacity}\"") } else { String::new() };
        let mut text = format!("<path d=\"{}z\" fill=\"{fill}\"{opacity}/>", path(&corners));
        let [Part::Shape(Shape { class: Some(class), form: Form::Circle { middle, radius }, .. }), ..] = rest else {
            return Some(Ground { text, at, parts: 1 });
        };
        let ((x, y), radius) = (from_at(middle), Tenths(*radius));
        let (x, y) = (Tenths(x), Tenths(y));
        let _ = write!(text, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\"/>");
        Some(Ground { text, at, parts: 2 })
    }
}

struct Svg {
    text: String,
    around: Inherited,
    grounds: Grounds,
}

impl Svg {
    fn new(grounds: Grounds) -> Svg {
        Svg { text: String::new(), around: Inherited::NOTHING, grounds }
    }

    fn picture(&mut self, picture: &Picture) -> fmt::Result {
        let Frame { left, top, width, height } = picture.frame;
        let role = if picture.cells.iter().any(|cell| cell.link.is_some()) { "group" } else { "img" };
        // A style sheet cannot compute the ratio of width to height.
        let wide = if width > WIDE * height { " class=\"wide\"" } else { "" };
        writeln!(
            self.text,
            "<svg{wide} xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left:.1} {top:.1} {width:.1} {height:.1}\" role=\"{role}\" \
             font-family=\"Hack, monospace\" font-size=\"{HEIGHT}\" text-anchor=\"middle\">\n<title>{}</title>\n\
             <rect class=\"ground\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
            escape(&picture.title),
            picture.ground,
        )?;
        self.text.push_str("<defs>\n");
        for (ground, id) in &self.grounds.0 {
            writeln!(self.text, "<g id=\"{id}\">{ground}</g>")?;
        }
        picture.stamps.iter().try_for_each(|stamp| self.stamp(stamp))?;
        self.text.push_str("</defs>\n");
        picture.borders.iter().try_for_each(|border| self.shape(border))?;
        for level in picture.cells.chunk_by(|cell, next| cell.level == next.level) {
            self.level(level, picture)?;
        }
        if !picture.above.is_empty() {
            self.around = Inherited::NOTHING;
            self.text.push_str("<g class=\"above\" pointer-events=\"none\">\n");
            picture.above.iter().try_for_each(|shape| self.shape(shape))?;
            self.text.push_str("</g>\n");
        }
        self.around_all("captions", INK, picture.caption_height)?;
        picture.captions.iter().try_for_each(|caption| self.shape(caption))?;
        self.text.push_str("</g>\n</svg>\n");
        Ok(())
    }

    /// Writes the cells of one level. Where pieces are stacked, a style sheet identifies the level by its number,
    /// from 1.
    fn level(&mut self, cells: &[Group], picture: &Picture) -> fmt::Result {
        let stacked = picture.cells.last().is_some_and(|cell| cell.level > 0);
        let class = match cells {
            [first, ..] if stacked => format!("cells level-{}", first.level + 1),
            _ => "cells".to_owned(),
        };
        self.around_all(&class, NAME, picture.name_height)?;
        cells.iter().try_for_each(|cell| self.group(cell, &picture.stamps))?;
        self.text.push_str("\n</g>\n");
        Ok(())
    }

    /// Starts a group of texts with this colour and height.
    fn around_all(&mut self, class: &str, fill: Colour, height: f64) -> fmt::Result {
        self.around = Inherited { fill: Some(fill), height };
        writeln!(self.text, "<g class=\"{class}\" fill=\"{fill}\" font-size=\"{}\">", Tenths(height))
    }

    fn stamp(&mut self, stamp: &Stamp) -> fmt::Result {
        write!(self.text, "<g id=\"{}\">", stamp.name)?;
        stamp.shapes.iter().try_for_each(|shape| self.shape(shape))?;
        self.text.push_str("</g>\n");
        Ok(())
    }

    fn stamped(&mut self, stamped: &Stamped, stamps: &[Stamp]) -> fmt::Result {
        let (name, (x, y)) = (&stamps[stamped.stamp].name, stamped.at);
        let class = stamped.class.map(|class| format!(" class=\"{class}\"")).unwrap_or_default();
        write!(self.text, "<use{class} href=\"#{name}\" x=\"{}\" y=\"{}\"", Tenths(x), Tenths(y))?;
        if stamped.opacity < 1.0 {
            write!(self.text, " opacity=\"{}\"", stamped.opacity)?;
        }
        self.text.push_str("/>");
        Ok(())
    }

    fn group(&mut self, group: &Group, stamps: &[Stamp]) -> fmt::Result {
        let tag = if group.link.is_some() { "a" } else { "g" };
        write!(self.text, "<{tag}")?;
        if !group.class.is_empty() {
            write!(self.text, " class=\"{}\"", group.class)?;
        }
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
        self.shared_ground(&group.parts)?.iter().try_for_each(|part| match part {
            Part::Shape(shape) => self.shape(shape),
            Part::Stamp(stamped) => self.stamped(stamped, stamps),
        })?;
        write!(self.text, "</{tag}>")
    }

    /// Writes a reference to the ground of a cell if the ground is shared. Returns the remaining parts.
    fn shared_ground<'a>(&mut self, parts: &'a [Part]) -> Result<&'a [Part], fmt::Error> {
        let Some(ground) = Ground::of(parts) else { return Ok(parts) };
        let Some(id) = self.grounds.0.get(&ground.text) else { return Ok(parts) };
        let (x, y) = ground.at;
        write!(self.text, "<use href=\"#{id}\" x=\"{}\" y=\"{}\"/>", Tenths(x), Tenths(y))?;
        Ok(&parts[ground.parts..])
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
                // Sizes of equal cells may differ by rounding errors.
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

    /// Writes the colours of a shape, except those that it inherits.
    fn colours(&mut self, shape: &Shape) -> fmt::Result {
        let (around, out) = (self.around, &mut self.text);
        match shape.fill {
            Some(fill) if Some(fill) == around.fill => {}
            Some(fill) => write!(out, " fill=\"{fill}\"")?,
            None => write!(out, " fill=\"none\"")?,
        }
        if let Some(Line { colour, width }) = shape.line {
            write!(out, " stroke=\"{colour}\" stroke-width=\"{}\"", Tenths(width))?;
        }
        if shape.opacity < 1.0 { write!(out, " opacity=\"{}\"", shape.opacity) } else { Ok(()) }
    }
}

/// Writes the straight lines through these points as a path.
pub(crate) fn path(points: &[Point]) -> String {
    let mut path = String::new();
    let (mut x, mut y) = (0.0, 0.0);
    for (i, (to_x, to_y)) in points.iter().enumerate() {
        // Write each point relative to the previous rounded one, so that errors do not accumulate.
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

/// Escapes text for SVG or HTML, including attributes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The margin around the cells, in units.
const MARGIN: f64 = 8.0;

/// Writes a picture as a thumbnail in the colours of a theme.
pub fn write_thumbnail(picture: &Picture, theme: Theme) -> String {
    let mut svg = String::new();
    // Writing to a String cannot fail.
    let _ = write_to(&mut svg, picture, theme);
    svg
}

fn write_to(out: &mut String, picture: &Picture, theme: Theme) -> fmt::Result {
    let Frame { left, top, width, height } = frame(picture);
    let [left, top, width, height] = [left, top, width, height].map(Tenths);
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left} {top} {width} {height}\"><title>{}</title><style>",
        escape(&picture.title)
    )?;
    let [light, dark] = theme.replacements();
    write_colours(out, &light)?;
    out.push_str("@media (prefers-color-scheme: dark) {");
    write_colours(out, &dark)?;
    write!(
        out,
        "}}</style><rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
        picture.ground
    )?;
    out.push_str(&stamps_without_text(picture));
    for (colour, path) in grounds(picture) {
        write!(out, "<path fill=\"{colour}\" d=\"{path}\"/>")?;
    }
    for part in picture.cells.iter().flat_map(|cell| &cell.parts) {
        if let Part::Stamp(stamped) = part {
            let ((x, y), name) = (stamped.at, &picture.stamps[stamped.stamp].name);
            write!(out, "<use href=\"#{name}\" x=\"{}\" y=\"{}\"/>", Tenths(x), Tenths(y))?;
        }
    }
    out.push_str("</svg>\n");
    Ok(())
}

fn write_colours(out: &mut String, colours: &[(Colour, String)]) -> fmt::Result {
    colours.iter().try_for_each(|(from, to)| write!(out, "[fill=\"{from}\"] {{ fill: {to} }}"))
}

/// Returns the bounds of the cells, with a margin. Everything outside is omitted, because it would be too small to
/// read.
fn frame(picture: &Picture) -> Frame {
    let shapes = picture.cells.iter().flat_map(|cell| &cell.parts);
    let corners = shapes.flat_map(|part| match part {
        Part::Shape(Shape { form: Form::Polygon(corners), .. }) => corners.as_slice(),
        _ => &[],
    });
    let none = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    let (left, top, right, bottom) = corners
        .fold(none, |(left, top, right, bottom), (x, y)| (left.min(*x), top.min(*y), right.max(*x), bottom.max(*y)));
    let (width, height) = (right - left + 2.0 * MARGIN, bottom - top + 2.0 * MARGIN);
    Frame { left: left - MARGIN, top: top - MARGIN, width, height }
}

/// Returns the grounds of the cells, one path for each colour. Empty spaces above other pieces are omitted.
fn grounds(picture: &Picture) -> Vec<(Colour, String)> {
    let mut paths: Vec<(Colour, String)> = Vec::new();
    for part in picture.cells.iter().flat_map(|cell| &cell.parts) {
        let Part::Shape(Shape { form: Form::Polygon(corners), fill: Some(fill), opacity, .. }) = part else { continue };
        if *opacity < 1.0 {
            continue;
        }
        let path = path(corners) + "z";
        match paths.iter_mut().find(|(colour, _)| colour == fill) {
            Some((_, paths)) => paths.push_str(&path),
            None => paths.push((*fill, path)),
        }
    }
    paths
}
