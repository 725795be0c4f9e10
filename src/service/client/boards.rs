//! Boards and games as data for programs.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::rules::{MoveList, Sets};
use crate::service::board::find::shown_to;
use crate::service::board::players::game_rows;
use crate::service::board::replay::ReplayedBoard;
use crate::service::board::view;
use crate::service::board::views::{BoardRow, GameRow};
use crate::service::context::{ReadContext, Service};
use crate::service::rejection::{Rejection, settled_without_password};
use crate::service::request::{Origin, Request};
use crate::store::{self, Board, ProposalKind, Transaction};

/// A comment at a board, with its author and time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Remark")]
pub struct BoardComment {
    /// The entry with or after which it was written; 0 for the challenge.
    pub entry: EntryNumber,
    /// The author.
    pub userid: String,
    /// The text.
    pub text: String,
    /// When it was written.
    pub said_at: DateTime<Utc>,
}

/// The legal moves of a board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Legal")]
pub struct LegalMoves {
    /// The number of current plies. A move played now is the next one.
    pub plies: Ply,
    /// The userid of the player to move; `null` if the game has ended.
    pub to_move: Option<String>,
    /// Every legal move in canonical form, in board order; empty if the game has ended, or if `sets` describes them.
    pub moves: Vec<String>,
    /// The legal moves of a game in which they are too many to list; otherwise `null`.
    pub sets: Option<Sets>,
}

/// Returns the board with this number, if this origin may see it.
pub(crate) fn visible_board(
    tx: &Transaction<'_>,
    from: Origin,
    number: BoardNumber,
    now: DateTime<Utc>,
) -> store::Result<Result<Board, Rejection>> {
    settled_without_password(ReadContext { tx, request: &Request::without_line(from, None, now) }.board(None, number))
}

impl Service<'_> {
    /// Returns the name of a board's game, if this origin may see the board.
    ///
    /// # Errors
    /// If the store fails.
    pub fn game_of_visible_board(
        &self,
        tx: &Transaction<'_>,
        from: Origin,
        number: BoardNumber,
        now: DateTime<Utc>,
    ) -> store::Result<Result<String, Rejection>> {
        Ok(visible_board(tx, from, number, now)?.map(|board| board.game))
    }

    /// Returns the legal moves of a board, if this origin may see the board.
    ///
    /// # Errors
    /// If the store fails.
    pub fn legal_moves(
        &self,
        tx: &Transaction<'_>,
        from: Origin,
        number: BoardNumber,
        now: DateTime<Utc>,
    ) -> store::Result<Result<LegalMoves, Rejection>> {
        let board = match visible_board(tx, from, number, now)? {
            Ok(board) => board,
            Err(rejection) => return Ok(Err(rejection)),
        };
        let list = match board.to_move {
            Some(_) => ReplayedBoard::after(&board, &tx.entries(board.number)?)?.position().move_list(),
            None => MoveList::Texts(Vec::new()),
        };
        let (moves, sets) = match list {
            MoveList::Texts(moves) => (moves, None),
            MoveList::Sets(sets) => (Vec::new(), Some(sets)),
        };
        let to_move = board.to_move.map(|seat| board.players[seat.index()].userid.clone());
        Ok(Ok(LegalMoves { plies: board.plies, to_move, moves, sets }))
    }

    /// Returns the kind of a board's open proposal, if any.
    ///
    /// # Errors
    /// If the store fails.
    pub fn open_proposal(&self, tx: &Transaction<'_>, number: BoardNumber) -> store::Result<Option<ProposalKind>> {
        Ok(tx.board(number)?.and_then(|board| board.proposal).map(|proposal| proposal.kind))
    }

    /// Returns the comments of a board up to an entry of its record, if this origin may read them.
    ///
    /// # Errors
    /// If the store fails.
    pub fn board_comments(
        &self,
        tx: &Transaction<'_>,
        from: &Origin,
        number: BoardNumber,
        entry: EntryNumber,
    ) -> store::Result<Vec<BoardComment>> {
        let mut comments = Vec::new();
        let reader = shown_to(tx, from)?;
        let Some(board) = tx.board(number)? else { return Ok(comments) };
        let hidden = view::hidden_writers(tx, &board, reader)?;
        for comment in tx.comments(number)?.into_iter().filter(|comment| comment.entry <= entry) {
            let author = tx.player_by_id(comment.player)?;
            let userid = author.map(|player| player.userid).unwrap_or_default();
            if hidden.contains(&userid) {
                continue;
            }
            comments.push(BoardComment { entry: comment.entry, userid, text: comment.text, said_at: comment.said_at });
        }
        Ok(comments)
    }

    /// Returns a game's public boards with higher numbers than this, by number. Also returns the number after which
    /// to continue, if there may be more than the `most` boards that were read.
    ///
    /// # Errors
    /// If the store fails.
    pub fn boards_of_game(
        &self,
        tx: &Transaction<'_>,
        game: &str,
        after: BoardNumber,
        most: u32,
    ) -> store::Result<(Vec<BoardRow>, Option<BoardNumber>)> {
        let boards = tx.boards_after(Some(game), None, after, most)?;
        let next = boards.last().filter(|_| boards.len() == most as usize).map(|board| board.number);
        let rows = boards.iter().filter(|board| !board.terms.flags.private).map(|board| view::row(tx, board));
        Ok((rows.collect::<store::Result<_>>()?, next))
    }

    /// Returns the games of this server.
    ///
    /// # Errors
    /// If the store fails.
    pub fn games(&self, tx: &Transaction<'_>) -> store::Result<Vec<GameRow>> {
        game_rows(tx, &[], self.policy)
    }
}
