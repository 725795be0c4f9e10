//! The colours of boards: light wood with ivory and ink pieces. Pages replace them according to the reader's theme
//! and in dark mode.

use super::picture::{Colour, Line};

/// Behind and between the cells.
pub(crate) const GROUND: Colour = Colour([0xcb, 0xb0, 0x86]);
pub(crate) const CELL: Colour = Colour([0xf0, 0xe2, 0xc6]);
pub(crate) const SHADED: Colour = Colour([0xdf, 0xc8, 0xa0]);
/// Marks the last move.
pub(crate) const LAST: Colour = Colour([0xff, 0xd3, 0x75]);
pub(crate) const LAST_SHADED: Colour = Colour([0xf3, 0xbb, 0x55]);
pub(crate) const LAST_LINE: Colour = Colour([0xad, 0x4c, 0x00]);
/// A place above other pieces where another piece could rest.
pub(crate) const ABOVE: Colour = Colour([0xf7, 0xee, 0xdb]);
/// The names of cells.
pub(crate) const NAME: Colour = Colour([0x6a, 0x5a, 0x42]);
/// Text outside the cells.
pub(crate) const INK: Colour = Colour([0x3d, 0x2c, 0x14]);

// Orange and blue mark new or relevant cells, because they are distinguishable with every kind of colour vision.
pub(crate) const CAPTURED: Colour = Colour([0x00, 0x66, 0xb3]);
/// Visible on both light and dark pieces.
pub(crate) const WINNING: Colour = Colour([0xe8, 0x72, 0x00]);

pub(crate) const SHADOW: Colour = Colour([0x3a, 0x28, 0x10]);
pub(crate) const LIGHT: Colour = Colour([0xff, 0xfa, 0xee]);
pub(crate) const DARK: Colour = Colour([0x17, 0x14, 0x12]);
/// The side of a piece that lies on others.
pub(crate) const LIGHT_WALL: Colour = Colour([0xd2, 0xc0, 0x9c]);
pub(crate) const DARK_WALL: Colour = Colour([0x5a, 0x51, 0x4a]);
/// The edge of a piece, and the ring inside it.
pub(crate) const LIGHT_EDGE: Line = Line { colour: Colour([0x5c, 0x4f, 0x3b]), width: 2.4 };
pub(crate) const LIGHT_RING: Line = Line { colour: Colour([0xe3, 0xd6, 0xbc]), width: 2.2 };
pub(crate) const DARK_EDGE: Line = Line { colour: Colour([0x0e, 0x0c, 0x0b]), width: 1.8 };
pub(crate) const DARK_RING: Line = Line { colour: Colour([0x57, 0x4f, 0x48]), width: 2.2 };
