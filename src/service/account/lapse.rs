//! Accounts without confirmed addresses.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::service::context::Service;
use crate::store::{self, Transaction};

/// How long an address can await confirmation.
pub(crate) const UNCONFIRMED: TimeDelta = TimeDelta::days(7);

impl Service<'_> {
    /// Returns whether any account lapses now.
    ///
    /// # Errors
    /// If the store fails.
    pub fn has_lapsed_accounts(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<bool> {
        Ok(!tx.unconfirmed_players(&Span::last(UNCONFIRMED, now))?.is_empty())
    }

    /// Removes the players who have not confirmed any address within a week, so that their userids become available.
    /// Players who have played remain, without these addresses.
    ///
    /// # Errors
    /// If the store fails.
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
