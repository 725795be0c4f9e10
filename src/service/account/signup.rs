//! Signs up players and guests, and changes passwords.
//!
//! A guest has neither a password nor an address, and is identified only by a session. Guests can play only computer
//! players, and cannot send messages. A guest who signs up from this session becomes a regular player.

use std::net::IpAddr;

use chrono::{DateTime, Utc};

use super::addresses::NewAddresses;
use super::blocked::is_reserved;
use super::password::weakness;
use super::passwords::Passwords;
use crate::command::{Password, is_userid};
use crate::message;
use crate::service::board::robots::{NO_PASSWORD, is_kept_for_robots};
use crate::service::context::{Context, Service};
use crate::service::rejection::{Reason, Rejection, RequestResult, split_rejection_without_password};
use crate::service::request::{Origin, Request};
use crate::service::response::Response;
use crate::store::{self, ActKind, CountedKind, Player, Transaction};

/// Returns the addresses for a signup: those in the command or, if it has none, the sender's address.
pub(crate) fn addresses_to_sign_up(from: &Origin, named: &[String]) -> Vec<String> {
    match from {
        Origin::Mail { sender, .. } if named.is_empty() => vec![sender.clone()],
        _ => named.to_vec(),
    }
}

/// Returns whether all these addresses of a player still await confirmation, for example after a signup whose letter
/// was lost.
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
        self.check_new_name(userid)?;
        let password = self.new_password(userid, password)?;
        let addresses = addresses_to_sign_up(&self.request.from, addresses);
        if let Some(player) = self.tx.player(userid)? {
            return match is_from_guest(&self.request.from, &player) {
                true => self.keep_guest(player, &password, addresses),
                false => self.sign_up_again(userid, &password, addresses),
            };
        }
        self.check_no_administrator(userid)?;
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
        Ok(Response::PasswordChanged { userid: player.userid, by_letter: false })
    }

    /// Returns a player's new password, which must be typed (or come from the shell's environment or prompt).
    pub(crate) fn new_password(&self, userid: &str, password: &Password) -> RequestResult<String> {
        let Some(new) = self.request.typed(password) else {
            return self.refuse("-", message!("service.no-new-password"));
        };
        match weakness(self.service.policy, userid, new) {
            // Mark no word of the line, so that the answer does not reveal the position of the password.
            Some(weakness) => self.refuse("", weakness),
            None => Ok(new.to_owned()),
        }
    }
}

/// Returns whether a player is a guest.
pub fn is_guest(player: &Player) -> bool {
    player.password_hash == NO_PASSWORD && !is_kept_for_robots(&player.userid)
}

/// Returns whether a request comes from the session of this guest.
pub(crate) fn is_from_guest(from: &Origin, player: &Player) -> bool {
    let own = matches!(from, Origin::Known { userid, .. } if userid.eq_ignore_ascii_case(&player.userid));
    own && is_guest(player)
}

impl Service<'_> {
    /// Signs up a guest and returns their session cookie. A new guest counts towards the client's limit for letters to
    /// strangers.
    ///
    /// # Errors
    /// If the store fails.
    pub fn sign_up_guest(
        &self,
        tx: &mut Transaction<'_>,
        userid: &str,
        client: IpAddr,
        now: DateTime<Utc>,
    ) -> store::Result<Result<String, Rejection>> {
        let (request, passwords) = (Request::without_line(Origin::Visitor, Some(client), now), Passwords::default());
        let mut context = Context::new(*self, &mut *tx, &request, &passwords);
        let added = split_rejection_without_password(context.unauthenticated(|context| context.add_guest(userid)))?;
        match added {
            Ok(player) => Ok(Ok(self.begin_session(tx, &player, now)?)),
            Err(rejection) => Ok(Err(rejection)),
        }
    }
}

/// Returns whether a name ends with `.atom`, so that its page would have the address of a feed.
pub(crate) fn is_of_feed(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".atom")
}

impl Context<'_, '_> {
    /// Refuses a new name whose page would have the address of a feed, or that a line such as `block bob.` cannot name.
    pub(crate) fn check_new_name(&self, name: &str) -> RequestResult<()> {
        match name {
            _ if is_of_feed(name) => self.refuse(name, message!("service.name-of-a-feed", name)),
            _ if name.ends_with('.') => self.refuse(name, message!("service.name-with-full-stop", name)),
            _ => Ok(()),
        }
    }

    /// Refuses a userid that the configuration lists as an administrator's. The shell may use it, because the shell has
    /// the same rights.
    fn check_no_administrator(&self, userid: &str) -> RequestResult<()> {
        let is_shell = matches!(self.request.from, Origin::Shell { .. });
        match self.service.policy.is_administrator(userid) && !is_shell {
            false => Ok(()),
            true => self.refuse(userid, message!("service.userid-of-administrator", userid)),
        }
    }

    fn add_guest(&mut self, userid: &str) -> RequestResult<Player> {
        if !is_userid(userid) {
            return self.refuse(userid, message!("command.not-a-userid", word = userid));
        }
        self.check_no_robot(userid)?;
        if is_reserved(userid, self.service.domain) {
            return self.refuse(userid, message!("service.userid-is-reserved", userid));
        }
        self.check_new_name(userid)?;
        if self.tx.player(userid)?.is_some() {
            return self.refuse(userid, message!("service.userid-is-taken", userid));
        }
        self.check_no_administrator(userid)?;
        let (source, now) = (self.request.source(), self.request.now);
        if !self.service.may_write_to_strangers(&*self.tx, &[userid.to_owned()], &source, now)? {
            let rejection = self.rejection("", message!("service.too-many-guests"));
            return Err(rejection.because(Reason::TooOften).into());
        }
        self.tx.count(CountedKind::Letter, userid, &source, now)?;
        self.tx.add_player(userid, NO_PASSWORD, now)?;
        self.reading().player(userid)
    }

    /// Makes a guest a regular player with a password and addresses.
    pub(crate) fn keep_guest(
        &mut self,
        guest: Player,
        password: &str,
        addresses: Vec<String>,
    ) -> RequestResult<Response> {
        self.check_addresses(Some(guest.id), &addresses)?;
        self.check_letters(&addresses)?;
        self.tx.set_password(guest.id, &self.passwords.of_new(&guest.userid, password)?)?;
        self.log_change(guest.id, ActKind::Password, "")?;
        let added = self.add_addresses(guest.id, &guest.userid, addresses)?;
        let robots = self.service.policy.robots;
        Ok(Response::SignedUp { userid: guest.userid, addresses: added.confirmed, awaiting: added.awaiting, robots })
    }

    pub(crate) fn check_no_guest(&self, player: &Player) -> RequestResult<()> {
        match is_guest(player) {
            false => Ok(()),
            true => self.refuse("", message!("service.guest-plays-robots")),
        }
    }
}
