//! Drawings of a board, all derived from the scene that its game describes, and the curve of an analysis. Pure: the
//! caller provides the words.

use crate::text::Message;

pub mod ascii;
mod coverage;
pub mod curve;
pub mod layout;
pub mod picture;
mod pieces;
pub mod png;
pub mod sentences;
pub mod svg;
mod themes;

pub use themes::{Theme, style_sheet};

/// Translates a message into words for the reader of a drawing.
pub type Words<'a, E> = dyn Fn(&Message) -> Result<String, E> + 'a;
