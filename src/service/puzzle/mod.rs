//! Puzzles: positions of finished boards in which one move wins.
//!
//! - `search`: finds puzzles on a board.
//! - `views`: a puzzle as a reader sees it.
//! - `find`: puzzles by game and number.
//! - `solved`: the puzzles that a player has solved.
//! - `show`: the command `puzzle`.
//! - `daily`: the puzzle of the day and its subscribers.

pub(crate) mod find;
pub(crate) mod search;
pub(crate) mod solved;
pub(crate) mod views;
