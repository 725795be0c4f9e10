//! The site's icon as PNG, for browsers without support for SVG icons: the picture of `templates/web/icon.svg`,
//! extended to the edges.

use super::picture::{Colour, Form, Frame, Line, Picture, Shape};
use super::png;

const GROUND: Colour = Colour([0xf4, 0xef, 0xe6]);
const WHITE: Colour = Colour([0xff, 0xff, 0xff]);
const INK: Colour = Colour([0x1d, 0x1a, 0x17]);

/// Renders the icon as a PNG file of this width in pixels.
pub fn render(width: u32) -> Vec<u8> {
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
    png::render(&picture, width)
}
