//! Drawings of a board, all made from the one scene that its game describes. Pure.

pub mod ascii;
pub mod png;
pub mod sentences;
pub mod svg;
