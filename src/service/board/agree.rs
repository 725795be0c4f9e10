//! Agreeing: draws and undos, proposed, accepted, rejected. Silence is never a yes, and a move clears a proposal.

use crate::rules::Seat;
use crate::store::{Proposal, ProposalKind, Transaction};

use crate::service::board::live::End;
use crate::service::board::play::{Seated, comment, refuse_at, view_now};
use crate::service::notice::facts::BoardEvent;
use crate::service::{Request, RequestResult, Response, Service};

impl Service<'_> {
    pub(in crate::service) fn propose(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        mut seated: Seated,
        kind: ProposalKind,
    ) -> RequestResult<Response> {
        if seated.plays_alone() {
            return self.agree_with_oneself(tx, request, seated, kind);
        }
        let seat = seated.seats[0];
        if let Some(open) = seated.board().proposal {
            let message = match (open.by == seat, open.kind == kind) {
                (true, true) => "You have proposed this already; it is not answered yet.".to_owned(),
                (true, false) => "Another proposal of yours is open; take it back first by rejecting it.".to_owned(),
                (false, _) => format!("{} has made a proposal; accept or reject it first.", seated.opponent()),
            };
            return refuse_at(tx, request, &seated, "", message);
        }
        if kind == ProposalKind::Undo && seated.live.undo_ply(tx, seat)?.is_none() {
            return refuse_at(tx, request, &seated, "undo", "You have made no move that could be taken back.");
        }
        seated.live.propose(tx, Some(Proposal { kind, by: seat }))?;
        comment(tx, request, &seated)?;
        let by = seated.player.userid.clone();
        self.notify(tx, request, &mut seated.live, BoardEvent::Propose { by })?;
        Ok(Response::Proposed { board: view_now(tx, request.now, seated.board(), None)?, proposal: kind })
    }

    /// On a board against oneself there is nobody to ask.
    fn agree_with_oneself(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        mut seated: Seated,
        kind: ProposalKind,
    ) -> RequestResult<Response> {
        let plies = seated.board().plies;
        let by = match (kind, tx.entries(seated.board().number)?.last()) {
            (ProposalKind::Undo, _) if plies == 0 => {
                return refuse_at(tx, request, &seated, "undo", "No move has been made that could be taken back.");
            }
            (_, Some(last)) => last.seat.unwrap_or(Seat::First),
            (_, None) => Seat::First,
        };
        match kind {
            ProposalKind::Undo => seated.live.undo(tx, plies - 1, by, request.from.via())?,
            ProposalKind::Draw => seated.live.end(tx, End::Draw(by), request.from.via())?,
        }
        self.conclude(tx, request, seated, kind)
    }

    pub(in crate::service) fn accept(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        mut seated: Seated,
    ) -> RequestResult<Response> {
        let Some(open) = seated.board().proposal else {
            return refuse_at(tx, request, &seated, "accept", "No proposal is open on this board.");
        };
        let seat = seated.seats[0];
        if open.by == seat {
            return refuse_at(tx, request, &seated, "accept", "The open proposal is your own.");
        }
        match open.kind {
            ProposalKind::Draw => seated.live.end(tx, End::Draw(seat), request.from.via())?,
            ProposalKind::Undo => {
                let ply = seated.live.undo_ply(tx, open.by)?;
                let ply = ply.expect("an undo was proposed after a move, and moves clear proposals");
                seated.live.undo(tx, ply, seat, request.from.via())?;
            }
        }
        self.conclude(tx, request, seated, open.kind)
    }

    fn conclude(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        mut seated: Seated,
        kind: ProposalKind,
    ) -> RequestResult<Response> {
        comment(tx, request, &seated)?;
        // After an undo a resignation that waits for the turn may have its turn.
        seated.live.follow_up(tx)?;
        let event = if seated.live.is_over() { BoardEvent::End } else { BoardEvent::Move };
        self.notify(tx, request, &mut seated.live, event)?;
        let board = view_now(tx, request.now, seated.board(), Some(seated.live.since))?;
        Ok(Response::Accepted { board, proposal: kind })
    }

    pub(in crate::service) fn reject(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        mut seated: Seated,
    ) -> RequestResult<Response> {
        let Some(open) = seated.board().proposal else {
            return refuse_at(tx, request, &seated, "reject", "No proposal is open on this board.");
        };
        seated.live.propose(tx, None)?;
        comment(tx, request, &seated)?;
        let by = seated.player.userid.clone();
        let event = if seated.seats[0] == open.by { BoardEvent::Withdraw { by } } else { BoardEvent::Reject { by } };
        self.notify(tx, request, &mut seated.live, event)?;
        let board = view_now(tx, request.now, seated.board(), None)?;
        Ok(Response::Rejected { board, proposal: open.kind, by: seated.player.userid })
    }
}
