//! Players' addresses.

use chrono::{DateTime, Utc};

use super::players::{by_address_sql, player};
use super::sql::{Cells, Nocase, Row, Time, all, one, params, run, run_one};
use super::{Player, PlayerId, Result, Transaction};

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

const NO_ADDRESS: &str = "the player has no such address";

pub(super) const ADDRESSES: &str =
    "SELECT address, confirmed_at, paused_at, paused_why FROM addresses WHERE player = ?1 ORDER BY id";

impl Cells<'_> {
    /// Reads two cells: since when and why something is paused, or two empty ones.
    pub(super) fn pause_if_any(&mut self) -> Result<Option<Pause>> {
        let (since, why) = (self.time_if_any()?, self.take::<Option<String>>()?);
        Ok(since.zip(why).map(|(since, why)| Pause { since, why }))
    }
}

/// Players' addresses. Addresses are the same in any case.
///
/// Needs: several players may claim an address, and at most one has confirmed it, also when two confirm it at the same
/// time.
impl Transaction<'_> {
    /// Finds the player who owns this confirmed address.
    pub fn player_by_address(&self, address: &str) -> Result<Option<Player>> {
        Ok(self.read_once(&by_address_sql(), params![Nocase(address)], player)?.pop())
    }

    /// Lists a player's addresses, in the order in which they were added.
    pub fn addresses(&self, id: PlayerId) -> Result<Vec<Address>> {
        let address = |row: &Row<'_>| {
            let mut cells = Cells::of(row);
            Ok(Address { address: cells.take()?, confirmed_at: cells.time_if_any()?, paused: cells.pause_if_any()? })
        };
        let read = || Ok(Some((id, all(self.db(), ADDRESSES, params![id.0], address)?)));
        let known = self.known().addresses.get(|(of, _)| *of == id, read)?;
        Ok(known.map(|(_, addresses)| addresses).unwrap_or_default())
    }

    /// Adds an address, confirmed when `code` is `None`, and awaiting that code otherwise. Added again before it is
    /// confirmed, it awaits the newer code only; once confirmed it stays so.
    pub fn add_address(&mut self, id: PlayerId, address: &str, code: Option<&str>, now: DateTime<Utc>) -> Result<()> {
        let confirmed_at = code.is_none().then_some(Time(now));
        run(
            self.writable()?,
            "INSERT INTO addresses (player, address, code, added_at, confirmed_at) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (player, lower(address)) DO UPDATE SET code = excluded.code, confirmed_at = excluded.confirmed_at \
             WHERE addresses.confirmed_at IS NULL",
            params![id.0, address, code, Time(now), confirmed_at],
        )?;
        Ok(())
    }

    /// Removes an address.
    pub fn remove_address(&mut self, id: PlayerId, address: &str) -> Result<()> {
        run(
            self.writable()?,
            "DELETE FROM addresses WHERE player = ?1 AND lower(address) = ?2",
            params![id.0, Nocase(address)],
        )?;
        Ok(())
    }

    /// Confirms the address that awaits this code, and returns it; `None` when no address of the player awaits it, or
    /// another player has confirmed it first.
    pub fn confirm_address(&mut self, id: PlayerId, code: &str, now: DateTime<Utc>) -> Result<Option<String>> {
        // Two players may await the same address; the first to confirm it owns it, and the other's code is void.
        let sql = "UPDATE addresses SET code = NULL, confirmed_at = ?3 \
             WHERE id = (SELECT a.id FROM addresses a WHERE a.player = ?1 AND a.code = ?2 AND NOT EXISTS \
                 (SELECT 1 FROM addresses o WHERE lower(o.address) = lower(a.address) AND o.confirmed_at IS NOT NULL) LIMIT 1) \
             RETURNING address";
        one(self.writable()?, sql, params![id.0, code, Time(now)], |row| row.get(0))
    }

    /// Pauses a confirmed address: nothing is sent to it any more.
    pub fn pause_address(&mut self, id: PlayerId, address: &str, why: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE addresses SET paused_at = ?3, paused_why = ?4 \
             WHERE player = ?1 AND lower(address) = ?2 AND confirmed_at IS NOT NULL";
        run_one(self.writable()?, sql, params![id.0, Nocase(address), Time(now), why], NO_ADDRESS)
    }

    /// Ends the pause of an address.
    pub fn resume_address(&mut self, id: PlayerId, address: &str) -> Result<()> {
        let sql = "UPDATE addresses SET paused_at = NULL, paused_why = NULL WHERE player = ?1 AND lower(address) = ?2";
        run_one(self.writable()?, sql, params![id.0, Nocase(address)], NO_ADDRESS)
    }
}
