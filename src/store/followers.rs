//! Followers of boards and games.

use super::sql::{Cells, all, params, run, unexpected};
use super::{PlayerId, Result, Transaction};
use crate::numbers::BoardNumber;

/// Something that can be followed.
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
    /// Whether to report only the end, and not every move.
    pub ends_only: bool,
}

/// A player's subscription to a board or game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Following {
    /// The board or game.
    pub what: Followed,
    /// Whether to report only ends, and not every move.
    pub ends_only: bool,
}

/// Lists a player who follows both the board and its game once, with every move if either subscription includes them.
pub(crate) const OF_BOARD: &str = "SELECT f.player, min(CASE WHEN f.ends_only THEN 1 ELSE 0 END) \
     FROM followers f JOIN players p ON p.id = f.player \
     WHERE (f.board = ?1 OR f.game = (SELECT game FROM boards WHERE number = ?1)) AND p.left_at IS NULL \
     GROUP BY f.player ORDER BY f.player";
/// Boards by number, then games by name.
pub(crate) const OF_PLAYER: &str = "SELECT board, game, ends_only FROM followers WHERE player = ?1 \
     ORDER BY game NULLS FIRST, board";

/// Followers of boards and games.
impl Transaction<'_> {
    /// Follows a board or game, only for its ends or for every move; `None` unfollows it.
    pub fn follow(&mut self, player: PlayerId, what: &Followed, ends_only: Option<bool>) -> Result<()> {
        let db = self.writable()?;
        let (board, game) = match what {
            Followed::Board(number) => (Some(number), None),
            Followed::Game(name) => (None, Some(name)),
        };
        run(
            db,
            "DELETE FROM followers WHERE player = ?1 AND board IS NOT DISTINCT FROM ?2 AND game IS NOT DISTINCT FROM ?3",
            params![player.0, board, game],
        )?;
        if let Some(ends_only) = ends_only {
            let sql = "INSERT INTO followers (player, board, game, ends_only) VALUES (?1, ?2, ?3, ?4)";
            run(db, sql, params![player.0, board, game, ends_only])?;
        }
        Ok(())
    }

    /// Lists the followers of a board or its game, without former players. A player who follows both is listed once,
    /// with every move if either subscription includes them.
    pub fn followers(&self, number: BoardNumber) -> Result<Vec<Follower>> {
        self.read_once(OF_BOARD, params![number], |row| {
            Ok(Follower { player: PlayerId(row.get(0)?), ends_only: row.get(1)? })
        })
    }

    /// Lists what a player follows.
    pub fn following(&self, player: PlayerId) -> Result<Vec<Following>> {
        all(self.db(), OF_PLAYER, params![player.0], |row| {
            let mut cells = Cells::of(row);
            let (board, game) = (cells.take::<Option<BoardNumber>>()?, cells.take::<Option<String>>()?);
            let followed = board.map(Followed::Board).or(game.map(Followed::Game));
            // Each row has exactly one of the two columns.
            let what = followed.ok_or_else(|| unexpected("a board or a game"))?;
            Ok(Following { what, ends_only: cells.take()? })
        })
    }
}
