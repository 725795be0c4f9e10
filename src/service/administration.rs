//! What the administrator looks at, whatever its players may see, and sending a letter again.

use chrono::{DateTime, Utc};

use crate::numbers::BoardNumber;
use crate::store::{
    self, Address, Board, Entry, InboxRow, OpenChallenge, OutboxId, OutboxNotice, Player, PlayerId, Transaction,
};

/// Every player with their addresses, by userid.
///
/// # Errors
/// The store's.
pub fn players(tx: &dyn Transaction) -> store::Result<Vec<(Player, Vec<Address>)>> {
    let with_addresses = |player: Player| {
        let addresses = tx.addresses(player.id)?;
        Ok((player, addresses))
    };
    tx.players()?.into_iter().map(with_addresses).collect()
}

/// The player of this userid, in any case.
///
/// # Errors
/// The store's.
pub fn player(tx: &dyn Transaction, userid: &str) -> store::Result<Option<Player>> {
    tx.player(userid)
}

/// The numbers of a player's boards in progress.
///
/// # Errors
/// The store's.
pub fn boards_of(tx: &dyn Transaction, player: PlayerId) -> store::Result<Vec<BoardNumber>> {
    Ok(tx.boards(None, Some(player), true)?.into_iter().map(|board| board.number).collect())
}

/// Every board and every open challenge, each by number.
///
/// # Errors
/// The store's.
pub fn boards(tx: &dyn Transaction) -> store::Result<(Vec<Board>, Vec<OpenChallenge>)> {
    Ok((tx.boards(None, None, false)?, tx.open_challenges(None)?))
}

/// A board, whether or not its record replays.
///
/// # Errors
/// The store's.
pub fn board(tx: &dyn Transaction, number: BoardNumber) -> store::Result<Option<Board>> {
    tx.board(number)
}

/// The entries of a board's record as they are stored, in order.
///
/// # Errors
/// The store's.
pub fn entries(tx: &dyn Transaction, board: &Board) -> store::Result<Vec<Entry>> {
    tx.entries(board.number)
}

/// The newest mails that came in, newest first, at most `most`.
///
/// # Errors
/// The store's.
pub fn inbox(tx: &dyn Transaction, most: u32) -> store::Result<Vec<InboxRow>> {
    tx.inbox(most)
}

/// The newest notices and the letters that tell them, newest first, at most `most`.
///
/// # Errors
/// The store's.
pub fn outbox(tx: &dyn Transaction, undelivered_only: bool, most: u32) -> store::Result<Vec<OutboxNotice>> {
    tx.outbox(undelivered_only, most)
}

/// Makes the letter that tells a notice due again, whatever became of it; `false` when there is no such notice.
///
/// # Errors
/// The store's.
pub fn resend(tx: &mut dyn Transaction, notice: OutboxId, now: DateTime<Utc>) -> store::Result<bool> {
    tx.resend(notice, now)
}
