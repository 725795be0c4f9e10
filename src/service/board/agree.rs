//! Draws, undos and abandonments: proposed, accepted, rejected. A proposal is never accepted by silence, and a move
//! clears it.

use crate::message;
use crate::numbers::Ply;
use crate::rules::{Seat, catalogue};
use crate::store::{MadeProposal, Proposal, ProposalAnswer, ProposalKind};

use crate::service::board::open::Ending;
use crate::service::board::player_at_board::PlayerAtBoard;
use crate::service::context::Context;
use crate::service::notice::facts::BoardEvent;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Context<'_, '_> {
    pub(crate) fn propose(&mut self, mut at: PlayerAtBoard, kind: ProposalKind) -> RequestResult<Response> {
        if kind == ProposalKind::Draw
            && let Some(game) = catalogue::find(&at.board().game).filter(|game| !game.has_draws())
        {
            return self.refuse_at(&at, "propose", message!("service.no-draws", game = game.title()));
        }
        if at.plays_alone() {
            return self.agree_with_oneself(at, kind);
        }
        let seat = at.seats[0];
        if let Some(open) = at.board().proposal {
            let message = match (open.by == seat, open.kind == kind) {
                (true, true) => message!("service.proposed-already"),
                (true, false) => message!("service.another-proposal-of-yours"),
                (false, _) => message!("service.proposal-of-opponent", opponent = at.opponent()),
            };
            return self.refuse_at(&at, "", message);
        }
        if kind == ProposalKind::Undo && at.open.undo_ply(seat).is_none() {
            return self.refuse_at(&at, "undo", message!("service.nothing-to-undo", yours = true));
        }
        let proposal = Proposal { kind, by: seat };
        at.open.propose(self.tx, Some(proposal))?;
        let (board, entry) = (at.board().number, at.board().entries);
        self.tx.add_proposal(&MadeProposal { board, entry, proposal, via: self.via(), made_at: self.request.now })?;
        self.record_comment_at(&at)?;
        let by = at.player.userid.clone();
        self.notify(&mut at, BoardEvent::Propose { by })?;
        Ok(Response::Proposed { board: at.open.view(self.tx)?, proposal: kind })
    }

    /// Carries out the proposal of a player against themselves immediately.
    fn agree_with_oneself(&mut self, mut at: PlayerAtBoard, kind: ProposalKind) -> RequestResult<Response> {
        let (plies, via) = (at.board().plies, self.via());
        if kind == ProposalKind::Undo && plies == Ply::START {
            return self.refuse_at(&at, "undo", message!("service.nothing-to-undo", yours = false));
        }
        let by = at.open.last_seat().unwrap_or(Seat::First);
        match kind {
            ProposalKind::Undo => at.open.undo(self.tx, plies.previous(), by, via)?,
            ProposalKind::Draw => at.open.end(self.tx, Ending::Agreement(by), via)?,
            ProposalKind::Abandon => at.open.abandon(self.tx, by, via)?,
        }
        self.conclude(at, kind)
    }

    pub(crate) fn accept(&mut self, mut at: PlayerAtBoard) -> RequestResult<Response> {
        let Some(open) = at.board().proposal else {
            return self.refuse_at(&at, "accept", message!("service.no-proposal"));
        };
        let (seat, via) = (at.seats[0], self.via());
        if open.by == seat {
            return self.refuse_at(&at, "accept", message!("service.own-proposal"));
        }
        self.tx.answer_proposal(at.board().number, ProposalAnswer::Accepted, self.request.now)?;
        match open.kind {
            ProposalKind::Draw => at.open.end(self.tx, Ending::Agreement(seat), via)?,
            ProposalKind::Abandon => at.open.abandon(self.tx, seat, via)?,
            ProposalKind::Undo => {
                let ply = at.open.undo_ply(open.by);
                let ply = ply.expect("an undo was proposed after a move, and moves clear proposals");
                at.open.undo(self.tx, ply, seat, via)?;
            }
        }
        self.conclude(at, open.kind)
    }

    fn conclude(&mut self, mut at: PlayerAtBoard, kind: ProposalKind) -> RequestResult<Response> {
        self.record_comment_at(&at)?;
        let event = if at.open.is_over() { BoardEvent::End } else { BoardEvent::Move };
        self.notify(&mut at, event)?;
        Ok(Response::Accepted { board: at.open.view_of_news(self.tx)?, proposal: kind })
    }

    pub(crate) fn reject(&mut self, mut at: PlayerAtBoard) -> RequestResult<Response> {
        let Some(open) = at.board().proposal else {
            return self.refuse_at(&at, "reject", message!("service.no-proposal"));
        };
        at.open.propose(self.tx, None)?;
        self.record_comment_at(&at)?;
        let by = at.player.userid.clone();
        let (answer, event) = match at.seats[0] == open.by {
            true => (ProposalAnswer::Withdrawn, BoardEvent::Withdraw { by }),
            false => (ProposalAnswer::Rejected, BoardEvent::Reject { by }),
        };
        self.tx.answer_proposal(at.board().number, answer, self.request.now)?;
        self.notify(&mut at, event)?;
        Ok(Response::Rejected { board: at.open.view(self.tx)?, proposal: open.kind, by: at.player.userid })
    }
}
