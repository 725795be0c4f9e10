//! Puzzles: positions of finished boards in which one move wins, and who gets the puzzle of the day.

use chrono::NaiveDate;

use super::{PlayerId, Result};
use crate::numbers::{BoardNumber, Ply, PuzzleNumber};

/// A puzzle. Its position is that of a board after so many of the plies that stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The game, by the catalogue's name.
    pub game: String,
    /// Its number in this game.
    pub number: PuzzleNumber,
    /// The board on which the position stood.
    pub board: BoardNumber,
    /// How many plies led to it.
    pub ply: Ply,
    /// The SHA-256 of game, options and position, in lower-case hexadecimal digits: a position is a puzzle once.
    pub position: String,
    /// The move that wins.
    pub solution: String,
    /// The last day on which it was the puzzle of the day.
    pub daily: Option<NaiveDate>,
}

/// A puzzle whose solution a player knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedPuzzle {
    /// The game, by the catalogue's name.
    pub game: String,
    /// Its number in this game.
    pub number: PuzzleNumber,
    /// The day, in UTC.
    pub day: NaiveDate,
    /// Whether the player found the solution before it was shown.
    pub found: bool,
}

/// Puzzles, the boards that are still to be searched for them, and those who get the puzzle of the day.
///
/// A board that ends is to be searched, unless it is private: the store notes that by itself.
pub trait Puzzles {
    /// The board that is to be searched next; `None`: all were.
    fn board_to_search(&self) -> Result<Option<BoardNumber>>;
    /// Notes that a board was searched.
    fn set_searched(&mut self, board: BoardNumber) -> Result<()>;
    /// Whether a position is a puzzle already.
    fn knows_position(&self, position: &str) -> Result<bool>;
    /// Adds a puzzle. Fails when its number or its position is taken.
    fn add_puzzle(&mut self, puzzle: &Puzzle) -> Result<()>;
    /// The puzzle of this number.
    fn puzzle(&self, game: &str, number: PuzzleNumber) -> Result<Option<Puzzle>>;
    /// Lists puzzles of a game by number, from the first one after `after` on, so many at most.
    fn puzzles(&self, game: &str, after: PuzzleNumber, most: u32) -> Result<Vec<Puzzle>>;
    /// The highest number of a puzzle of a game, which is also how many there are.
    fn last_puzzle(&self, game: &str) -> Result<PuzzleNumber>;
    /// The puzzle of a game for this day: the one that was chosen for it, or else the one whose turn it is. One that was
    /// chosen for a later day, by a clock that was ahead, comes first; then those that were never chosen, by number; then the
    /// one that was chosen longest ago.
    fn puzzle_of_day(&self, game: &str, day: NaiveDate) -> Result<Option<Puzzle>>;
    /// Those of these games that have puzzles, of which none was chosen for this day, or for the next one before the system's
    /// clock went back over midnight.
    fn games_without_puzzle(&self, games: &[&str], day: NaiveDate) -> Result<Vec<String>>;
    /// Notes that a puzzle is chosen for this day.
    fn set_puzzle_of_day(&mut self, game: &str, number: PuzzleNumber, day: NaiveDate) -> Result<()>;
    /// Gives a player the puzzle of the day of a game, or no longer.
    fn set_gets_puzzles(&mut self, player: PlayerId, game: &str, gets: bool) -> Result<()>;
    /// Lists the games of which a player gets the puzzle of the day.
    fn gets_puzzles_of(&self, player: PlayerId) -> Result<Vec<String>>;
    /// Lists who gets the puzzle of the day of a game, without players who have left.
    fn puzzle_readers(&self, game: &str) -> Result<Vec<PlayerId>>;
    /// Records that a player knows the solution of a puzzle. The first record of each puzzle stays.
    fn add_solved_puzzle(&mut self, player: PlayerId, solved: &SolvedPuzzle) -> Result<()>;
    /// Lists the puzzles whose solution a player knows, by game and number.
    fn solved_puzzles(&self, player: PlayerId) -> Result<Vec<SolvedPuzzle>>;
}
