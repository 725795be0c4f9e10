//! Searching finished boards for puzzles, outside any transaction.

use super::instance::Instance;
use crate::store::Store;

impl Instance {
    /// Searches boards for puzzles, so many at most and until `stop` says so; returns how many puzzles are new. Two nodes
    /// may search the same board: what both find is kept once.
    ///
    /// # Errors
    /// The store's.
    pub(super) fn search_puzzles(&mut self, most: usize, stop: &dyn Fn() -> bool) -> anyhow::Result<usize> {
        let mut total = 0;
        for _ in 0..most {
            if stop() {
                break;
            }
            let next = self.config.service(self.world).next_puzzle_search(&self.store.read()?)?;
            let Some(mut task) = next else { break };
            task.search();
            let board = task.board().0;
            let mut tx = self.store.write()?;
            let new = self.config.service(self.world).keep_puzzles(&mut tx, task)?;
            tx.commit()?;
            tracing::info!(board, new, "searched for puzzles");
            total += new;
        }
        Ok(total)
    }
}
