//! Dispatches a player's actions at a board by the verb of the command.

use chrono::{DateTime, Utc};

use crate::command::{BoardAction, Password};
use crate::numbers::BoardNumber;
use crate::store::{self, ProposalKind, Transaction};

use crate::service::board::view;
use crate::service::board::views::BoardView;
use crate::service::context::{Context, Service};
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

/// The player and the board of a command.
pub(crate) struct BoardTarget<'a> {
    pub(crate) game: &'static str,
    pub(crate) number: BoardNumber,
    pub(crate) userid: &'a str,
    pub(crate) password: &'a Password,
}

impl Context<'_, '_> {
    /// Carries out a player's action at a board, or for the open challenge with that number.
    pub(crate) fn act(&mut self, target: &BoardTarget<'_>, action: &BoardAction) -> RequestResult<Response> {
        let BoardTarget { game, number, userid, password } = *target;
        let player = self.authenticate(userid, password)?;
        self.service.acted(self.tx, &player, Some(number), self.request.now)?;
        if let Some(offer) = self.tx.open_challenge(number)?.filter(|offer| offer.closed_at.is_none()) {
            return self.act_on_offer(game, offer, &player, action);
        }
        if let Some(response) = self.declined_again(number, &player, action)? {
            return Ok(response);
        }
        let at = self.at_board_of(player, game, number)?;
        if let Some(response) = self.repeated(&at, action)? {
            return Ok(response);
        }
        let at = match action {
            BoardAction::Rematch | BoardAction::Chat | BoardAction::Note => at,
            _ => self.in_progress(at)?,
        };
        match action {
            BoardAction::Move { text, ply } => self.make_move(at, text, *ply),
            BoardAction::Submit { text, ply } => self.submit(at, text, *ply),
            BoardAction::Confirm => self.confirm(at),
            BoardAction::Queue(text) => self.queue(at, text.as_deref()),
            BoardAction::If(plan) => self.prepare(&at, plan.as_ref()),
            BoardAction::Resign => self.resign(at),
            BoardAction::Decline => self.decline(at),
            BoardAction::Propose => self.propose(at, ProposalKind::Draw),
            BoardAction::Undo => self.propose(at, ProposalKind::Undo),
            BoardAction::Abandon => self.propose(at, ProposalKind::Abandon),
            BoardAction::Accept(_) => self.accept(at),
            BoardAction::Reject => self.reject(at),
            BoardAction::Rematch => self.rematch(&at),
            BoardAction::Chat => self.chat(at),
            BoardAction::Note => self.note(&at),
        }
    }
}

impl Service<'_> {
    /// Returns the current board, for an answer without a command.
    ///
    /// # Errors
    /// If the store fails.
    pub fn board_now(
        &self,
        tx: &Transaction<'_>,
        number: BoardNumber,
        now: DateTime<Utc>,
    ) -> store::Result<Option<BoardView>> {
        tx.board(number)?.map(|board| view::stored_view(tx, &board, now)).transpose()
    }
}
