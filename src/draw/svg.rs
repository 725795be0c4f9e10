//! Boards as pictures: the Scene as SVG, for pages as it is and for mail through [`super::png`].
//!
//! Each cell is a group with the cell's name as its id and a title that says what stands there, so that a page can
//! make it a button and a screen reader can read it. The sides are told apart by shape as well as by colour: a disc and
//! a square. Colours are presentation attributes, which a page's style sheet overrides by the classes.

use std::fmt::Write;

use crate::rules::scene::{Cell, Scene, Vertex};

/// What of a board's looks its Scene does not say.
#[derive(Clone, Debug)]
pub struct Look<'a> {
    /// The picture's title, for those who cannot see it.
    pub title: &'a str,
    /// Both sides' marks and what their pieces are called: `('o', "White (o)")`.
    pub sides: [(char, &'a str); 2],
    /// The names of cells whose pieces the last move captured.
    pub captured: &'a [String],
}

/// Units of the picture to an edge of the tiling.
const EDGE: f64 = 100.0;
/// The free margin around the board, in units.
const MARGIN: f64 = 16.0;
/// Half the size of a piece, in units, where the cell gives it room.
const PIECE: f64 = 19.0;

const GROUND: &str = "#f4efe6";
const CELL: &str = "#fffdf8";
const LINE: &str = "#8a7f70";
const NAME: &str = "#6b6256";
/// What is new: orange and blue are told apart by every kind of colour vision.
const LAST: &str = "#ffd58a";
const LAST_LINE: &str = "#c45a00";
const CAPTURED: &str = "#0066b3";
const DARK: &str = "#1d1a17";

/// Draws the scene; the picture scales to any size.
pub fn draw(scene: &Scene, look: &Look<'_>) -> String {
    let corners = || scene.cells.iter().flat_map(|cell| &cell.corners);
    let (mut left, mut top) = (f64::INFINITY, f64::INFINITY);
    let (mut right, mut bottom) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for corner in corners() {
        let (x, y) = place(corner);
        (left, right) = (left.min(x), right.max(x));
        (top, bottom) = (top.min(y), bottom.max(y));
    }
    let (width, height) = (right - left + 2.0 * MARGIN, bottom - top + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{:.1} {:.1} {width:.1} {height:.1}\" role=\"img\" \
         font-family=\"Hack, monospace\" font-size=\"20\" text-anchor=\"middle\">\n<title>{}</title>\n\
         <rect class=\"ground\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{GROUND}\"/>\n",
        left - MARGIN,
        top - MARGIN,
        escape(look.title),
        left - MARGIN,
        top - MARGIN,
    );
    for cell in &scene.cells {
        draw_cell(&mut svg, cell, look);
    }
    for caption in &scene.captions {
        let (x, y) = place(&caption.at);
        let text = escape(&caption.text);
        // On a disc of its own, since lines meet there.
        let _ = writeln!(
            svg,
            "<g class=\"caption\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"12\" fill=\"{GROUND}\" stroke=\"{LINE}\" \
             stroke-width=\"1.5\"/><text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"16\" font-weight=\"bold\" \
             fill=\"{DARK}\">{text}</text></g>",
            y + 5.6
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw_cell(svg: &mut String, cell: &Cell, look: &Look<'_>) {
    let side = cell.piece.and_then(|piece| look.sides.iter().position(|(mark, _)| *mark == piece));
    let captured = look.captured.contains(&cell.name);
    let what = match side {
        Some(side) => look.sides[side].1,
        None if captured => "empty, just captured",
        None => "empty",
    };
    let points: Vec<String> = cell.corners.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let fill = if cell.last { LAST } else { CELL };
    let last = if cell.last { " last" } else { "" };
    let name = escape(&cell.name);
    let _ = writeln!(
        svg,
        "<g class=\"cell{last}\" id=\"{name}\"><title>{name}: {}</title>\
         <polygon points=\"{}\" fill=\"{fill}\" stroke=\"{LINE}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>",
        escape(what),
        points.join(" ")
    );
    let (x, y) = middle(cell);
    let (line, width) = if cell.last { (LAST_LINE, 4.0) } else { (DARK, 2.5) };
    match (side, cell.piece) {
        (Some(0), _) => {
            let _ = writeln!(
                svg,
                "<circle class=\"first\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{PIECE}\" fill=\"#ffffff\" stroke=\"{line}\" \
                 stroke-width=\"{width}\"/>"
            );
        }
        (Some(_), _) => {
            let half = PIECE - 2.5;
            let _ = writeln!(
                svg,
                "<rect class=\"second\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\" \
                 fill=\"{DARK}\" stroke=\"{line}\" stroke-width=\"{width}\"/>",
                x - half,
                y - half,
                2.0 * half,
                2.0 * half
            );
        }
        (None, Some(piece)) => text(svg, "piece", x, y, DARK, &piece.to_string()),
        (None, None) => {
            if captured {
                let arm = PIECE - 3.0;
                let _ = writeln!(
                    svg,
                    "<path class=\"captured\" d=\"M{:.1} {:.1}l{:.1} {:.1}m0 {:.1}l{:.1} {:.1}\" stroke=\"{CAPTURED}\" \
                     stroke-width=\"4\" stroke-linecap=\"round\" fill=\"none\" opacity=\"0.5\"/>",
                    x - arm,
                    y - arm,
                    2.0 * arm,
                    2.0 * arm,
                    -2.0 * arm,
                    -2.0 * arm,
                    2.0 * arm
                );
            }
            text(svg, "name", x, y, NAME, &cell.name);
        }
    }
    svg.push_str("</g>\n");
}

fn text(svg: &mut String, class: &str, x: f64, y: f64, fill: &str, text: &str) {
    let text = escape(text);
    let _ = writeln!(svg, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\" fill=\"{fill}\">{text}</text>", y + 7.0);
}

fn place(vertex: &Vertex) -> (f64, f64) {
    (vertex.x * EDGE, vertex.y * EDGE)
}

/// The mean of the corners: every cell of the games here is a regular polygon or nearly one.
fn middle(cell: &Cell) -> (f64, f64) {
    let count = cell.corners.len() as f64;
    let sum = cell.corners.iter().map(place).fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x, sum.1 + y));
    (sum.0 / count, sum.1 / count)
}

/// Text for a place in SVG or HTML where markup counts, inside of an attribute too.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
