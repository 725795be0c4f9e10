//! What may end a game is asked about at an address of the player before a reply token is enough for it: whoever was sent the
//! letter by somebody else has its token, too.

use crate::command::{BoardAction, Command, GameCommand};
use crate::message;
use crate::store::{Address, Board, Player, ProposalKind};

use crate::service::board::view;
use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::request::{BoardGrant, Origin};

impl Context<'_> {
    /// Refuses what may end a game and came from an address that the player has not confirmed, unless the token is that of the
    /// letter which asked them about it.
    pub(super) fn check_last_word(&self, player: &Player, board: &Board, granted: &BoardGrant) -> RequestResult<()> {
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

    /// What a reply says that asks for this, if it may end the game.
    fn last_word(&self, board: &Board) -> Option<String> {
        let Command::Game { command: GameCommand::AtBoard { action, .. }, .. } = &self.request.line.command else {
            return None;
        };
        let accepts_draw = || board.proposal.is_some_and(|open| open.kind == ProposalKind::Draw);
        Some(match action {
            BoardAction::Resign => "resign".to_owned(),
            BoardAction::Decline => "decline".to_owned(),
            BoardAction::Propose => "propose".to_owned(),
            BoardAction::Accept(_) if accepts_draw() => "accept".to_owned(),
            BoardAction::If(Some(plan)) if plan.resigns() => format!("if {plan}"),
            _ => return None,
        })
    }
}
