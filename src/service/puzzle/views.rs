//! A puzzle as a reader sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numbers::{BoardNumber, PuzzleNumber};
use crate::service::board::views::BoardView;
use crate::text::Message;

/// A position of a finished board in which exactly one move wins at once.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleView {
    /// The game, by its name: `marque`.
    pub game: String,
    /// Title of the game.
    pub title: String,
    /// Its number in this game.
    pub number: PuzzleNumber,
    /// How many puzzles of this game there are.
    pub count: PuzzleNumber,
    /// Whether it is the game's puzzle of the day.
    pub daily: bool,
    /// The side that is to move and win: `White`.
    pub side: Message,
    /// The position, with the seats named by their sides; with a right move or the solution, the position after it.
    pub position: BoardView,
}

/// A puzzle, and what is said of a move that was tried.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleAnswer {
    /// The puzzle.
    pub puzzle: PuzzleView,
    /// What is said of a move; `null`: the puzzle was only shown.
    pub verdict: Option<PuzzleVerdict>,
}

/// What is said of a move in a puzzle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleVerdict {
    /// Whether it is the solution.
    pub right: bool,
    /// Whether it was asked for, and not found.
    pub told: bool,
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The board on which the position stood; `null` before the solution is known.
    pub board: Option<BoardNumber>,
}

/// The puzzles of a game.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleList {
    /// The game, by its name: `marque`.
    pub game: String,
    /// Title of the game.
    pub title: String,
    /// How many puzzles there are: they are numbered from 1.
    pub count: PuzzleNumber,
    /// The puzzle of the day; `null`: there are no puzzles.
    pub daily: Option<PuzzleNumber>,
}
