//! Analyses of finished boards.

use super::{Cells, Row, Session, Time, all, one, params, run};
use crate::numbers::BoardNumber;
use crate::store::analyses::{read, written};
use crate::store::{Analyses, Result, StoredAnalysis};

pub(super) const OF_BOARD: &str = "SELECT board, head, asked_at, askers, analysis FROM analyses WHERE board = ?1";
pub(super) const WAITING: &str =
    "SELECT board, head, asked_at, askers, analysis FROM analyses WHERE analysis IS NULL ORDER BY asked_at, board";

fn analysis(row: &Row<'_>) -> Result<StoredAnalysis> {
    let mut cells = Cells::of(row);
    Ok(StoredAnalysis {
        board: cells.take()?,
        head: cells.take()?,
        asked_at: cells.time()?,
        askers: read(&cells.take::<String>()?),
        analysis: cells.take()?,
    })
}

impl<S: Session> Analyses for S {
    fn analysis(&self, board: BoardNumber) -> Result<Option<StoredAnalysis>> {
        one(self.db(), OF_BOARD, params![board], analysis)
    }

    fn waiting_analyses(&self) -> Result<Vec<StoredAnalysis>> {
        all(self.db(), WAITING, &[], analysis)
    }

    fn put_analysis(&mut self, new: &StoredAnalysis) -> Result<()> {
        let sql = "INSERT INTO analyses (board, head, asked_at, askers, analysis) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (board) DO UPDATE SET head = excluded.head, asked_at = excluded.asked_at, \
             askers = excluded.askers, analysis = excluded.analysis";
        let StoredAnalysis { board, head, asked_at, askers, analysis } = new;
        run(self.writable()?, sql, params![board, head, Time(*asked_at), written(askers), analysis])?;
        Ok(())
    }

    fn remove_analysis(&mut self, board: BoardNumber) -> Result<()> {
        run(self.writable()?, "DELETE FROM analyses WHERE board = ?1", params![board])?;
        Ok(())
    }
}
