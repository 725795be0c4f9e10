//! Boards of plain characters, in the form of the help seed's figure.

use crate::rules::scene::Scene;

/// How much is written on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The names of the empty cells inside them, and the last move's pieces in parentheses.
    Named,
    /// Pieces only.
    Plain,
}

/// Draws the scene; lines without trailing blanks, each ending in a line feed, at most 80 columns wide.
pub fn draw(scene: &Scene, style: Style) -> String {
    let _ = (scene, style);
    todo!()
}
