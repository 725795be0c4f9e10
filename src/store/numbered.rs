//! Everything that has a number: boards and open challenges share one sequence.

use super::{Board, OpenChallenge, Result, Transaction};
use crate::numbers::BoardNumber;

/// What has a number of the sequence that boards and open challenges share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The number.
    pub number: BoardNumber,
    /// The open challenge of this number, also one that is closed.
    pub challenge: Option<OpenChallenge>,
    /// The board of this number, also one that was declined.
    pub board: Option<Board>,
}

/// Goes through everything that has a number, in order: boards and open challenges, also declined and closed ones. One
/// board is in memory at a time.
///
/// # Errors
/// The store's, also for each item.
pub fn numbered(tx: &Transaction<'_>) -> Result<impl Iterator<Item = Result<Numbered>>> {
    let look = move |number| Ok(Numbered { number, challenge: tx.open_challenge(number)?, board: tx.board(number)? });
    Ok(tx.numbers()?.into_iter().map(look))
}
