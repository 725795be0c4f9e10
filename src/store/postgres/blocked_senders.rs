//! Addresses and domains that the administrator has blocked.

use crate::store::sql::params;
use crate::store::sql::{Cells, Texts};
use crate::store::sql::{Row, all, run};
use crate::store::sql::Time;
use super::transaction::PostgresTransaction;
use crate::store::sql::Session as _;
use crate::store::{BlockedSender, BlockedSenders, Result};

const AMONG: &str = "SELECT sender, blocked_at, reason FROM blocked_senders WHERE sender = ANY ($1) ORDER BY sender";

fn blocked(row: &Row<'_>) -> Result<BlockedSender> {
    let mut cells = Cells::of(row);
    Ok(BlockedSender { sender: cells.take()?, blocked_at: cells.time()?, reason: cells.take()? })
}

impl BlockedSenders for PostgresTransaction<'_> {
    fn blocked_senders(&self) -> Result<Vec<BlockedSender>> {
        all(self.db(), "SELECT sender, blocked_at, reason FROM blocked_senders ORDER BY sender", &[], blocked)
    }

    fn blocked_among(&self, names: &[String]) -> Result<Vec<BlockedSender>> {
        self.read_once(AMONG, params![Texts(names.to_vec())], blocked)
    }

    fn block_sender(&mut self, blocked: &BlockedSender) -> Result<()> {
        let sql = "INSERT INTO blocked_senders (sender, blocked_at, reason) VALUES ($1, $2, $3) \
             ON CONFLICT (sender) DO UPDATE SET blocked_at = excluded.blocked_at, reason = excluded.reason";
        run(self.writable()?, sql, params![blocked.sender, Time(blocked.blocked_at), blocked.reason]).map(drop)
    }

    fn unblock_sender(&mut self, sender: &str) -> Result<bool> {
        Ok(run(self.writable()?, "DELETE FROM blocked_senders WHERE sender = $1", params![sender])? > 0)
    }
}
