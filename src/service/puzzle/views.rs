//! A puzzle as a reader sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numbers::{BoardNumber, PuzzleNumber};
use crate::service::board::views::BoardView;
use crate::text::Message;

/// A position of a finished board in which exactly one move wins immediately.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleView {
    /// The name of the game: `marque`.
    pub game: String,
    /// Title of the game.
    pub title: String,
    /// The puzzle's number in this game.
    pub number: PuzzleNumber,
    /// The highest number of a puzzle of this game.
    pub count: PuzzleNumber,
    /// Whether this is the game's puzzle of the day.
    pub daily: bool,
    /// The side that is to move and win: `White`.
    pub side: Message,
    /// The position, with seats named by their marks. After a right move or the solution, it is the position after that
    /// move.
    pub position: BoardView,
}

/// A puzzle with the verdict on a move.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleAnswer {
    /// The puzzle.
    pub puzzle: PuzzleView,
    /// The verdict on a move; `null` if the puzzle was only shown.
    pub verdict: Option<PuzzleVerdict>,
}

/// The verdict on a move in a puzzle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleVerdict {
    /// Whether the move is the solution.
    pub right: bool,
    /// Whether the player requested the solution instead of finding it.
    pub told: bool,
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The board of the position; `null` until the solution is known.
    pub board: Option<BoardNumber>,
}

/// The puzzles of a game.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleList {
    /// The name of the game: `marque`.
    pub game: String,
    /// Title of the game.
    pub title: String,
    /// The highest number of a puzzle. The numbers start at 1.
    pub count: PuzzleNumber,
    /// The puzzle of the day; `null` if there are no puzzles.
    pub daily: Option<PuzzleNumber>,
}
