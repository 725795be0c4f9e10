//! Players' addresses.

use chrono::{DateTime, Utc};

use super::{Player, PlayerId, Result};

/// An address of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// `alice@example.org`
    pub address: String,
    /// When its owner confirmed it; letters go to confirmed addresses only.
    pub confirmed_at: Option<DateTime<Utc>>,
    /// Since when nothing is sent to it because letters bounced there, and why.
    pub paused: Option<Pause>,
}

/// Since when nothing is sent to an address or a webhook, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Since when.
    pub since: DateTime<Utc>,
    /// What the mail server said, or why the calls failed.
    pub why: String,
}

/// Players' addresses. Addresses are the same in any case.
///
/// Needs: several players may claim an address, and at most one has confirmed it, also when two confirm it at the same
/// time.
pub trait Addresses {
    /// Finds the player who owns this confirmed address.
    fn player_by_address(&self, address: &str) -> Result<Option<Player>>;
    /// Lists a player's addresses, in the order in which they were added.
    fn addresses(&self, player: PlayerId) -> Result<Vec<Address>>;
    /// Adds an address, confirmed when `code` is `None`, and awaiting that code otherwise. Added again before it is
    /// confirmed, it awaits the newer code only; once confirmed it stays so.
    fn add_address(&mut self, player: PlayerId, address: &str, code: Option<&str>, now: DateTime<Utc>) -> Result<()>;
    /// Removes an address.
    fn remove_address(&mut self, player: PlayerId, address: &str) -> Result<()>;
    /// Confirms the address that awaits this code, and returns it; `None` when no address of the player awaits it, or
    /// another player has confirmed it first.
    fn confirm_address(&mut self, player: PlayerId, code: &str, now: DateTime<Utc>) -> Result<Option<String>>;
    /// Pauses a confirmed address: nothing is sent to it any more.
    fn pause_address(&mut self, player: PlayerId, address: &str, why: &str, now: DateTime<Utc>) -> Result<()>;
    /// Ends the pause of an address.
    fn resume_address(&mut self, player: PlayerId, address: &str) -> Result<()>;
}
