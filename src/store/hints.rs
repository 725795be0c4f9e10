//! Hints: what computer players expected when they moved.

use super::sql::{Cells, one, params, run};
use super::{Result, Transaction};
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

/// The moves of a line as they are stored: with spaces between them, of which a move has none.
pub(super) fn written(line: &[String]) -> String {
    line.join(" ")
}

/// The moves of a line as they were stored.
pub(super) fn read(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

pub(super) const OF_BOARD: &str = "SELECT entry, chance, proved, line FROM hints WHERE board = ?1";

/// Hints, one for each board at most.
impl Transaction<'_> {
    /// The hint of the last move of a computer player at a board, if one was kept.
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

    /// Puts a hint in the place of the board's last one.
    pub fn put_hint(&mut self, board: BoardNumber, hint: &Hint) -> Result<()> {
        let sql = "INSERT INTO hints (board, entry, chance, proved, line) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (board) DO UPDATE SET entry = excluded.entry, chance = excluded.chance, \
             proved = excluded.proved, line = excluded.line";
        let Hint { entry, chance, proved, line } = hint;
        run(self.writable_board(board)?, sql, params![board, entry, chance, proved, written(line)])?;
        Ok(())
    }
}
