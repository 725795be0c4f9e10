//! Hints: the evaluations of computer players at their moves.

use super::sql::{Cells, one, params, run};
use super::{Result, Transaction};
use crate::numbers::{BoardNumber, EntryNumber};

/// The evaluation of a computer player at its move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The entry of the move. The hint is valid while this is the last entry of the board's record.
    pub entry: EntryNumber,
    /// The player's own winning chance, in thousandths; `None` if it had only one move and did not search.
    pub chance: Option<u32>,
    /// Whether the result is proved. The chance is then 1000, 500 or 0.
    pub proved: bool,
    /// The expected next moves, starting with the opponent's.
    pub line: Vec<String>,
}

/// Formats the moves of a line, separated by spaces.
pub(crate) fn written(line: &[String]) -> String {
    line.join(" ")
}

/// Parses the moves of a line.
pub(crate) fn read(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

pub(crate) const OF_BOARD: &str = "SELECT entry, chance, proved, line FROM hints WHERE board = ?1";

/// Hints, at most one for each board.
impl Transaction<'_> {
    /// Returns the hint at the last move of a computer player on a board, if one is stored.
    pub fn hint(&self, board: BoardNumber) -> Result<Option<Hint>> {
        one(self.db(), OF_BOARD, params![board], |row| {
            let mut cells = Cells::of(row);
            Ok(Hint {
                entry: cells.take()?,
                chance: cells.take()?,
                proved: cells.take()?,
                line: read(&cells.take::<String>()?),
            })
        })
    }

    /// Replaces the board's hint.
    pub fn put_hint(&mut self, board: BoardNumber, hint: &Hint) -> Result<()> {
        let sql = "INSERT INTO hints (board, entry, chance, proved, line) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (board) DO UPDATE SET entry = excluded.entry, chance = excluded.chance, \
             proved = excluded.proved, line = excluded.line";
        let Hint { entry, chance, proved, line } = hint;
        run(self.writable_board()?, sql, params![board, entry, chance, proved, written(line)])?;
        Ok(())
    }
}
