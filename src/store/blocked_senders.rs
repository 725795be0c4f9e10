//! Addresses and domains that the administrator has blocked.

use chrono::{DateTime, Utc};

use super::Result;

/// A blocked address or domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedSender {
    /// In lower case: `a@example.org`, or `@example.org` for a domain with its subdomains.
    pub sender: String,
    /// When it was blocked.
    pub blocked_at: DateTime<Utc>,
    /// The administrator's reason; empty without one.
    pub reason: String,
}

/// Addresses and domains that the administrator has blocked.
pub trait BlockedSenders {
    /// Lists them in order.
    fn blocked_senders(&self) -> Result<Vec<BlockedSender>>;
    /// Lists those that are among these names.
    fn blocked_among(&self, names: &[String]) -> Result<Vec<BlockedSender>>;
    /// Blocks a sender, or replaces the time and reason of its block.
    fn block_sender(&mut self, blocked: &BlockedSender) -> Result<()>;
    /// Ends the block of a sender; `false` when it was not blocked.
    fn unblock_sender(&mut self, sender: &str) -> Result<bool>;
}
