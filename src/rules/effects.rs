//! The effects of a ply beyond its text, in one form for all games. Templates put them into words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The effects of a ply. Fields for effects that did not happen, or do not exist in the game, are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Effects {
    /// Cells whose pieces were captured, in board order.
    pub captured: Vec<String>,
    /// Cells that the move filled in addition to the named one, in board order.
    pub filled: Vec<String>,
    /// The level of the piece, from 1, in games with stacks; otherwise `null`.
    pub level: Option<usize>,
    /// The new marks of the first and the second player if the move exchanged them; otherwise `null`.
    pub swapped: Option<[char; 2]>,
    /// Whether the next player had no legal move and was passed over.
    pub passed_over: bool,
    /// The winning cells, in board order. Empty if the win is not visible on the board.
    pub winning_cells: Vec<WinningCell>,
}

/// A cell of the winning formation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WinningCell {
    /// The name of the cell, or of the stack that contains the space.
    pub cell: String,
    /// The level of the space, from 1, in games with stacks; otherwise `null`.
    #[serde(default)]
    pub level: Option<usize>,
}

impl Effects {
    /// Returns whether the move did more than place or move one piece.
    pub(crate) fn go_further(&self) -> bool {
        !self.captured.is_empty() || !self.filled.is_empty() || self.swapped.is_some() || self.passed_over
    }
}

impl WinningCell {
    /// Creates a winning cell of a game without stacks.
    pub(crate) fn flat(cell: impl Into<String>) -> WinningCell {
        WinningCell { cell: cell.into(), level: None }
    }

    /// Returns the identifier of the cell in a scene.
    pub(crate) fn id(&self) -> String {
        match self.level {
            Some(level) => space_id(&self.cell, level),
            None => self.cell.clone(),
        }
    }
}

/// Returns the identifier of a space in a stack, by its level from 1: `c5.2`.
pub(crate) fn space_id(stack: &str, level: usize) -> String {
    format!("{stack}.{level}")
}
