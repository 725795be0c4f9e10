//! A player's calendar with the deadlines of their boards, at a private address.

use chrono::{DateTime, Utc};

use crate::command::CalendarAction;
use crate::store::{self, Player, Transaction};
use crate::token::Calendar;

use crate::service::board::lists::MyBoardRow;
use crate::service::context::{Context, Service};
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Context<'_, '_> {
    /// Shows, replaces or revokes the address of a player's calendar.
    pub(crate) fn calendar(&mut self, player: &Player, action: CalendarAction) -> RequestResult<Response> {
        match action {
            CalendarAction::Show => {}
            CalendarAction::Off => drop(self.tx.set_calendar(player.id, None)?),
            CalendarAction::New => {
                let mut bytes = [0; 4];
                (self.service.world.random)(&mut bytes);
                // A number that another calendar has is improbable; the answer then shows no address.
                self.tx.set_calendar(player.id, Some(u32::from_be_bytes(bytes)))?;
            }
        }
        let number = self.tx.calendar(player.id)?;
        let key = self.tx.reply_key()?;
        let token = number.map(|calendar| Calendar { calendar }.sign(&key));
        Ok(Response::Calendar { userid: player.userid.clone(), number, token })
    }
}

impl Service<'_> {
    /// Returns the userid of a calendar's owner, and the boards on which their clock ends; `None` if the text is not the
    /// address of a calendar.
    ///
    /// # Errors
    /// If the store fails.
    pub fn calendar(
        &self,
        tx: &Transaction<'_>,
        token: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Option<(String, Vec<MyBoardRow>)>> {
        let Some(Calendar { calendar }) = Calendar::verify(token, &tx.reply_key()?) else { return Ok(None) };
        let owner = tx.calendar_owner(calendar)?.map(|owner| tx.player_by_id(owner)).transpose()?.flatten();
        let Some(owner) = owner.filter(|owner| owner.blocked_at.is_none()) else { return Ok(None) };
        let mut rows = self.my_boards(tx, owner.id, now)?;
        rows.retain(|row| row.your_turn && row.clock.as_ref().is_some_and(|clock| clock.deadline.is_some()));
        Ok(Some((owner.userid, rows)))
    }
}
