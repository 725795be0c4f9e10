//! Guests: players with only a userid.
//!
//! Only their session identifies a guest, who has neither a password nor an address. Guests play computer players and
//! cannot reach people. A signup from the session makes a guest a player like the others.

use std::net::IpAddr;

use chrono::{DateTime, Utc};

use crate::command::is_userid;
use crate::message;
use crate::store::{self, ActKind, CountedKind, Player, Transaction};

use crate::service::account::passwords::Passwords;
use crate::service::account::reserved::is_reserved;
use crate::service::board::robots::{NO_PASSWORD, is_kept_for_robots};
use crate::service::context::{Context, Service};
use crate::service::rejection::{Reason, Rejection, RequestResult, settled_without_password};
use crate::service::request::{Origin, Request};
use crate::service::response::Response;

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
    /// Signs up a guest and returns their session cookie. The limit for guests from a client is the same as that for
    /// letters to strangers.
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
        let added = settled_without_password(context.unauthenticated(|context| context.add_guest(userid)))?;
        match added {
            Ok(player) => Ok(Ok(self.begin_session(tx, &player, now)?)),
            Err(rejection) => Ok(Err(rejection)),
        }
    }
}

impl Context<'_, '_> {
    fn add_guest(&mut self, userid: &str) -> RequestResult<Player> {
        if !is_userid(userid) {
            return self.refuse(userid, message!("command.not-a-userid", word = userid));
        }
        self.check_no_robot(userid)?;
        if is_reserved(userid, self.service.domain) {
            return self.refuse(userid, message!("service.userid-is-reserved", userid));
        }
        if self.tx.player(userid)?.is_some() {
            return self.refuse(userid, message!("service.userid-is-taken", userid));
        }
        let (source, now) = (self.request.source(), self.request.now);
        if !self.service.may_write_to_strangers(&*self.tx, &[userid.to_owned()], &source, now)? {
            let rejection = self.rejection("", message!("service.too-many-guests"));
            return Err(rejection.because(Reason::TooOften).into());
        }
        self.tx.count(CountedKind::Letter, userid, &source, now)?;
        self.tx.add_player(userid, NO_PASSWORD, now)?;
        self.reading().player(userid)
    }

    /// Gives a guest a password and addresses.
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

    /// Refuses an action that guests must not take.
    pub(crate) fn check_no_guest(&self, player: &Player) -> RequestResult<()> {
        match is_guest(player) {
            false => Ok(()),
            true => self.refuse("", message!("service.guest-plays-robots")),
        }
    }
}
