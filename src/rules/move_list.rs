//! The legal moves of a position, for those who choose one of them.

use schemars::JsonSchema;
use serde::Serialize;

/// The legal moves of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveList {
    /// The text of every move, in board order and without duplicates.
    Texts(Vec<String>),
    /// The moves are too many to list, but all are sets of some cells.
    Sets(Sets),
}

/// Moves of several cells. Each set of 1 to `most` of the cells is a legal move: its text is their names in board
/// order, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sets {
    /// The cells to choose from, in board order.
    pub cells: Vec<String>,
    /// The maximum number of cells of a move.
    pub most: usize,
}

impl Sets {
    /// Returns the text of a move of these cells, given in any order and without duplicates; `None` if they are no
    /// legal move.
    pub fn text(&self, chosen: &[&str]) -> Option<String> {
        let is_known = chosen.iter().all(|cell| self.cells.iter().any(|known| known == cell));
        (is_known && (1..=self.most).contains(&chosen.len())).then(|| self.in_order(chosen))
    }

    /// Joins cells in board order.
    pub fn in_order(&self, chosen: &[&str]) -> String {
        let in_order = self.cells.iter().map(String::as_str).filter(|cell| chosen.contains(cell));
        in_order.collect::<Vec<_>>().join(",")
    }
}
