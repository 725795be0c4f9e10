//! The computer player: a search over the rules that knows nothing of players, boards or mail.
//!
//! [`think`] chooses a move by Monte-Carlo tree search. What it does beside the plain search: it gives each move also
//! the results of games in which it was made later (RAVE), proves positions whose end is in sight, and before it searches
//! at all looks for a win within three plies and for moves that let the opponent win at once.

mod dice;
mod level;
mod search;
mod tactics;
mod tree;

pub use level::Level;
pub use search::{Effort, Thought};

use crate::rules::{GameState, Play, brique, lazo, marque, tessella};

/// Chooses a move for the player whose turn it is; `None` when the game is over. The same board, effort and seed give the
/// same thought, unless `stop` ends it before.
pub fn think(board: &dyn Play, effort: Effort, seed: u64, stop: &dyn Fn() -> bool) -> Option<Thought> {
    let board = board.as_any();
    // One line for each game of the catalogue.
    if let Some(state) = board.downcast_ref::<GameState<marque::Position>>() {
        return search::think(state, effort, seed, stop);
    }
    if let Some(state) = board.downcast_ref::<GameState<brique::Position>>() {
        return search::think(state, effort, seed, stop);
    }
    if let Some(state) = board.downcast_ref::<GameState<tessella::Position>>() {
        return search::think(state, effort, seed, stop);
    }
    if let Some(state) = board.downcast_ref::<GameState<lazo::Position>>() {
        return search::think(state, effort, seed, stop);
    }
    None
}
