//! Puzzles: positions of finished boards in which one move wins.
//!
//! - `search`: finds puzzles on a board.
//! - `views`: a puzzle as a reader sees it.
//! - `find`: puzzles by game and number.
//! - `solved`: the puzzles that a player has solved.
//! - `show`: the command `puzzle`.
//! - `daily`: the puzzle of the day and its subscribers.

pub(in crate::service) mod daily;
pub(in crate::service) mod find;
pub(in crate::service) mod search;
pub(in crate::service) mod show;
pub(in crate::service) mod solved;
pub(in crate::service) mod views;
