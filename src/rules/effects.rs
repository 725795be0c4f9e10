//! What a ply did besides what its text says: one description for all games, which templates put into words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The effects of a ply. What did not happen, or does not exist in the game, is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Effects {
    /// Cells whose pieces were captured, in board order.
    pub captured: Vec<String>,
    /// Cells that the move filled besides the one that it names, in board order.
    pub filled: Vec<String>,
    /// The level that the piece lies on, from 1, where pieces are stacked; `null` elsewhere.
    pub level: Option<usize>,
    /// The marks of the first and the second player from then on, when the move exchanged them; otherwise `null`.
    pub swapped: Option<[char; 2]>,
    /// The player after it had no legal move and was passed over.
    pub passed_over: bool,
    /// The cells by which the move won, in board order; empty where a win does not stand on the board.
    pub winning_cells: Vec<WinningCell>,
}

/// A cell that belongs to what has won.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WinningCell {
    /// The name of the cell, or of the stack that it is a space of.
    pub cell: String,
    /// The level of the space, from 1, where pieces are stacked; `null` elsewhere.
    #[serde(default)]
    pub level: Option<usize>,
}

impl Effects {
    /// Whether more happened than that one piece was placed or moved.
    pub(super) fn go_further(&self) -> bool {
        !self.captured.is_empty() || !self.filled.is_empty() || self.swapped.is_some() || self.passed_over
    }
}

impl WinningCell {
    /// The cell of this name, in a game without stacks.
    pub(super) fn flat(cell: impl Into<String>) -> WinningCell {
        WinningCell { cell: cell.into(), level: None }
    }

    /// The identifier of the cell in a scene.
    pub(super) fn id(&self) -> String {
        match self.level {
            Some(level) => space_id(&self.cell, level),
            None => self.cell.clone(),
        }
    }
}

/// The identifier of a space of a stack, on a level from 1: `c5.2`.
pub(super) fn space_id(stack: &str, level: usize) -> String {
    format!("{stack}.{level}")
}
