//! Dispatches a player's actions on their own account by the verb of the command.

use crate::command::{AccountAction, Password};

use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Context<'_, '_> {
    /// Carries out a player's action on their own account.
    pub(crate) fn account(
        &mut self,
        userid: &str,
        password: &Password,
        action: &AccountAction,
    ) -> RequestResult<Response> {
        let player = match action {
            AccountAction::Addresses(_) | AccountAction::Signoff(_) => {
                self.authenticate_with_password(userid, password)?
            }
            _ => self.authenticate(userid, password)?,
        };
        self.service.acted(self.tx, &player, None, self.request.now)?;
        match action {
            AccountAction::Addresses(addresses) => self.change_addresses(player, addresses),
            AccountAction::VacationUntil(day) => self.begin_vacation(&player, *day),
            AccountAction::VacationOff => self.end_vacation(&player),
            AccountAction::Vacation => self.vacation(&player),
            AccountAction::Set(settings) => self.set(player, settings),
            AccountAction::Signoff(None) => self.ask_to_sign_off(&player),
            AccountAction::Signoff(Some(code)) => self.sign_off(&player, code),
            AccountAction::Message(to) => self.message(&player, to),
            AccountAction::Broadcast => self.broadcast(&player),
            AccountAction::NewEvent(plan) => self.new_event(&player, plan),
            AccountAction::Join(name) => self.join_event(&player, name),
            AccountAction::Leave(name) => self.leave_event(&player, name),
            AccountAction::Block(other) => self.block(&player, other.as_deref()),
            AccountAction::Unblock(other) => self.unblock(&player, other),
            AccountAction::Report(other) => self.report(&player, other),
            AccountAction::Calendar(action) => self.calendar(&player, *action),
        }
    }
}
