//! Signs up players, and changes passwords.

use crate::command::Password;
use crate::message;

use crate::service::account::addresses::NewAddresses;
use crate::service::account::guest::is_from_guest;
use crate::service::account::reserved::is_reserved;
use crate::service::account::weak_password::weakness;
use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::request::Origin;
use crate::service::response::Response;
use crate::store::{self, ActKind, Transaction};

/// Returns the addresses of a signup: the named ones, or that of the sender.
pub(crate) fn addresses_to_sign_up(from: &Origin, named: &[String]) -> Vec<String> {
    match from {
        Origin::Mail { sender, .. } if named.is_empty() => vec![sender.clone()],
        _ => named.to_vec(),
    }
}

/// Returns whether a player has not confirmed any of these addresses yet, as after a signup whose letter was lost.
pub(crate) fn awaits_all(tx: &Transaction<'_>, userid: &str, addresses: &[String]) -> store::Result<bool> {
    let Some(player) = tx.player(userid)?.filter(|player| player.left_at.is_none()) else { return Ok(false) };
    let known = tx.addresses(player.id)?;
    let awaits = |address: &String| {
        known.iter().any(|known| known.confirmed_at.is_none() && known.address.eq_ignore_ascii_case(address))
    };
    Ok(!addresses.is_empty() && addresses.iter().all(awaits))
}

impl Context<'_, '_> {
    pub(crate) fn signup(
        &mut self,
        userid: &str,
        password: &Password,
        addresses: &[String],
    ) -> RequestResult<Response> {
        self.check_no_robot(userid)?;
        if is_reserved(userid, self.service.domain) {
            return self.refuse(userid, message!("service.userid-is-reserved", userid));
        }
        let password = self.new_password(userid, password)?;
        let addresses = addresses_to_sign_up(&self.request.from, addresses);
        if let Some(player) = self.tx.player(userid)? {
            return match is_from_guest(&self.request.from, &player) {
                true => self.keep_guest(player, &password, addresses),
                false => self.sign_up_again(userid, &password, addresses),
            };
        }
        self.check_addresses(None, &addresses)?;
        self.check_letters(&addresses)?;
        let player = self.tx.add_player(userid, &self.passwords.of_new(userid, &password)?, self.request.now)?;
        let NewAddresses { confirmed, awaiting } = self.add_addresses(player, userid, addresses)?;
        Ok(Response::SignedUp {
            userid: userid.to_owned(),
            addresses: confirmed,
            awaiting,
            robots: self.service.policy.robots,
        })
    }

    /// Resends the letters of a signup if a player repeats it before they confirm an address. Otherwise refuses the
    /// userid as taken.
    fn sign_up_again(&mut self, userid: &str, password: &str, addresses: Vec<String>) -> RequestResult<Response> {
        let awaits = awaits_all(&*self.tx, userid, &addresses)?;
        let player = if awaits { self.by_password(userid, password)?.ok() } else { None };
        let Some(player) = player else {
            return self.refuse(userid, message!("service.userid-is-taken", userid));
        };
        self.check_letters(&addresses)?;
        let NewAddresses { confirmed, awaiting } = self.add_addresses(player.id, &player.userid, addresses)?;
        let robots = self.service.policy.robots;
        Ok(Response::SignedUp { userid: player.userid, addresses: confirmed, awaiting, robots })
    }

    pub(crate) fn change_password(
        &mut self,
        userid: &str,
        current: &Password,
        new: &Password,
    ) -> RequestResult<Response> {
        let player = self.authenticate_with_password(userid, current)?;
        let new = self.new_password(&player.userid, new)?;
        self.tx.set_password(player.id, &self.passwords.of_new(userid, &new)?)?;
        self.tx.end_sessions(player.id)?;
        self.log_change(player.id, ActKind::Password, "")?;
        Ok(Response::PasswordChanged { userid: player.userid })
    }

    /// Returns a player's new password, which must be typed (or come from the shell's environment or prompt).
    pub(crate) fn new_password(&self, userid: &str, password: &Password) -> RequestResult<String> {
        let Some(new) = self.request.typed(password) else {
            return self.refuse("-", message!("service.no-new-password"));
        };
        match weakness(self.service.policy, userid, new) {
            // The line shows neither the password nor its position.
            Some(weakness) => self.refuse("", weakness),
            None => Ok(new.to_owned()),
        }
    }
}
