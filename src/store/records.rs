//! Where the records of boards are kept.

use super::{Entry, Result, Seat};
use crate::numbers::BoardNumber;

/// The records of boards, which are only ever appended to.
///
/// Needs: of two transactions that append to one board at the same time, the second sees the first one's entry or
/// fails; so no position of a record is taken twice.
pub trait Records {
    /// The record of a board, in order.
    fn entries(&self, number: BoardNumber) -> Result<Vec<Entry>>;
    /// Appends an entry, after [`RecordState::check_append`](super::RecordState::check_append), and sets whose turn it is
    /// then (`None`: the game is over). What ends a board is appended before
    /// [`Boards::end_board`](super::Boards::end_board).
    fn add_entry(&mut self, number: BoardNumber, entry: &Entry, to_move: Option<Seat>) -> Result<()>;
}
