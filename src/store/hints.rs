//! Hints: what computer players expected when they moved.

use super::Result;
use crate::numbers::{BoardNumber, EntryNumber};

/// What a computer player expected when it moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The entry of the move: the hint counts while that is the last one of the board's record.
    pub entry: EntryNumber,
    /// Its own chance of winning, in thousandths; `None`: it had no choice and looked no further.
    pub chance: Option<u32>,
    /// Whether nobody can change the chance any more, which is then 1000, 500 or 0.
    pub proved: bool,
    /// The moves that it expects next, the opponent's first.
    pub line: Vec<String>,
}

/// Hints, one for each board at most.
pub trait RobotHints {
    /// The hint of the last move of a computer player at a board, if one was kept.
    fn hint(&self, board: BoardNumber) -> Result<Option<Hint>>;
    /// Puts a hint in the place of the board's last one.
    fn put_hint(&mut self, board: BoardNumber, hint: &Hint) -> Result<()>;
}

/// The moves of a line as they are stored: with spaces between them, of which a move has none.
pub(super) fn written(line: &[String]) -> String {
    line.join(" ")
}

/// The moves of a line as they were stored.
pub(super) fn read(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
