//! A player as the player sees it: settings and addresses.

use serde::Serialize;

use crate::command::Setting;
use crate::service::account::settings;
use crate::service::context::Service;
use crate::store::{self, Address, Player, PlayerId, Transaction};

/// A mail address of a player.
#[derive(Clone, Debug, Serialize)]
pub struct AddressRow {
    /// The address.
    pub address: String,
    /// Whether its owner has confirmed it; letters go to confirmed addresses only.
    pub confirmed: bool,
    /// Why nothing is sent to it at present; `None`: letters are sent.
    pub paused: Option<String>,
}

impl Service<'_> {
    /// Returns the player of this key.
    ///
    /// # Errors
    /// The store's.
    pub fn player(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Option<Player>> {
        tx.player_by_id(player)
    }

    /// Returns the key of the player of this userid.
    ///
    /// # Errors
    /// The store's.
    pub fn player_id(&self, tx: &Transaction<'_>, userid: &str) -> store::Result<Option<PlayerId>> {
        Ok(tx.player(userid)?.map(|player| player.id))
    }

    /// Returns a player's addresses, in the order in which they were given.
    ///
    /// # Errors
    /// The store's.
    pub fn addresses(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Vec<AddressRow>> {
        let addresses = tx.addresses(player)?.into_iter().map(|address| {
            let Address { address, confirmed_at, paused } = address;
            AddressRow { address, confirmed: confirmed_at.is_some(), paused: paused.map(|pause| pause.why) }
        });
        Ok(addresses.collect())
    }

    /// Returns a player's settings as keys and values: `rhythm` and `each`.
    pub fn settings(&self, player: &Player) -> Vec<(String, String)> {
        let texts = settings::settings(&player.settings).map(|setting: Setting| setting.to_string());
        let pair = |text: &String| text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        texts.iter().filter_map(pair).collect()
    }
}
