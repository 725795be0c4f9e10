//! Players' addresses.

use chrono::{DateTime, Utc};

use super::players::{by_address_sql, player};
use super::{Cells, Nocase, Row, Session, Time, all, one, params, run, run_one};
use crate::store::{Address, Addresses, Player, PlayerId, Result};

const NO_ADDRESS: &str = "the player has no such address";

pub(super) const ADDRESSES: &str =
    "SELECT address, confirmed_at, paused_at, paused_why FROM addresses WHERE player = ?1 ORDER BY id";

impl<S: Session> Addresses for S {
    fn player_by_address(&self, address: &str) -> Result<Option<Player>> {
        Ok(self.read_once(&by_address_sql(), params![Nocase(address)], player)?.pop())
    }

    fn addresses(&self, id: PlayerId) -> Result<Vec<Address>> {
        let address = |row: &Row<'_>| {
            let mut cells = Cells::of(row);
            Ok(Address { address: cells.take()?, confirmed_at: cells.time_if_any()?, paused: cells.pause_if_any()? })
        };
        let read = || Ok(Some((id, all(self.db(), ADDRESSES, params![id.0], address)?)));
        let known = self.known().addresses.get(|(of, _)| *of == id, read)?;
        Ok(known.map(|(_, addresses)| addresses).unwrap_or_default())
    }

    fn add_address(&mut self, id: PlayerId, address: &str, code: Option<&str>, now: DateTime<Utc>) -> Result<()> {
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

    fn remove_address(&mut self, id: PlayerId, address: &str) -> Result<()> {
        run(
            self.writable()?,
            "DELETE FROM addresses WHERE player = ?1 AND lower(address) = ?2",
            params![id.0, Nocase(address)],
        )?;
        Ok(())
    }

    fn confirm_address(&mut self, id: PlayerId, code: &str, now: DateTime<Utc>) -> Result<Option<String>> {
        // Two players may await the same address; the first to confirm it owns it, and the other's code is void.
        let sql = "UPDATE addresses SET code = NULL, confirmed_at = ?3 \
             WHERE id = (SELECT a.id FROM addresses a WHERE a.player = ?1 AND a.code = ?2 AND NOT EXISTS \
                 (SELECT 1 FROM addresses o WHERE lower(o.address) = lower(a.address) AND o.confirmed_at IS NOT NULL) LIMIT 1) \
             RETURNING address";
        one(self.writable()?, sql, params![id.0, code, Time(now)], |row| row.get(0))
    }

    fn pause_address(&mut self, id: PlayerId, address: &str, why: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE addresses SET paused_at = ?3, paused_why = ?4 \
             WHERE player = ?1 AND lower(address) = ?2 AND confirmed_at IS NOT NULL";
        run_one(self.writable()?, sql, params![id.0, Nocase(address), Time(now), why], NO_ADDRESS)
    }

    fn resume_address(&mut self, id: PlayerId, address: &str) -> Result<()> {
        let sql = "UPDATE addresses SET paused_at = NULL, paused_why = NULL WHERE player = ?1 AND lower(address) = ?2";
        run_one(self.writable()?, sql, params![id.0, Nocase(address)], NO_ADDRESS)
    }
}
