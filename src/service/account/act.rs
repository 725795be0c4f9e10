//! What a player does with their own account, by the verb of the command.

use crate::command::{Account, Password};

use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Context<'_> {
    /// Does what a player wants with their own account.
    pub(in crate::service) fn account(
        &mut self,
        userid: &str,
        password: &Password,
        what: &Account,
    ) -> RequestResult<Response> {
        let player = match what {
            Account::Addresses(_) | Account::Signoff(_) => self.authenticate_with_password(userid, password)?,
            _ => self.authenticate(userid, password)?,
        };
        self.service.acted(self.tx, &player, self.request.now)?;
        match what {
            Account::Addresses(addresses) => self.change_addresses(player, addresses),
            Account::VacationUntil(day) => self.begin_vacation(&player, *day),
            Account::VacationOff => self.end_vacation(&player),
            Account::Vacation => self.vacation(&player),
            Account::Set(settings) => self.set(player, settings),
            Account::Signoff(None) => self.ask_to_sign_off(&player),
            Account::Signoff(Some(code)) => self.sign_off(&player, code),
            Account::Message(to) => self.message(&player, to),
            Account::Broadcast => self.broadcast(&player),
        }
    }
}
