//! The last turn letters for each board, and boards whose letters a player has muted.

use super::sql::{all, one, params, run};
use super::{PlayerId, Result, Transaction};
use crate::numbers::{BoardNumber, EntryNumber};

pub(crate) const TURN_LETTER: &str = "SELECT entry FROM turn_letters WHERE player = ?1 AND board = ?2";
pub(crate) const FORGET_TURN: &str = "DELETE FROM turn_letters WHERE player = ?1 AND board = ?2";
pub(crate) const IS_MUTED: &str = "SELECT count(*) FROM muted_boards WHERE player = ?1 AND board = ?2";
pub(crate) const MUTED: &str = "SELECT board FROM muted_boards WHERE player = ?1 ORDER BY board";

/// The letters that players have received or muted for single boards.
impl Transaction<'_> {
    /// Returns the length of a board's record in the last letter that announced the player's turn; `None` if the player
    /// has acted on the board since then.
    pub fn turn_letter(&self, player: PlayerId, board: BoardNumber) -> Result<Option<EntryNumber>> {
        one(self.db(), TURN_LETTER, params![player.0, board], |row| row.get(0))
    }

    /// Stores the value for [`Transaction::turn_letter`].
    pub fn set_turn_letter(&mut self, player: PlayerId, board: BoardNumber, entry: EntryNumber) -> Result<()> {
        let sql = "INSERT INTO turn_letters (player, board, entry) VALUES (?1, ?2, ?3) \
             ON CONFLICT (player, board) DO UPDATE SET entry = excluded.entry";
        run(self.writable_queue()?, sql, params![player.0, board, entry])?;
        Ok(())
    }

    /// Clears the value for [`Transaction::turn_letter`], after the player has acted on the board.
    pub fn forget_turn_letter(&mut self, player: PlayerId, board: BoardNumber) -> Result<()> {
        run(self.writable_queue()?, FORGET_TURN, params![player.0, board])?;
        Ok(())
    }

    /// Returns whether a player has muted a board.
    pub fn is_muted(&self, player: PlayerId, board: BoardNumber) -> Result<bool> {
        Ok(self.read_once(IS_MUTED, params![player.0, board], |row| row.get::<u32>(0))?.pop().unwrap_or(0) > 0)
    }

    /// Mutes or unmutes letters about a board.
    pub fn set_muted(&mut self, player: PlayerId, board: BoardNumber, muted: bool) -> Result<()> {
        let sql = match muted {
            true => "INSERT INTO muted_boards (player, board) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            false => "DELETE FROM muted_boards WHERE player = ?1 AND board = ?2",
        };
        run(self.writable()?, sql, params![player.0, board])?;
        Ok(())
    }

    /// Lists the boards that a player has muted, by number.
    pub fn muted_boards(&self, player: PlayerId) -> Result<Vec<BoardNumber>> {
        all(self.db(), MUTED, params![player.0], |row| row.get(0))
    }
}
