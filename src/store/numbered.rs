//! Boards and open challenges, which share one sequence of numbers.

use super::{Board, OpenChallenge, Result, Transaction};
use crate::numbers::BoardNumber;

/// A board or open challenge with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The number.
    pub number: BoardNumber,
    /// The open challenge with this number, even if it is closed.
    pub challenge: Option<OpenChallenge>,
    /// The board with this number, even if it was declined.
    pub board: Option<Board>,
}

/// Iterates over all boards and open challenges in order, including declined and closed ones. Only one board is in
/// memory at a time.
///
/// # Errors
/// Errors of the store, also for each item.
pub fn numbered(tx: &Transaction<'_>) -> Result<impl Iterator<Item = Result<Numbered>>> {
    let look = move |number| Ok(Numbered { number, challenge: tx.open_challenge(number)?, board: tx.board(number)? });
    Ok(tx.numbers()?.into_iter().map(look))
}
