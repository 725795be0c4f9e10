//! The sequence of changes, by which readers learn what to look at again.

use super::{PlayerId, Result};
use crate::numbers::BoardNumber;

/// The latest change of a board or open challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardChange {
    /// Position in the sequence of all changes.
    pub seq: i64,
    /// The number of the board or open challenge.
    pub board: BoardNumber,
}

/// The sequence of changes. Whatever a board's page shows, or an open challenge's, draws a number when it changes; only
/// the last one of each board is kept.
///
/// Needs: numbers become visible in their order. A reader who has seen number n never finds a smaller one later that
/// they have not seen. (A store in which several write at a time draws the numbers when it commits.)
pub trait Changes {
    /// The number of the last change of all; 0: there was none.
    fn last_change(&self) -> Result<i64>;
    /// Lists the changes after this one, in order, at most `most`.
    fn changes_since(&self, seq: i64, most: u32) -> Result<Vec<BoardChange>>;
    /// Lists the changes after this one of the boards that a player plays or has played, in order.
    fn changes_for(&self, player: PlayerId, seq: i64) -> Result<Vec<BoardChange>>;
    /// The number of a board's last change; 0: it has not changed since changes are counted.
    fn change_of(&self, number: BoardNumber) -> Result<i64>;
}
