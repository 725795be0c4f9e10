//! Addresses and domains that the administrator has blocked.

use super::{Cells, Row, Session, Texts, Time, all, params, run};
use crate::store::{BlockedSender, BlockedSenders, Result};

fn blocked(row: &Row<'_>) -> Result<BlockedSender> {
    let mut cells = Cells::of(row);
    Ok(BlockedSender { sender: cells.take()?, blocked_at: cells.time()?, reason: cells.take()? })
}

impl<S: Session> BlockedSenders for S {
    fn blocked_senders(&self) -> Result<Vec<BlockedSender>> {
        all(self.db(), "SELECT sender, blocked_at, reason FROM blocked_senders ORDER BY sender", &[], blocked)
    }

    fn blocked_among(&self, names: &[String]) -> Result<Vec<BlockedSender>> {
        let senders = self.db().texts("?1");
        let sql = format!(
            "SELECT sender, blocked_at, reason FROM blocked_senders WHERE sender IN ({senders}) ORDER BY sender"
        );
        self.read_once(&sql, params![Texts(names.to_vec())], blocked)
    }

    fn block_sender(&mut self, blocked: &BlockedSender) -> Result<()> {
        let sql = "INSERT INTO blocked_senders (sender, blocked_at, reason) VALUES (?1, ?2, ?3) \
             ON CONFLICT (sender) DO UPDATE SET blocked_at = excluded.blocked_at, reason = excluded.reason";
        run(self.writable()?, sql, params![blocked.sender, Time(blocked.blocked_at), blocked.reason]).map(drop)
    }

    fn unblock_sender(&mut self, sender: &str) -> Result<bool> {
        Ok(run(self.writable()?, "DELETE FROM blocked_senders WHERE sender = ?1", params![sender])? > 0)
    }
}
