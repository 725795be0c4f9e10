//! What players were told of their turns, and which boards they want no letters about.

use super::{Session, all, one, params, run};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::store::{BoardLetters, PlayerId, Result};

pub(super) const TURN_LETTER: &str = "SELECT entry FROM turn_letters WHERE player = ?1 AND board = ?2";
pub(super) const FORGET_TURN: &str = "DELETE FROM turn_letters WHERE player = ?1 AND board = ?2";
pub(super) const IS_MUTED: &str = "SELECT count(*) FROM muted_boards WHERE player = ?1 AND board = ?2";
pub(super) const MUTED: &str = "SELECT board FROM muted_boards WHERE player = ?1 ORDER BY board";

impl<S: Session> BoardLetters for S {
    fn turn_letter(&self, player: PlayerId, board: BoardNumber) -> Result<Option<EntryNumber>> {
        one(self.db(), TURN_LETTER, params![player.0, board], |row| row.get(0))
    }

    fn set_turn_letter(&mut self, player: PlayerId, board: BoardNumber, entry: EntryNumber) -> Result<()> {
        let sql = "INSERT INTO turn_letters (player, board, entry) VALUES (?1, ?2, ?3) \
             ON CONFLICT (player, board) DO UPDATE SET entry = excluded.entry";
        run(self.writable_shared()?, sql, params![player.0, board, entry])?;
        Ok(())
    }

    fn forget_turn_letter(&mut self, player: PlayerId, board: BoardNumber) -> Result<()> {
        run(self.writable_shared()?, FORGET_TURN, params![player.0, board])?;
        Ok(())
    }

    fn is_muted(&self, player: PlayerId, board: BoardNumber) -> Result<bool> {
        Ok(self.read_once(IS_MUTED, params![player.0, board], |row| row.get::<u32>(0))?.pop().unwrap_or(0) > 0)
    }

    fn set_muted(&mut self, player: PlayerId, board: BoardNumber, muted: bool) -> Result<()> {
        let sql = match muted {
            true => "INSERT INTO muted_boards (player, board) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            false => "DELETE FROM muted_boards WHERE player = ?1 AND board = ?2",
        };
        run(self.writable()?, sql, params![player.0, board])?;
        Ok(())
    }

    fn muted_boards(&self, player: PlayerId) -> Result<Vec<BoardNumber>> {
        all(self.db(), MUTED, params![player.0], |row| row.get(0))
    }
}
