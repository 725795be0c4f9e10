//! Agreeing: draws and undos, proposed, accepted, rejected. Silence is never a yes, and a move clears a proposal.

use crate::rules::Seat;
use crate::store::{Ledger, Proposal, ProposalKind};

use super::live::End;
use super::play::{Seated, comment, refuse_at, view_now};
use super::{Answer, Desk, Done, Request};

impl Desk<'_> {
    pub(super) fn propose(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        mut seated: Seated,
        kind: ProposalKind,
    ) -> Done<Answer> {
        if seated.plays_alone() {
            return self.agree_with_oneself(ledger, request, seated, kind);
        }
        let seat = seated.seats[0];
        if let Some(open) = seated.board().proposal {
            let message = match (open.by == seat, open.kind == kind) {
                (true, true) => "You have proposed this already; it is not answered yet.".to_owned(),
                (true, false) => "Another proposal of yours is open; take it back first by rejecting it.".to_owned(),
                (false, _) => format!("{} has made a proposal; accept or reject it first.", seated.opponent()),
            };
            return refuse_at(ledger, request, &seated, "", message);
        }
        if kind == ProposalKind::Undo && seated.live.undo_ply(ledger, seat)?.is_none() {
            return refuse_at(ledger, request, &seated, "undo", "You have made no move that could be taken back.");
        }
        seated.live.propose(ledger, Some(Proposal { kind, by: seat }))?;
        comment(ledger, request, &seated)?;
        self.tell(ledger, request, &mut seated.live, "propose", Some(&seated.player.userid))?;
        Ok(Answer::Proposed { board: view_now(ledger, request.now, seated.board(), None)?, proposal: kind })
    }

    /// On a board against oneself there is nobody to ask.
    fn agree_with_oneself(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        mut seated: Seated,
        kind: ProposalKind,
    ) -> Done<Answer> {
        let plies = seated.board().plies;
        let by = match (kind, ledger.entries(seated.board().number)?.last()) {
            (ProposalKind::Undo, _) if plies == 0 => {
                return refuse_at(ledger, request, &seated, "undo", "No move has been made that could be taken back.");
            }
            (_, Some(last)) => last.seat.unwrap_or(Seat::First),
            (_, None) => Seat::First,
        };
        match kind {
            ProposalKind::Undo => seated.live.undo(ledger, plies - 1, by, request.from.via())?,
            ProposalKind::Draw => seated.live.end(ledger, End::Draw(by), request.from.via())?,
        }
        self.conclude(ledger, request, seated, kind)
    }

    pub(super) fn accept(&self, ledger: &mut dyn Ledger, request: &Request, mut seated: Seated) -> Done<Answer> {
        let Some(open) = seated.board().proposal else {
            return refuse_at(ledger, request, &seated, "accept", "No proposal is open on this board.");
        };
        let seat = seated.seats[0];
        if open.by == seat {
            return refuse_at(ledger, request, &seated, "accept", "The open proposal is your own.");
        }
        match open.kind {
            ProposalKind::Draw => seated.live.end(ledger, End::Draw(seat), request.from.via())?,
            ProposalKind::Undo => {
                let ply = seated.live.undo_ply(ledger, open.by)?;
                let ply = ply.expect("an undo was proposed after a move, and moves clear proposals");
                seated.live.undo(ledger, ply, seat, request.from.via())?;
            }
        }
        self.conclude(ledger, request, seated, open.kind)
    }

    fn conclude(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        mut seated: Seated,
        kind: ProposalKind,
    ) -> Done<Answer> {
        comment(ledger, request, &seated)?;
        // After an undo a resignation that waits for the turn may have its turn.
        seated.live.follow_up(ledger)?;
        let news = if seated.live.is_over() { "end" } else { "move" };
        self.tell(ledger, request, &mut seated.live, news, None)?;
        let board = view_now(ledger, request.now, seated.board(), Some(seated.live.since))?;
        Ok(Answer::Accepted { board, proposal: kind })
    }

    pub(super) fn reject(&self, ledger: &mut dyn Ledger, request: &Request, mut seated: Seated) -> Done<Answer> {
        let Some(open) = seated.board().proposal else {
            return refuse_at(ledger, request, &seated, "reject", "No proposal is open on this board.");
        };
        seated.live.propose(ledger, None)?;
        comment(ledger, request, &seated)?;
        let kind = if seated.seats[0] == open.by { "withdraw" } else { "reject" };
        self.tell(ledger, request, &mut seated.live, kind, Some(&seated.player.userid))?;
        let board = view_now(ledger, request.now, seated.board(), None)?;
        Ok(Answer::Rejected { board, proposal: open.kind, by: seated.player.userid })
    }
}
