//! Followers of boards and games, the last letter about each player's turn, and muted boards.

use super::sql::{Cells, FromCells, all, from_fields, one, params, run, unexpected};
use super::{PlayerId, Result, Transaction};
use crate::numbers::{BoardNumber, EntryNumber};

/// A board or game that a player can follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// A board.
    Board(BoardNumber),
    /// Every board of a game, by the game's name in the catalogue.
    Game(String),
}

/// A player who follows a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follower {
    /// The player.
    pub player: PlayerId,
    /// Whether the player is notified only of the end of the board; otherwise, also of every move.
    pub ends_only: bool,
}

/// A player's subscription to a board or game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Following {
    /// The board or game.
    pub what: Followed,
    /// Whether the player is notified only of the ends of boards; otherwise, also of every move.
    pub ends_only: bool,
}

/// Returns each player once, even if they follow both the board and its game. The player is notified of every move if
/// either subscription includes moves.
pub(crate) const OF_BOARD: &str = "SELECT f.player, min(CASE WHEN f.ends_only THEN 1 ELSE 0 END) \
     FROM followers f JOIN players p ON p.id = f.player \
     WHERE (f.board = ?1 OR f.game = (SELECT game FROM boards WHERE number = ?1)) AND p.left_at IS NULL \
     GROUP BY f.player ORDER BY f.player";
/// Returns boards by number, followed by games by name.
pub(crate) const OF_PLAYER: &str = "SELECT board, game, ends_only FROM followers WHERE player = ?1 \
     ORDER BY game NULLS FIRST, board";

from_fields!(Follower { player, ends_only });
from_fields!(Following { what, ends_only });

impl FromCells for Followed {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        let (board, game): (Option<_>, Option<_>) = cells.take()?;
        // In each row, exactly one of the two columns is not NULL.
        board.map(Followed::Board).or(game.map(Followed::Game)).ok_or_else(|| unexpected("a board or a game"))
    }
}

/// Followers of boards and games.
impl Transaction<'_> {
    /// Subscribes a player to a board or game: to every move, or only to the ends of boards. `None` ends the
    /// subscription.
    pub fn follow(&mut self, player: PlayerId, what: &Followed, ends_only: Option<bool>) -> Result<()> {
        let db = self.writable()?;
        let (board, game) = match what {
            Followed::Board(number) => (Some(number), None),
            Followed::Game(name) => (None, Some(name)),
        };
        run(
            db,
            "DELETE FROM followers WHERE player = ?1 AND board IS NOT DISTINCT FROM ?2 AND game IS NOT DISTINCT FROM ?3",
            params![player, board, game],
        )?;
        if let Some(ends_only) = ends_only {
            let sql = "INSERT INTO followers (player, board, game, ends_only) VALUES (?1, ?2, ?3, ?4)";
            run(db, sql, params![player, board, game, ends_only])?;
        }
        Ok(())
    }

    /// Lists the followers of a board or its game, without former players. A player who follows both is listed once,
    /// and is notified of every move if either subscription includes moves.
    pub fn followers(&self, number: BoardNumber) -> Result<Vec<Follower>> {
        self.read_once(OF_BOARD, params![number])
    }

    /// Lists the boards and games that a player follows.
    pub fn following(&self, player: PlayerId) -> Result<Vec<Following>> {
        all(self.db(), OF_PLAYER, params![player])
    }
}

pub(crate) const TURN_LETTER: &str = "SELECT entry FROM turn_letters WHERE player = ?1 AND board = ?2";
pub(crate) const FORGET_TURN: &str = "DELETE FROM turn_letters WHERE player = ?1 AND board = ?2";
pub(crate) const IS_MUTED: &str = "SELECT count(*) FROM muted_boards WHERE player = ?1 AND board = ?2";
pub(crate) const MUTED: &str = "SELECT board FROM muted_boards WHERE player = ?1 ORDER BY board";

/// The last letter about a player's turn on each board, and muted boards.
impl Transaction<'_> {
    /// Returns the length that a board's record had when the last letter announced the player's turn; `None` if the
    /// player has acted on the board since then. It is stored only for players with the rhythm `once`.
    pub fn turn_letter(&self, player: PlayerId, board: BoardNumber) -> Result<Option<EntryNumber>> {
        one(self.db(), TURN_LETTER, params![player, board])
    }

    /// Stores the value that [`Transaction::turn_letter`] returns.
    pub fn set_turn_letter(&mut self, player: PlayerId, board: BoardNumber, entry: EntryNumber) -> Result<()> {
        let sql = "INSERT INTO turn_letters (player, board, entry) VALUES (?1, ?2, ?3) \
             ON CONFLICT (player, board) DO UPDATE SET entry = excluded.entry";
        run(self.writable_queue()?, sql, params![player, board, entry]).map(drop)
    }

    /// Clears the value that [`Transaction::turn_letter`] returns, after the player has acted on the board.
    pub fn forget_turn_letter(&mut self, player: PlayerId, board: BoardNumber) -> Result<()> {
        run(self.writable_queue()?, FORGET_TURN, params![player, board]).map(drop)
    }

    /// Returns whether a player has muted a board.
    pub fn is_muted(&self, player: PlayerId, board: BoardNumber) -> Result<bool> {
        Ok(self.read_once::<u32>(IS_MUTED, params![player, board])?.pop().unwrap_or(0) > 0)
    }

    /// Turns letters about a board off or on.
    pub fn set_muted(&mut self, player: PlayerId, board: BoardNumber, muted: bool) -> Result<()> {
        let sql = match muted {
            true => "INSERT INTO muted_boards (player, board) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            false => "DELETE FROM muted_boards WHERE player = ?1 AND board = ?2",
        };
        run(self.writable()?, sql, params![player, board]).map(drop)
    }

    /// Lists the boards that a player has muted, by number.
    pub fn muted_boards(&self, player: PlayerId) -> Result<Vec<BoardNumber>> {
        all(self.db(), MUTED, params![player])
    }
}
