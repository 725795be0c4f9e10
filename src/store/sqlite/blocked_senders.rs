//! Addresses and domains that the administrator has blocked.

use rusqlite::{Row, params};

use super::column::Cells;
use super::query::{all, run};
use super::time::Time;
use super::transaction::SqliteTransaction;
use crate::store::{BlockedSender, BlockedSenders, Result};

const AMONG: &str = "SELECT sender, blocked_at, reason FROM blocked_senders \
     WHERE sender IN (SELECT value FROM json_each(?1)) ORDER BY sender";

fn blocked(row: &Row<'_>) -> rusqlite::Result<BlockedSender> {
    let mut cells = Cells::of(row);
    Ok(BlockedSender { sender: cells.take()?, blocked_at: cells.time()?, reason: cells.take()? })
}

impl BlockedSenders for SqliteTransaction<'_> {
    fn blocked_senders(&self) -> Result<Vec<BlockedSender>> {
        all(self.db(), "SELECT sender, blocked_at, reason FROM blocked_senders ORDER BY sender", [], blocked)
    }

    fn blocked_among(&self, names: &[String]) -> Result<Vec<BlockedSender>> {
        all(self.db(), AMONG, [serde_json::json!(names).to_string()], blocked)
    }

    fn block_sender(&mut self, blocked: &BlockedSender) -> Result<()> {
        let sql = "INSERT INTO blocked_senders (sender, blocked_at, reason) VALUES (?1, ?2, ?3) \
             ON CONFLICT (sender) DO UPDATE SET blocked_at = excluded.blocked_at, reason = excluded.reason";
        run(self.writable()?, sql, params![blocked.sender, Time(blocked.blocked_at), blocked.reason]).map(drop)
    }

    fn unblock_sender(&mut self, sender: &str) -> Result<bool> {
        Ok(run(self.writable()?, "DELETE FROM blocked_senders WHERE sender = ?1", [sender])? > 0)
    }
}
