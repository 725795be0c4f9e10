//! The numbered changes of boards, for clients that wait for a board's next change.

use chrono::{DateTime, Utc};

use crate::numbers::{BoardNumber, Ply};
use crate::service::client::visible_board;
use crate::service::context::Service;
use crate::service::request::Origin;
use crate::store::{self, BoardChange, PlayerId, Transaction};

/// The number of changes read at a time.
const BATCH: u32 = 500;

/// A change of a board, with the state of the board when the change was read.
#[derive(Clone, Debug)]
pub struct BoardUpdate {
    /// The number of the change.
    pub change: i64,
    /// The number of the board or open challenge.
    pub number: BoardNumber,
    /// The board; `None` for an open challenge.
    pub board: Option<BoardState>,
}

/// A board's state in a [`BoardUpdate`].
#[derive(Clone, Debug)]
pub struct BoardState {
    /// The name of the game: `marque`.
    pub game: String,
    /// The userids of the first and the second seat.
    pub players: [String; 2],
    /// The number of current plies.
    pub plies: Ply,
    /// The userid of the player to move; `None` if the board has ended.
    pub to_move: Option<String>,
}

/// The numbers of the newest changes when a client starts to wait for changes of a board.
#[derive(Clone, Copy, Debug)]
pub struct BoardWatch {
    /// The number of the last change of any board.
    pub last_change: i64,
    /// The number of the last change of this board.
    pub board_change: i64,
}

impl Service<'_> {
    /// Returns the number of the last change of any board or open challenge.
    ///
    /// # Errors
    /// If the store fails.
    pub fn last_change(&self, tx: &Transaction<'_>) -> store::Result<i64> {
        tx.last_change()
    }

    /// Returns the number of a board's last change, or 0 if none is recorded.
    ///
    /// # Errors
    /// If the store fails.
    pub fn change_of_board(&self, tx: &Transaction<'_>, number: BoardNumber) -> store::Result<i64> {
        tx.change_of(number)
    }

    /// Returns all changes after this one, in order.
    ///
    /// # Errors
    /// If the store fails.
    pub fn changes_after(&self, tx: &Transaction<'_>, after: i64) -> store::Result<Vec<BoardUpdate>> {
        let (mut updates, mut last) = (Vec::new(), after);
        loop {
            let batch = tx.changes_since(last, BATCH)?;
            let Some(newest) = batch.last() else { return Ok(updates) };
            last = newest.seq;
            updates.extend(with_boards(tx, batch)?);
        }
    }

    /// Returns the number of the last change of any board, and the changes of one player's boards after `after`.
    ///
    /// # Errors
    /// If the store fails.
    pub fn changes_for_player(
        &self,
        tx: &Transaction<'_>,
        player: PlayerId,
        after: i64,
    ) -> store::Result<(i64, Vec<BoardUpdate>)> {
        Ok((tx.last_change()?, with_boards(tx, tx.changes_for(player, after)?)?))
    }

    /// Returns the numbers of the newest changes, for a client that starts to wait for changes of a board or open
    /// challenge. Returns `None` if the requester may not see the board or challenge.
    ///
    /// # Errors
    /// If the store fails.
    pub fn watch_board(
        &self,
        tx: &Transaction<'_>,
        from: Origin,
        number: BoardNumber,
        now: DateTime<Utc>,
    ) -> store::Result<Option<BoardWatch>> {
        if !self.shows_open_challenge(tx, &from, number)? && visible_board(tx, from, number, now)?.is_err() {
            return Ok(None);
        }
        Ok(Some(BoardWatch { last_change: tx.last_change()?, board_change: tx.change_of(number)? }))
    }
}

fn with_boards(tx: &Transaction<'_>, changes: Vec<BoardChange>) -> store::Result<Vec<BoardUpdate>> {
    let updates = changes.into_iter().map(|BoardChange { seq: change, board: number }| {
        let board = tx.board(number)?.map(|board| BoardState {
            to_move: board.to_move.map(|seat| board.players[seat.index()].userid.clone()),
            game: board.game,
            players: board.players.map(|player| player.userid),
            plies: board.plies,
        });
        Ok(BoardUpdate { change, number, board })
    });
    updates.collect()
}
