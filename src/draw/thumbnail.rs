//! A picture as a small SVG, for lists: the cells and the pieces, without names and links.
//!
//! A page may show dozens of them, so cells of one colour share one path. A page embeds a thumbnail as an image, out
//! of reach of the page's style sheet, so the file contains the colours of a theme.

use std::fmt::{self, Write};

use super::picture::{Colour, Form, Frame, Part, Picture, Shape};
use super::svg::{self, Tenths, escape};
use super::themes::Theme;

/// The margin around the cells, in units.
const MARGIN: f64 = 8.0;

/// Writes a picture as a thumbnail in the colours of a theme.
pub fn write(picture: &Picture, theme: Theme) -> String {
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
    out.push_str(&svg::stamps_without_text(picture));
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

/// Returns the bounds of the cells, with a margin. Anything outside is too small to read.
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

/// Returns the grounds of the cells, one path for each colour. Empty places above other pieces are omitted.
fn grounds(picture: &Picture) -> Vec<(Colour, String)> {
    let mut paths: Vec<(Colour, String)> = Vec::new();
    for part in picture.cells.iter().flat_map(|cell| &cell.parts) {
        let Part::Shape(Shape { form: Form::Polygon(corners), fill: Some(fill), opacity, .. }) = part else { continue };
        if *opacity < 1.0 {
            continue;
        }
        let path = svg::path(corners) + "z";
        match paths.iter_mut().find(|(colour, _)| colour == fill) {
            Some((_, paths)) => paths.push_str(&path),
            None => paths.push((*fill, path)),
        }
    }
    paths
}
