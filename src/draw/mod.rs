//! A board to look at, drawn from the one Scene its game describes.

pub mod ascii;
pub mod png;
pub mod sentences;
pub mod svg;
