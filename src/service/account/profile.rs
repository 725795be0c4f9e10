//! A player and their addresses.

use serde::Serialize;

use crate::service::context::Service;
use crate::store::{self, Address, Player, PlayerId, Transaction};

/// A mail address of a player.
#[derive(Clone, Debug, Serialize)]
pub struct AddressRow {
    /// The address.
    pub address: String,
    /// Whether its owner has confirmed it. Only confirmed addresses receive letters.
    pub confirmed: bool,
    /// Why no letters are sent to it at present; `None` if letters are sent.
    pub paused: Option<String>,
}

impl Service<'_> {
    /// Returns the player with this key.
    ///
    /// # Errors
    /// If the store fails.
    pub fn player(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Option<Player>> {
        tx.player_by_id(player)
    }

    /// Returns the key of the player with this userid.
    ///
    /// # Errors
    /// If the store fails.
    pub fn player_id(&self, tx: &Transaction<'_>, userid: &str) -> store::Result<Option<PlayerId>> {
        Ok(tx.player(userid)?.map(|player| player.id))
    }

    /// Returns a player's addresses, in the order in which they were added.
    ///
    /// # Errors
    /// If the store fails.
    pub fn addresses(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Vec<AddressRow>> {
        let addresses = tx.addresses(player)?.into_iter().map(|address| {
            let Address { address, confirmed_at, paused } = address;
            AddressRow { address, confirmed: confirmed_at.is_some(), paused: paused.map(|pause| pause.why) }
        });
        Ok(addresses.collect())
    }
}
