//! Puzzles: positions from finished boards with one winning move, and subscriptions to the puzzle of the day.

use chrono::NaiveDate;

use super::sql::{Db, Texts, all, cell, from_fields, one, params, run, run_one};
use super::{PlayerId, Result, Transaction};
use crate::numbers::{BoardNumber, Ply, PuzzleNumber};

/// A puzzle: the position of a board after a ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The game, by its name in the catalogue.
    pub game: String,
    /// The number within the game.
    pub number: PuzzleNumber,
    /// The board of the position.
    pub board: BoardNumber,
    /// The number of plies before the position.
    pub ply: Ply,
    /// The SHA-256 of game, options and position in lower-case hexadecimal. Two puzzles never have the same value.
    pub position: String,
    /// The winning move.
    pub solution: String,
    /// The last day on which this was the puzzle of the day.
    pub daily: Option<NaiveDate>,
}

/// A puzzle whose solution a player knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedPuzzle {
    /// The game, by its name in the catalogue.
    pub game: String,
    /// The number within the game.
    pub number: PuzzleNumber,
    /// The day (UTC) on which the player found the solution or looked at it.
    pub day: NaiveDate,
    /// Whether the player found the solution; false if the player gave up and looked at it.
    pub found: bool,
}

const COLUMNS: &str = "SELECT game, number, board, ply, position, solution, daily FROM puzzles";

pub(crate) const TO_SEARCH: &str = "SELECT min(board) FROM puzzle_queue";
pub(crate) const KNOWS: &str = "SELECT 1 FROM puzzles WHERE position = ?1";
pub(crate) const LAST: &str = "SELECT coalesce(max(number), 0) FROM puzzles WHERE game = ?1";
pub(crate) const OF_PLAYER: &str = "SELECT game FROM puzzle_readers WHERE player = ?1 ORDER BY game";
pub(crate) const READERS: &str = "SELECT r.player FROM puzzle_readers r JOIN players p ON p.id = r.player \
     WHERE r.game = ?1 AND p.left_at IS NULL ORDER BY r.player";
pub(crate) const SOLVED: &str =
    "SELECT game, number, day, found FROM solved_puzzles WHERE player = ?1 ORDER BY game, number";

pub(crate) fn by_number_sql() -> String {
    format!("{COLUMNS} WHERE game = ?1 AND number = ?2 AND NOT withdrawn")
}

/// Builds the statement for [`Transaction::games_without_puzzle`].
pub(crate) fn without_sql(db: Db<'_>) -> String {
    let games = db.texts("?1");
    format!(
        "SELECT value FROM ({games}) g WHERE EXISTS (SELECT 1 FROM puzzles WHERE game = value AND NOT withdrawn) \
         AND NOT EXISTS (SELECT 1 FROM puzzles WHERE game = value AND daily BETWEEN ?2 AND ?3)"
    )
}

/// Builds the statement for a game's puzzles after a number.
pub(crate) fn after_sql() -> String {
    format!("{COLUMNS} WHERE game = ?1 AND number > ?2 AND NOT withdrawn ORDER BY number LIMIT ?3")
}

/// Builds the statement for the puzzle that was chosen for a day or, if there is none, for the next later day.
pub(crate) fn of_day_sql() -> String {
    format!("{COLUMNS} WHERE game = ?1 AND daily >= ?2 ORDER BY daily LIMIT 1")
}

/// Builds the statement for the next puzzle to choose.
pub(crate) fn next_sql() -> String {
    format!("{COLUMNS} WHERE game = ?1 AND NOT withdrawn ORDER BY daily NULLS FIRST, number LIMIT 1")
}

from_fields!(Puzzle { game, number, board, ply, position, solution, daily });
from_fields!(SolvedPuzzle { game, number, day, found });

/// Puzzles, boards to search for puzzles, and subscribers to the puzzle of the day.
///
/// When a public board ends, the store queues it for the search.
impl Transaction<'_> {
    /// Returns the next board to search for puzzles; `None` if the queue is empty.
    pub fn board_to_search(&self) -> Result<Option<BoardNumber>> {
        cell(self.db(), TO_SEARCH, &[])
    }

    /// Removes a board from the queue after it was searched.
    pub fn set_searched(&mut self, board: BoardNumber) -> Result<()> {
        run(self.writable()?, "DELETE FROM puzzle_queue WHERE board = ?1", params![board]).map(drop)
    }

    /// Returns whether a position is already a puzzle.
    pub fn knows_position(&self, position: &str) -> Result<bool> {
        Ok(one::<()>(self.db(), KNOWS, params![position])?.is_some())
    }

    /// Adds a puzzle. Fails if its number or its position exists.
    pub fn add_puzzle(&mut self, new: &Puzzle) -> Result<()> {
        let sql = "INSERT INTO puzzles (game, number, board, ply, position, solution, daily) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let Puzzle { game, number, board, ply, position, solution, daily } = new;
        run(self.writable()?, sql, params![game, number, board, ply, position, solution, daily]).map(drop)
    }

    /// Withdraws the puzzles of a board whose game continues, because they would help the players.
    pub(crate) fn withdraw_puzzles(&mut self, board: BoardNumber) -> Result<()> {
        let sql = "UPDATE puzzles SET withdrawn = true, daily = NULL WHERE board = ?1";
        run(self.writable()?, sql, params![board]).map(drop)
    }

    /// Returns the puzzle with this number, unless it was withdrawn.
    pub fn puzzle(&self, game: &str, number: PuzzleNumber) -> Result<Option<Puzzle>> {
        one(self.db(), &by_number_sql(), params![game, number])
    }

    /// Lists at most `most` puzzles of a game after the number `after`.
    pub fn puzzles(&self, game: &str, after: PuzzleNumber, most: u32) -> Result<Vec<Puzzle>> {
        all(self.db(), &after_sql(), params![game, after, most])
    }

    /// Returns the highest puzzle number of a game; 0 if the game has no puzzles.
    pub fn last_puzzle(&self, game: &str) -> Result<PuzzleNumber> {
        cell(self.db(), LAST, params![game])
    }

    /// Returns the puzzle of a game for this day: the chosen one, or the next one to choose. Puzzles are chosen in this
    /// order: puzzles that were chosen for a later day while the clock was ahead; puzzles that were never chosen, by
    /// number; the puzzle that was chosen longest ago.
    pub fn puzzle_of_day(&self, game: &str, day: NaiveDate) -> Result<Option<Puzzle>> {
        let chosen = one(self.db(), &of_day_sql(), params![game, day])?;
        chosen.map_or_else(|| one(self.db(), &next_sql(), params![game]), |chosen| Ok(Some(chosen)))
    }

    /// Lists those of the given games that have puzzles, but no puzzle chosen for this day. A puzzle chosen for the
    /// next day is also valid: the system clock may have been set back over midnight.
    pub fn games_without_puzzle(&self, games: &[&str], day: NaiveDate) -> Result<Vec<String>> {
        let games = Texts(games.iter().map(|game| (*game).to_owned()).collect());
        let next = day.succ_opt().unwrap_or(day);
        all(self.db(), &without_sql(self.db()), params![games, day, next])
    }

    /// Records the choice of a puzzle for this day.
    pub fn set_puzzle_of_day(&mut self, game: &str, number: PuzzleNumber, day: NaiveDate) -> Result<()> {
        let sql = "UPDATE puzzles SET daily = ?3 WHERE game = ?1 AND number = ?2";
        run_one(self.writable()?, sql, params![game, number, day], "there is no such puzzle")
    }

    /// Subscribes a player to the puzzle of the day of a game, or unsubscribes them.
    pub fn set_gets_puzzles(&mut self, player: PlayerId, game: &str, gets: bool) -> Result<()> {
        let sql = match gets {
            true => "INSERT INTO puzzle_readers (player, game) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            false => "DELETE FROM puzzle_readers WHERE player = ?1 AND game = ?2",
        };
        run(self.writable()?, sql, params![player, game]).map(drop)
    }

    /// Lists the games whose puzzle of the day a player gets.
    pub fn gets_puzzles_of(&self, player: PlayerId) -> Result<Vec<String>> {
        all(self.db(), OF_PLAYER, params![player])
    }

    /// Lists the subscribers of a game's puzzle of the day, without former players.
    pub fn puzzle_readers(&self, game: &str) -> Result<Vec<PlayerId>> {
        all(self.db(), READERS, params![game])
    }

    /// Records that a player knows the solution of a puzzle. Changes nothing if this is already recorded.
    pub fn add_solved_puzzle(&mut self, player: PlayerId, solved: &SolvedPuzzle) -> Result<()> {
        let sql = "INSERT INTO solved_puzzles (player, game, number, day, found) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT DO NOTHING";
        let SolvedPuzzle { game, number, day, found } = solved;
        run(self.writable()?, sql, params![player, game, number, day, found]).map(drop)
    }

    /// Lists the puzzles whose solutions a player knows, by game and number.
    pub fn solved_puzzles(&self, player: PlayerId) -> Result<Vec<SolvedPuzzle>> {
        all(self.db(), SOLVED, params![player])
    }
}
