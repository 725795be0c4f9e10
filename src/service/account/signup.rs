//! Signing up, and changing the password.

use crate::command::Password;
use crate::message;

use crate::service::account::addresses::NewAddresses;
use crate::service::account::reserved::is_reserved;
use crate::service::account::weak_password::weakness;
use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::request::Origin;
use crate::service::response::Response;
use crate::store::ActKind;

impl Context<'_> {
    pub(in crate::service) fn signup(
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
        if self.tx.player(userid)?.is_some() {
            return self.refuse(userid, message!("service.userid-is-taken", userid));
        }
        let mut addresses = addresses.to_vec();
        if let (true, Origin::Mail { sender, .. }) = (addresses.is_empty(), &self.request.from) {
            addresses.push(sender.clone());
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

    pub(in crate::service) fn change_password(
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

    /// A new password for a player, which must be typed (or come from the shell's environment or prompt).
    pub(in crate::service) fn new_password(&self, userid: &str, password: &Password) -> RequestResult<String> {
        let Some(new) = self.request.typed(password) else {
            return self.refuse("-", message!("service.no-new-password"));
        };
        match weakness(self.service.policy, userid, new) {
            // The line shows neither the password nor where it stands.
            Some(weakness) => self.refuse("", weakness),
            None => Ok(new.to_owned()),
        }
    }
}
