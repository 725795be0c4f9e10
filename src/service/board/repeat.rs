//! Repeated requests at a board: copies of a message under another Message-ID, replies sent twice, and forms sent
//! twice.

use chrono::{DateTime, TimeDelta, Utc};

use super::find::PlayerAtBoard;
use crate::clock::Span;
use crate::command::{BoardAction, Password};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::board::open::OpenBoard;
use crate::service::board::view::{self, offer_view};
use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::request::{BoardGrant, Origin, TokenGrant};
use crate::service::response::Response;
use crate::store::{self, Board, Channel, EntryKind, NoResult, Player, PlayerId, ProposalKind, Transaction};

/// If two equal forms are sent within this time, the second one is treated as a mistake.
const SENT_TWICE: TimeDelta = TimeDelta::minutes(1);

/// Returns whether the player carried out the action right after this entry. A move must not have been undone.
pub(crate) fn is_done(
    tx: &Transaction<'_>,
    open: &OpenBoard,
    player: PlayerId,
    action: &BoardAction,
    after: EntryNumber,
) -> store::Result<bool> {
    let is_own = |entry: &store::Entry| {
        let players = &open.board.players;
        entry.seat.is_some_and(|seat| players[seat.index()].id == player)
    };
    let next = open.entry_after(after).filter(|next| is_own(next));
    Ok(match (action, next) {
        (BoardAction::Move { text, ply }, Some(next)) => {
            next.kind == EntryKind::Move && ply.is_none_or(|ply| ply == next.ply) && open.is_made_again(after, text)?
        }
        (BoardAction::Resign, Some(next)) => next.kind == EntryKind::Resign,
        (BoardAction::Accept(_), Some(next))
            if matches!(next.kind, EntryKind::Draw | EntryKind::Undo | EntryKind::Abandon) =>
        {
            true
        }
        (BoardAction::Accept(_), _) => after == EntryNumber::START && is_accepted(tx, open, player)?,
        (BoardAction::Propose, _) => is_proposed(tx, open, player, ProposalKind::Draw, after)?,
        (BoardAction::Abandon, _) => is_proposed(tx, open, player, ProposalKind::Abandon, after)?,
        (BoardAction::Undo, Some(next)) if open.board.seats_of(player).len() > 1 => next.kind == EntryKind::Undo,
        (BoardAction::Undo, _) => is_proposed(tx, open, player, ProposalKind::Undo, after)?,
        _ => false,
    })
}

/// Returns whether the player accepted the open challenge of the board and has not moved, and no proposal was made.
fn is_accepted(tx: &Transaction<'_>, open: &OpenBoard, player: PlayerId) -> store::Result<bool> {
    let Board { number, challenger, .. } = open.board;
    let is_taken = challenger == Some(player) && tx.open_challenge(number)?.is_some();
    let seats = open.board.seats_of(player);
    Ok(is_taken && !open.has_moved(&seats) && tx.proposals(number)?.is_empty())
}

/// Returns whether the player made this proposal right after this entry. If no entry has followed, the proposal must
/// still be open.
fn is_proposed(
    tx: &Transaction<'_>,
    open: &OpenBoard,
    player: PlayerId,
    kind: ProposalKind,
    after: EntryNumber,
) -> store::Result<bool> {
    let board = &open.board;
    if after == board.entries {
        let proposal = board.proposal.filter(|proposal| proposal.kind == kind);
        return Ok(proposal.is_some_and(|proposal| board.players[proposal.by.index()].id == player));
    }
    let made = tx.proposals(board.number)?.into_iter().map(|kept| kept.made);
    Ok(made
        .filter(|made| made.entry == after && made.proposal.kind == kind)
        .any(|made| board.players[made.proposal.by.index()].id == player))
}

impl Context<'_, '_> {
    /// Responds to a message that repeats the player's action, and does not carry it out again. An action is a
    /// repetition if it was carried out directly after the letter to which the message replies. If the message is not a
    /// reply, the action must have been the player's last one.
    pub(crate) fn repeated(&self, at: &PlayerAtBoard, action: &BoardAction) -> RequestResult<Option<Response>> {
        let mut done = None;
        for after in self.last_seen(at, action) {
            if is_done(&*self.tx, &at.open, at.player.id, action, after)? {
                done = Some(after);
            }
        }
        let Some(after) = done else { return Ok(None) };
        let board = at.open.view(&*self.tx)?;
        let is_undone = matches!(at.open.entry_after(after), Some(next) if next.kind == EntryKind::Undo);
        let text = self.unsent_text(at.board().number, &at.player)?;
        let has_text = !text.is_empty();
        Ok(Some(match action {
            BoardAction::Resign if !has_text => Response::Resigned { board },
            BoardAction::Accept(_) if is_undone && !has_text => {
                Response::Accepted { board, proposal: ProposalKind::Undo }
            }
            BoardAction::Accept(_) if at.open.is_over() && !has_text => {
                let proposal = if board.no_result.is_some() { ProposalKind::Abandon } else { ProposalKind::Draw };
                Response::Accepted { board, proposal }
            }
            _ => {
                let is_move = matches!(action, BoardAction::Move { .. });
                Response::Repeated { board, is_move, text }
            }
        }))
    }

    /// Responds to a repeated message that declines a board, or withdraws an open challenge.
    pub(crate) fn declined_again(
        &self,
        number: BoardNumber,
        player: &Player,
        action: &BoardAction,
    ) -> RequestResult<Option<Response>> {
        if !self.is_mail() || !matches!(action, BoardAction::Decline | BoardAction::Resign) {
            return Ok(None);
        }
        let Some(board) = self.tx.board(number)? else {
            let challenge = self.tx.open_challenge(number)?.filter(|challenge| challenge.challenger.id == player.id);
            return Ok(challenge.map(|challenge| Response::Withdrawn { offer: offer_view(&challenge) }));
        };
        let has_declined = board.no_result == Some(NoResult::Declined) && board.declined_by == Some(player.id);
        // The refusal contains a text that was not sent.
        if !has_declined || !self.unsent_text(number, player)?.is_empty() {
            return Ok(None);
        }
        let board = view::stored_view(&*self.tx, &board, self.now())?;
        Ok(Some(Response::Declined { board, by: player.userid.clone() }))
    }

    /// Responds to a repeated request for a rematch. `rematch` is the board that the first request created.
    pub(crate) fn rematched_again(&self, at: &PlayerAtBoard, rematch: &Board) -> RequestResult<Option<Response>> {
        if !self.is_mail() || rematch.challenger != Some(at.player.id) {
            return Ok(None);
        }
        let board = view::stored_view(&*self.tx, rematch, self.now())?;
        let text = self.unsent_text(rematch.number, &at.player)?;
        Ok(Some(Response::Repeated { board, is_move: false, text }))
    }

    /// Returns whether the present form, if it equals one that was sent at this time, is a copy of it. Browsers send a
    /// form twice after a double click, or when the page is loaded again.
    pub(crate) fn is_form_sent_twice(&self, at: DateTime<Utc>) -> bool {
        Span::last(SENT_TWICE, self.now()).contains(at)
    }

    /// Returns whether the player has just written the same text in a form.
    pub(crate) fn is_chatted_again(&self, at: &PlayerAtBoard) -> RequestResult<bool> {
        if self.via() != Channel::Web {
            return Ok(false);
        }
        let comments = self.tx.comments(at.board().number)?;
        let last = comments.iter().rfind(|comment| comment.player == at.player.id);
        Ok(last.is_some_and(|last| last.text == self.request.comment_text() && self.is_form_sent_twice(last.said_at)))
    }

    fn is_mail(&self) -> bool {
        matches!(self.request.from, Origin::Mail { .. })
    }

    /// Returns the last entries that the writer of a message may have seen: the entry of the letter to which they
    /// reply, or the one before their own last action. The list is empty if the request cannot be a repetition.
    fn last_seen(&self, at: &PlayerAtBoard, action: &BoardAction) -> Vec<EntryNumber> {
        let Origin::Mail { token, .. } = &self.request.from else { return Vec::new() };
        let Board { number, entries, proposal, .. } = *at.board();
        let by_letter = match (self.request.line.command.password(), token) {
            (Some(Password::FromContext), Some(TokenGrant::Board(BoardGrant { board, entry, .. }))) => {
                Some(*entry).filter(|_| *board == number)
            }
            _ => None,
        };
        // Neither a proposal nor the acceptance of an open challenge is an entry.
        let without_entry = match action {
            BoardAction::Propose | BoardAction::Undo => proposal.map(|_| entries),
            BoardAction::Accept(_) if proposal.is_none() && !at.open.has_moved(&at.seats) => Some(EntryNumber::START),
            _ => None,
        };
        let before_last = match (by_letter, at.turn()) {
            (Some(entry), _) => Some(entry).filter(|entry| *entry < entries),
            (None, None) => entries.0.checked_sub(1).map(EntryNumber),
            (None, Some(_)) => None,
        };
        without_entry.into_iter().chain(before_last).collect()
    }

    /// Returns the text of the request, or an empty text if its player has already sent it. Text that follows the sent
    /// text is ignored, because a copy may have an additional footer.
    pub(crate) fn unsent_text(&self, board: BoardNumber, player: &Player) -> RequestResult<String> {
        let text = self.request.comment_text();
        let sent = self.tx.comments(board)?;
        let is_sent = sent.iter().any(|comment| comment.player == player.id && text.starts_with(&comment.text));
        Ok(if is_sent { String::new() } else { text })
    }
}
