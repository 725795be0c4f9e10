//! Draws, undos and abandonments: proposed, accepted, rejected, or decided by the administrator. A proposal without an
//! answer is never treated as accepted.

use chrono::{DateTime, TimeDelta, Utc};

use super::clocks;
use super::find::PlayerAtBoard;
use super::open::{Ending, OpenBoard, Voiding};
use crate::clock::Span;
use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::rules::{Seat, catalogue};
use crate::service::account::blocks::TEXTS_AN_HOUR;
use crate::service::context::{Context, Service};
use crate::service::notice::facts::BoardEvent;
use crate::service::notice::notices::Announcement;
use crate::service::notice::webhooks;
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request;
use crate::service::response::Response;
use crate::store::{
    self, Board, Channel, EditionRef, MadeProposal, Participant, Proposal, ProposalAnswer, ProposalKind, Transaction,
};

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
                // The page has a button to withdraw a proposal.
                (true, false) if self.via() == Channel::Web => message!("service.withdraw-first"),
                (true, false) => message!("service.another-proposal-of-yours"),
                (false, _) => message!("service.proposal-of-opponent", opponent = at.opponent()),
            };
            return self.refuse_at(&at, "", message);
        }
        if kind == ProposalKind::Undo && at.open.undo_ply(seat).is_none() {
            return self.refuse_at(&at, "undo", message!("service.nothing-to-undo", yours = true));
        }
        self.check_proposals(&at)?;
        self.check_text_at(&at)?;
        let proposal = Proposal { kind, by: seat };
        at.open.propose(self.tx, Some(proposal))?;
        let (board, entry) = (at.board().number, at.board().entries);
        self.tx.add_proposal(&MadeProposal { board, entry, proposal, via: self.via(), made_at: self.request.now })?;
        self.record_comment_at(&at)?;
        let by = at.player.userid.clone();
        self.notify(&mut at, BoardEvent::Propose { by })?;
        Ok(Response::Proposed { board: at.open.view(self.tx)?, proposal: kind })
    }

    /// Refuses a proposal if the player has made too many on this board within an hour.
    fn check_proposals(&self, at: &PlayerAtBoard) -> RequestResult<()> {
        let hour = Span::last(TimeDelta::hours(1), self.now());
        let made = self.tx.proposals(at.board().number)?.into_iter().map(|proposal| proposal.made);
        let own = made.filter(|made| at.seats.contains(&made.proposal.by) && hour.contains(made.made_at));
        if own.count() < TEXTS_AN_HOUR as usize {
            return Ok(());
        }
        let message = message!("service.too-many-proposals", number = at.board().number, most = TEXTS_AN_HOUR);
        let rejection = self.rejection("", message).at_board(at.open.view(&*self.tx)?);
        Err(rejection.because(Reason::TooOften).into())
    }

    /// Refuses a command with a comment if the player has written too many comments on this board within an hour.
    fn check_text_at(&self, at: &PlayerAtBoard) -> RequestResult<()> {
        if self.request.comment_text().is_empty() {
            return Ok(());
        }
        self.check_comments(at.player.id, at.board().number, at.opponent())
    }

    /// Carries out a proposal immediately, because the player plays both sides.
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
        self.check_text_at(&at)?;
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
        self.check_text_at(&at)?;
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

/// An administrator's decision about a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Ends a board in progress: this seat wins, or (`None`) the game is drawn.
    Adjudicate(Option<Seat>),
    /// Reopens an ended board, and reverts the rating changes of its end.
    Reopen {
        /// The minimum number of days that the player to move has left; `None` for the board's `nagtime`, but at least
        /// a day.
        days: Option<u32>,
    },
    /// Ends a board in progress without a result, or removes the result and the rating changes of an ended one.
    Void,
}

/// Why a decision is not possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotDecided {
    /// The board does not exist.
    NoBoard,
    /// The board is in progress.
    InProgress,
    /// The board has ended.
    Over,
    /// The rules ended the board.
    ByRules,
    /// A player of the board has left.
    PlayerLeft,
    /// The board belongs to an edition in progress, from which a player of the board was withdrawn.
    Withdrawn {
        /// The userid of the player.
        userid: String,
        /// The edition.
        edition: EditionRef,
    },
}

impl Service<'_> {
    /// Carries out an administrator's decision about a board, and notifies its players and followers of it and the
    /// reason.
    ///
    /// # Errors
    /// If the store fails.
    pub fn decide(
        &self,
        tx: &mut Transaction<'_>,
        number: BoardNumber,
        decision: Decision,
        reason: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Result<(), NotDecided>> {
        let Some(board) = tx.board(number)? else { return Ok(Err(NotDecided::NoBoard)) };
        let mut open = OpenBoard::open(tx, board, now)?;
        if let Some(why) = obstacle(tx, &open, decision)? {
            return Ok(Err(why));
        }
        let reason = request::clean(reason).replace('\n', " ");
        let event = match decision {
            Decision::Adjudicate(winner) => {
                open.end(tx, Ending::Adjudication { winner, reason }, Channel::Administrator)?;
                BoardEvent::End
            }
            Decision::Reopen { days } => {
                open.reopen(tx, &reason)?;
                if open.board.event.is_some() {
                    let since_beginning = clocks::standstills(tx)?.counted(open.board.created_at, now);
                    tx.postpone_event_board(number, since_beginning)?;
                }
                let days = days.unwrap_or(open.board.terms.time_control.nag.max(1));
                clocks::leave_time(tx, &mut open.board, TimeDelta::days(days.into()), now)?;
                BoardEvent::Reopen
            }
            Decision::Void => {
                open.void(tx, Voiding::Decision(&reason))?;
                BoardEvent::Void
            }
        };
        webhooks::turn_came(tx, &open.board, now)?;
        let facts = self.board_facts(tx, &open, now)?;
        self.announce(tx, None, &Announcement::of(&open.board, event, facts), now)?;
        Ok(Ok(()))
    }
}

/// Returns why a decision is not possible; `None` if it is.
fn obstacle(tx: &Transaction<'_>, open: &OpenBoard, decision: Decision) -> store::Result<Option<NotDecided>> {
    let is_over = open.is_over();
    Ok(match decision {
        Decision::Adjudicate(_) => is_over.then_some(NotDecided::Over),
        // A board that ended without a result is not voided, because there is no result to remove.
        Decision::Void => open.board.no_result.map(|_| NotDecided::Over),
        Decision::Reopen { .. } if !is_over => Some(NotDecided::InProgress),
        Decision::Reopen { .. } if open.replayed.position().to_move().is_none() => Some(NotDecided::ByRules),
        Decision::Reopen { .. } => {
            for player in &open.board.players {
                if tx.player_by_id(player.id)?.is_none_or(|player| player.left_at.is_some()) {
                    return Ok(Some(NotDecided::PlayerLeft));
                }
            }
            withdrawn(tx, &open.board)?
        }
    })
}

/// Returns a player who was withdrawn from the edition of a board, unless the edition has ended.
fn withdrawn(tx: &Transaction<'_>, board: &Board) -> store::Result<Option<NotDecided>> {
    let Some((event, number)) = tx.event_of_board(board.number)? else { return Ok(None) };
    if tx.editions(event)?.iter().any(|edition| edition.number == number && edition.ended_at.is_some()) {
        return Ok(None);
    }
    let is_out = |of: &Participant| of.withdrawn.is_some() && board.plays(of.player.id);
    let found = tx.participants(event, number)?.into_iter().find(is_out);
    Ok(found.zip(board.event.clone()).map(|(of, edition)| NotDecided::Withdrawn { userid: of.player.userid, edition }))
}
