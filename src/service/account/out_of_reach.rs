//! Players whom no letter can reach.

use chrono::{DateTime, Utc};

use crate::store::{self, PlayerId, Transaction};

/// Returns since when a player is unreachable because letters bounce at all their addresses.
///
/// # Errors
/// If the store fails.
pub fn out_of_reach(tx: &Transaction<'_>, player: PlayerId) -> store::Result<Option<DateTime<Utc>>> {
    let known = tx.addresses(player)?;
    let confirmed = known.iter().filter(|known| known.confirmed_at.is_some());
    let paused: Option<Vec<_>> = confirmed.map(|known| known.paused.as_ref().map(|pause| pause.since)).collect();
    Ok(paused.unwrap_or_default().into_iter().max())
}
