//! Searching finished boards for puzzles, outside of transactions.

use super::instance::Instance;
use crate::store::Store;

impl Instance {
    /// Searches at most `most` boards for puzzles, until `stop` returns true. Returns the number of new puzzles. If two
    /// nodes search the same board, each puzzle is stored once.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn search_puzzles(&mut self, most: usize, stop: &dyn Fn() -> bool) -> anyhow::Result<usize> {
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
