//! Repeated requests at a board: copies of a message under another Message-ID, or replies that are sent twice.

use crate::command::{BoardAction, Password};
use crate::numbers::EntryNumber;
use crate::service::board::open::OpenBoard;
use crate::service::board::player_at_board::PlayerAtBoard;
use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::request::{BoardGrant, Origin, TokenGrant};
use crate::service::response::Response;
use crate::store::{self, EntryKind, PlayerId, ProposalKind};

/// Returns whether the entry after this one already records the player's action. A move must not have been undone.
pub(in crate::service) fn is_done(
    open: &OpenBoard,
    player: PlayerId,
    action: &BoardAction,
    after: EntryNumber,
) -> store::Result<bool> {
    let Some(next) = open.entry_after(after) else { return Ok(false) };
    if next.seat.is_none_or(|seat| open.board.players[seat.index()].id != player) {
        return Ok(false);
    }
    match (action, next.kind) {
        (BoardAction::Move { text, ply }, EntryKind::Move) => {
            Ok(ply.is_none_or(|ply| ply == next.ply) && open.is_made_again(after, text)?)
        }
        (BoardAction::Resign, EntryKind::Resign) | (BoardAction::Accept(_), EntryKind::Draw | EntryKind::Undo) => {
            Ok(true)
        }
        _ => Ok(false),
    }
}

impl Context<'_> {
    /// Responds to a message that repeats the player's action, and does not carry it out again. The action followed the
    /// answered letter or, without a letter, was the player's last one.
    pub(in crate::service) fn repeated(
        &self,
        at: &PlayerAtBoard,
        action: &BoardAction,
    ) -> RequestResult<Option<Response>> {
        let Some(after) = self.last_seen(at) else { return Ok(None) };
        if !is_done(&at.open, at.player.id, action, after)? {
            return Ok(None);
        }
        let board = at.open.view(&*self.tx)?;
        Ok(Some(match action {
            BoardAction::Resign => Response::Resigned { board },
            BoardAction::Accept(_) if at.open.is_over() => Response::Accepted { board, proposal: ProposalKind::Draw },
            BoardAction::Accept(_) => Response::Accepted { board, proposal: ProposalKind::Undo },
            _ => Response::Moved { board, again: Some(self.unsent_text(at)?) },
        }))
    }

    /// Returns the last entry that the writer of a message had seen: the entry of the answered letter, if another entry
    /// has followed it, or the one before the writer's own last action. Returns `None` if the request cannot be a
    /// repetition.
    fn last_seen(&self, at: &PlayerAtBoard) -> Option<EntryNumber> {
        let Origin::Mail { token, .. } = &self.request.from else { return None };
        let entries = at.board().entries;
        if let (Some(Password::FromContext), Some(TokenGrant::Board(BoardGrant { board, entry, .. }))) =
            (self.request.line.command.password(), token)
        {
            return Some(*entry).filter(|entry| *board == at.board().number && *entry < entries);
        }
        match at.turn() {
            None => entries.0.checked_sub(1).map(EntryNumber),
            Some(_) => None,
        }
    }

    /// The text of the request, unless its player has sent it before: a footer may have been added to a copy.
    fn unsent_text(&self, at: &PlayerAtBoard) -> RequestResult<String> {
        let text = self.request.comment_text();
        let sent = self.tx.comments(at.board().number)?;
        let is_sent = sent.iter().any(|comment| comment.player == at.player.id && text.starts_with(&comment.text));
        Ok(if is_sent { String::new() } else { text })
    }
}
