//! Players' addresses, and the addresses and domains that the administrator has blocked.

use chrono::{DateTime, Utc};

use super::players::by_address_sql;
use super::sql::{Nocase, Texts, all, from_fields, one, params, run, run_one};
use super::{Player, PlayerId, Result, Transaction};

/// An address of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address, such as `alice@example.org`.
    pub address: String,
    /// When the owner confirmed the address; only confirmed addresses receive letters.
    pub confirmed_at: Option<DateTime<Utc>>,
    /// Set while no letters are sent to the address, because letters to it bounced or were refused.
    pub paused: Option<Pause>,
    /// Whether the address is removed once a new one is confirmed.
    pub replaced: bool,
}

/// A pause of letters to an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The beginning of the pause.
    pub since: DateTime<Utc>,
    /// The mail server's reason.
    pub why: String,
}

/// An unconfirmed address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedCode {
    /// The address.
    pub address: String,
    /// The code that the owner must send back.
    pub code: String,
    /// When the code was sent.
    pub added_at: DateTime<Utc>,
}

const NO_ADDRESS: &str = "the player has no such address";

pub(crate) const ADDRESSES: &str =
    "SELECT address, confirmed_at, paused_at, paused_why, replaced FROM addresses WHERE player = ?1 ORDER BY id";

const CODES: &str = "SELECT address, code, added_at FROM addresses WHERE player = ?1 AND code IS NOT NULL ORDER BY id";

from_fields!(Address { address, confirmed_at, paused, replaced });
from_fields!(Option<Pause { since, why }>);
from_fields!(AwaitedCode { address, code, added_at });

/// Players' addresses. Comparisons ignore case.
///
/// Several players may add the same address, but only one of them can confirm it.
impl Transaction<'_> {
    /// Finds the player who owns this confirmed address.
    pub fn player_by_address(&self, address: &str) -> Result<Option<Player>> {
        Ok(self.read_once(&by_address_sql(), params![Nocase(address)])?.pop())
    }

    /// Lists a player's addresses, in the order in which they were added.
    pub fn addresses(&self, id: PlayerId) -> Result<Vec<Address>> {
        let read = || Ok(Some((id, self.read_once(ADDRESSES, params![id])?)));
        let known = self.known().addresses.get(|(of, _)| *of == id, read)?;
        Ok(known.map(|(_, addresses)| addresses).unwrap_or_default())
    }

    /// Returns the time since which a player is unreachable because all their confirmed addresses are paused; `None` if
    /// a confirmed address is not paused, or if the player has no confirmed address.
    pub fn out_of_reach(&self, player: PlayerId) -> Result<Option<DateTime<Utc>>> {
        let known = self.addresses(player)?;
        let confirmed = known.iter().filter(|known| known.confirmed_at.is_some());
        let paused: Option<Vec<_>> = confirmed.map(|known| known.paused.as_ref().map(|pause| pause.since)).collect();
        Ok(paused.unwrap_or_default().into_iter().max())
    }

    /// Adds an address. It is confirmed if `code` is `None`; otherwise it awaits this code. Adding an unconfirmed
    /// address again replaces its code; a confirmed address stays confirmed.
    pub fn add_address(&mut self, id: PlayerId, address: &str, code: Option<&str>, now: DateTime<Utc>) -> Result<()> {
        let confirmed_at = code.is_none().then_some(now);
        run(
            self.writable()?,
            "INSERT INTO addresses (player, address, code, added_at, confirmed_at) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (player, lower(address)) DO UPDATE SET code = excluded.code, confirmed_at = excluded.confirmed_at \
             WHERE addresses.confirmed_at IS NULL",
            params![id, address, code, now, confirmed_at],
        ).map(drop)
    }

    /// Removes an address.
    pub fn remove_address(&mut self, id: PlayerId, address: &str) -> Result<()> {
        run(
            self.writable()?,
            "DELETE FROM addresses WHERE player = ?1 AND lower(address) = ?2",
            params![id, Nocase(address)],
        )
        .map(drop)
    }

    /// Confirms the address that awaits this code, and returns it. Returns `None` if none of the player's addresses
    /// awaits the code, or if another player has already confirmed the address.
    pub fn confirm_address(&mut self, id: PlayerId, code: &str, now: DateTime<Utc>) -> Result<Option<String>> {
        // Two players may both wait to confirm the same address. The player who confirms it first owns it, and the code
        // of the other player becomes invalid.
        let sql = "UPDATE addresses SET code = NULL, confirmed_at = ?3 \
             WHERE id = (SELECT a.id FROM addresses a WHERE a.player = ?1 AND a.code = ?2 AND NOT EXISTS \
                 (SELECT 1 FROM addresses o WHERE lower(o.address) = lower(a.address) AND o.confirmed_at IS NOT NULL) LIMIT 1) \
             RETURNING address";
        one(self.writable()?, sql, params![id, code, now])
    }

    /// Pauses letters to a confirmed address.
    pub fn pause_address(&mut self, id: PlayerId, address: &str, why: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE addresses SET paused_at = ?3, paused_why = ?4 \
             WHERE player = ?1 AND lower(address) = ?2 AND confirmed_at IS NOT NULL";
        run_one(self.writable()?, sql, params![id, Nocase(address), now, why], NO_ADDRESS)
    }

    /// Ends the pause of an address.
    pub fn resume_address(&mut self, id: PlayerId, address: &str) -> Result<()> {
        let sql = "UPDATE addresses SET paused_at = NULL, paused_why = NULL WHERE player = ?1 AND lower(address) = ?2";
        run_one(self.writable()?, sql, params![id, Nocase(address)], NO_ADDRESS)
    }

    /// Sets whether an address is removed once a new one is confirmed.
    pub fn set_replaced(&mut self, id: PlayerId, address: &str, replaced: bool) -> Result<()> {
        let sql = "UPDATE addresses SET replaced = ?3 WHERE player = ?1 AND lower(address) = ?2";
        run_one(self.writable()?, sql, params![id, Nocase(address), replaced], NO_ADDRESS)
    }

    /// Lists a player's unconfirmed addresses, in the order in which they were added.
    pub fn awaited_codes(&self, player: PlayerId) -> Result<Vec<AwaitedCode>> {
        all(self.db(), CODES, params![player])
    }
}

/// A blocked address or domain, or an address whose owner refuses confirmation letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedSender {
    /// The address or domain in lower case: `a@example.org`, or `@example.org` for a domain with its subdomains.
    /// `confirm:a@example.org` blocks only confirmation letters.
    pub sender: String,
    /// The time of the block.
    pub blocked_at: DateTime<Utc>,
    /// The reason for the block; may be empty.
    pub reason: String,
}

from_fields!(BlockedSender { sender, blocked_at, reason });

/// Addresses and domains that the administrator has blocked.
impl Transaction<'_> {
    /// Lists all blocked senders, in alphabetical order.
    pub fn blocked_senders(&self) -> Result<Vec<BlockedSender>> {
        all(self.db(), "SELECT sender, blocked_at, reason FROM blocked_senders ORDER BY sender", &[])
    }

    /// Returns those of the given addresses and domains that are blocked.
    pub fn blocked_among(&self, names: &[String]) -> Result<Vec<BlockedSender>> {
        let senders = self.db().texts("?1");
        let sql = format!(
            "SELECT sender, blocked_at, reason FROM blocked_senders WHERE sender IN ({senders}) ORDER BY sender"
        );
        self.read_once(&sql, params![Texts(names.to_vec())])
    }

    /// Blocks a sender, or updates the time and reason of its block.
    pub fn block_sender(&mut self, blocked: &BlockedSender) -> Result<()> {
        let sql = "INSERT INTO blocked_senders (sender, blocked_at, reason) VALUES (?1, ?2, ?3) \
             ON CONFLICT (sender) DO UPDATE SET blocked_at = excluded.blocked_at, reason = excluded.reason";
        run(self.writable()?, sql, params![blocked.sender, blocked.blocked_at, blocked.reason]).map(drop)
    }

    /// Unblocks a sender; returns `false` if it was not blocked.
    pub fn unblock_sender(&mut self, sender: &str) -> Result<bool> {
        Ok(run(self.writable()?, "DELETE FROM blocked_senders WHERE sender = ?1", params![sender])? > 0)
    }
}
