//! Resends confirmation letters to the owners of a player's addresses.

use std::net::IpAddr;

use chrono::{DateTime, Utc};

use crate::service::account::passwords::Passwords;
use crate::service::context::{Context, Service};
use crate::service::rejection::{Rejection, settled_without_password};
use crate::service::request::{Origin, Request};
use crate::store::{self, Player, Transaction, Via};

impl Service<'_> {
    /// Resends the confirmation letters of a player's addresses, and returns the addresses.
    ///
    /// # Errors
    /// If the store fails. Too many letters are a [`Rejection`].
    pub fn confirm_again(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        client: IpAddr,
        now: DateTime<Utc>,
    ) -> store::Result<Result<Vec<String>, Rejection>> {
        let from = Origin::Known { userid: player.userid.clone(), via: Via::Web };
        let request = Request::without_line(from, Some(client), now);
        let waiting = tx.addresses(player.id)?.into_iter().filter(|known| known.confirmed_at.is_none());
        let waiting: Vec<String> = waiting.map(|known| known.address).collect();
        let no_passwords = Passwords::default();
        let context = Context::new(*self, &mut *tx, &request, &no_passwords);
        if let Err(rejection) = settled_without_password(context.check_letters(&waiting))? {
            return Ok(Err(rejection));
        }
        for address in &waiting {
            self.ask_to_confirm(tx, &request, (player.id, &player.userid), address)?;
        }
        Ok(Ok(waiting))
    }
}
