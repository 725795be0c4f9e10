//! Confirmation of actions that may end a game. Every recipient of a forwarded letter has its reply token, so the
//! token is not sufficient for these actions: the server first asks at an address of the player.

use crate::command::{BoardAction, Command, GameCommand};
use crate::message;
use crate::store::{Address, Board, Player, ProposalKind};

use crate::service::board::view;
use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::request::{BoardGrant, Origin};

impl Context<'_, '_> {
    /// Refuses an action that may end a game if it is from an unconfirmed address, unless the token belongs to the
    /// letter that asked the player about it.
    pub(crate) fn check_last_word(&self, player: &Player, board: &Board, granted: &BoardGrant) -> RequestResult<()> {
        let Origin::Mail { sender, .. } = &self.request.from else { return Ok(()) };
        let Some(line) = self.last_word(board).filter(|_| !granted.agreed) else { return Ok(()) };
        let own = |known: &Address| known.confirmed_at.is_some() && known.address.eq_ignore_ascii_case(sender);
        if self.tx.addresses(player.id)?.iter().any(own) {
            return Ok(());
        }
        let line = format!("{} {line}", board.number);
        let message = message!("service.last-word-asked", sender, userid = &player.userid, line);
        Err(self.rejection("", message).at_board(view::stored_view(&*self.tx, board, self.now())?).into())
    }

    /// Returns the line with which a reply requests the same action, if it may end the game.
    fn last_word(&self, board: &Board) -> Option<String> {
        let Command::Game { command: GameCommand::AtBoard { action, .. }, .. } = &self.request.line.command else {
            return None;
        };
        let accepts_end = || board.proposal.is_some_and(|open| open.kind != ProposalKind::Undo);
        Some(match action {
            BoardAction::Resign => "resign".to_owned(),
            BoardAction::Decline => "decline".to_owned(),
            BoardAction::Propose => "propose".to_owned(),
            BoardAction::Abandon => "abandon".to_owned(),
            BoardAction::Accept(_) if accepts_end() => "accept".to_owned(),
            BoardAction::If(Some(plan)) if plan.resigns() => format!("if {plan}"),
            _ => return None,
        })
    }
}
