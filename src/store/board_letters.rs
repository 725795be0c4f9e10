//! What players were told of their turns, and which boards they want no letters about.

use super::{PlayerId, Result};
use crate::numbers::{BoardNumber, EntryNumber};

/// The letters that a player has had, or does not want, about single boards.
pub trait BoardLetters {
    /// The length of a board's record in the last letter that told a player of their turn there, if they have done
    /// nothing there since.
    fn turn_letter(&self, player: PlayerId, board: BoardNumber) -> Result<Option<EntryNumber>>;
    /// Sets what [`BoardLetters::turn_letter`] returns.
    fn set_turn_letter(&mut self, player: PlayerId, board: BoardNumber, entry: EntryNumber) -> Result<()>;
    /// Forgets that a player was told of their turn on a board: they have done something there.
    fn forget_turn_letter(&mut self, player: PlayerId, board: BoardNumber) -> Result<()>;
    /// Whether a player wants no letters about a board.
    fn is_muted(&self, player: PlayerId, board: BoardNumber) -> Result<bool>;
    /// Sets whether a player wants no letters about a board.
    fn set_muted(&mut self, player: PlayerId, board: BoardNumber, muted: bool) -> Result<()>;
    /// Lists the boards that a player wants no letters about, by number.
    fn muted_boards(&self, player: PlayerId) -> Result<Vec<BoardNumber>>;
}
