//! Accounts whose addresses nobody confirms.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::service::context::Service;
use crate::store::{self, Transaction};

/// How long an address waits for its confirmation.
pub(super) const UNCONFIRMED: TimeDelta = TimeDelta::days(7);

impl Service<'_> {
    /// Whether there are accounts that lapse now.
    ///
    /// # Errors
    /// The store's.
    pub fn has_lapsed_accounts(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<bool> {
        Ok(!tx.unconfirmed_players(&Span::last(UNCONFIRMED, now))?.is_empty())
    }

    /// Removes the players who have confirmed none of their addresses within a week: their userids are free again. Those
    /// who have played stay, without these addresses.
    ///
    /// # Errors
    /// The store's.
    pub fn lapse_accounts(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<()> {
        for player in tx.unconfirmed_players(&Span::last(UNCONFIRMED, now))? {
            if !tx.remove_player(player)? {
                for known in tx.addresses(player)? {
                    tx.remove_address(player, &known.address)?;
                }
            }
        }
        Ok(())
    }
}
