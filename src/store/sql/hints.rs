//! What computer players expected when they moved.

use super::{Cells, Session, one, params, run};
use crate::numbers::BoardNumber;
use crate::store::hints::{read, written};
use crate::store::{Hint, Result, RobotHints};

pub(super) const OF_BOARD: &str = "SELECT entry, chance, proved, line FROM hints WHERE board = ?1";

impl<S: Session> RobotHints for S {
    fn hint(&self, board: BoardNumber) -> Result<Option<Hint>> {
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

    fn put_hint(&mut self, board: BoardNumber, hint: &Hint) -> Result<()> {
        let sql = "INSERT INTO hints (board, entry, chance, proved, line) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (board) DO UPDATE SET entry = excluded.entry, chance = excluded.chance, \
             proved = excluded.proved, line = excluded.line";
        let Hint { entry, chance, proved, line } = hint;
        run(self.writable_board(board)?, sql, params![board, entry, chance, proved, written(line)])?;
        Ok(())
    }
}
