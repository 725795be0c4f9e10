//! Addresses and domains that the administrator has blocked.

use chrono::{DateTime, Utc};

use super::sql::{Cells, Row, Texts, Time, all, params, run};
use super::{Result, Transaction};

/// A blocked address or domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedSender {
    /// The address or domain in lower case: `a@example.org`, or `@example.org` for a domain with its subdomains.
    pub sender: String,
    /// The time of the block.
    pub blocked_at: DateTime<Utc>,
    /// The administrator's reason; empty if none was given.
    pub reason: String,
}

fn blocked(row: &Row<'_>) -> Result<BlockedSender> {
    let mut cells = Cells::of(row);
    Ok(BlockedSender { sender: cells.take()?, blocked_at: cells.time()?, reason: cells.take()? })
}

/// Addresses and domains that the administrator has blocked.
impl Transaction<'_> {
    /// Lists all blocked senders, by name.
    pub fn blocked_senders(&self) -> Result<Vec<BlockedSender>> {
        all(self.db(), "SELECT sender, blocked_at, reason FROM blocked_senders ORDER BY sender", &[], blocked)
    }

    /// Lists the blocked senders among these names.
    pub fn blocked_among(&self, names: &[String]) -> Result<Vec<BlockedSender>> {
        let senders = self.db().texts("?1");
        let sql = format!(
            "SELECT sender, blocked_at, reason FROM blocked_senders WHERE sender IN ({senders}) ORDER BY sender"
        );
        self.read_once(&sql, params![Texts(names.to_vec())], blocked)
    }

    /// Blocks a sender, or updates the time and reason of its block.
    pub fn block_sender(&mut self, blocked: &BlockedSender) -> Result<()> {
        let sql = "INSERT INTO blocked_senders (sender, blocked_at, reason) VALUES (?1, ?2, ?3) \
             ON CONFLICT (sender) DO UPDATE SET blocked_at = excluded.blocked_at, reason = excluded.reason";
        run(self.writable()?, sql, params![blocked.sender, Time(blocked.blocked_at), blocked.reason]).map(drop)
    }

    /// Unblocks a sender; returns `false` if it was not blocked.
    pub fn unblock_sender(&mut self, sender: &str) -> Result<bool> {
        Ok(run(self.writable()?, "DELETE FROM blocked_senders WHERE sender = ?1", params![sender])? > 0)
    }
}
