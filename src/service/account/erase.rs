//! Erases the addresses of players who have left.
//!
//! Finished items are cleaned immediately. The message that requested it is still being processed and its answer is
//! not sent yet, so the addresses are recorded, and erased from these later.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::service::context::Service;
use crate::store::{self, NoticeFacts, Player, Transaction};
use crate::text::replace_word;

/// The number of addresses erased in one transaction. Each address requires reading all stored letters and mail while
/// other writers wait.
const AT_A_TIME: u32 = 1;
/// The replacement for an erased address.
const NO_ADDRESS: &str = "(removed address)";

/// How to treat a name in texts that players wrote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// The name remains there.
    Kept,
    /// The name is replaced there as well.
    Changed,
}

impl Service<'_> {
    /// Returns whether addresses of players who have left can be erased now.
    ///
    /// # Errors
    /// If the store fails.
    pub fn has_left_addresses(tx: &Transaction<'_>) -> store::Result<bool> {
        Ok(!tx.left_addresses(1)?.is_empty())
    }

    /// Erases a few addresses of players who have left, if no letters or mail with them are in progress. Returns
    /// their number.
    ///
    /// # Errors
    /// If the store fails.
    pub fn erase_left_addresses(tx: &mut Transaction<'_>) -> store::Result<usize> {
        let addresses = tx.left_addresses(AT_A_TIME)?;
        for address in &addresses {
            // It may belong to a player again.
            if tx.player_by_address(address)?.is_none() {
                erase_address(tx, address)?;
            }
            tx.remove_left_address(address)?;
        }
        Ok(addresses.len())
    }
}

/// Returns every address that a player has, had or wrote from, except those that another player has now.
pub(crate) fn own_addresses(tx: &Transaction<'_>, player: &Player) -> store::Result<Vec<String>> {
    let mut own = Vec::new();
    for address in tx.addresses_of_letters(player.id)? {
        if tx.player_by_address(&address)?.is_none_or(|owner| owner.id == player.id) {
            own.push(address);
        }
    }
    Ok(own)
}

/// Erases a leaving player's addresses from all finished items, and records them for the remaining ones.
pub(crate) fn erase_addresses(tx: &mut Transaction<'_>, addresses: &[String], now: DateTime<Utc>) -> store::Result<()> {
    for address in addresses {
        erase_address(tx, address)?;
        tx.add_left_address(address, now)?;
    }
    Ok(())
}

fn erase_address(tx: &mut Transaction<'_>, address: &str) -> store::Result<()> {
    tx.erase_address(address, NO_ADDRESS)?;
    tx.change_texts(address, &|text| replace_word(text, address, NO_ADDRESS))?;
    rename_in_facts(tx, address, NO_ADDRESS, Written::Changed)
}

/// Replaces a userid or an address in the facts of every notice.
pub(crate) fn rename_in_facts(tx: &mut Transaction<'_>, old: &str, new: &str, written: Written) -> store::Result<()> {
    for NoticeFacts { notice, facts, .. } in tx.facts_with(old)? {
        let Ok(mut value) = serde_json::from_str::<Value>(&facts) else { continue };
        rename_in(&mut value, old, new, written);
        tx.set_facts(notice, &value.to_string())?;
    }
    Ok(())
}

/// Replaces a name in every text of a value.
fn rename_in(value: &mut Value, old: &str, new: &str, written: Written) {
    match value {
        Value::String(text) => *text = replace_word(text, old, new),
        Value::Array(values) => values.iter_mut().for_each(|value| rename_in(value, old, new, written)),
        Value::Object(fields) => {
            let by_players = |key: &str| ["text", "note"].contains(&key);
            let told = fields.iter_mut().filter(|(key, _)| written == Written::Changed || !by_players(key));
            told.for_each(|(_, value)| rename_in(value, old, new, written));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
