//! The computer player: a search over the rules that knows nothing of players, boards or mail.
//!
//! [`think`] chooses a move by Monte-Carlo tree search. What it does beside the plain search: it gives each move also
//! the results of games in which it was made later (RAVE), proves positions whose end is in sight, and before it searches
//! at all looks for a win within three plies and for moves that let the opponent win at once.

mod dice;
mod level;
mod playouts;
mod search;
mod tactics;
mod tree;

pub use level::Level;
pub use search::{Effort, Stop, Thought};

use crate::rules::{GameState, Play, brique, lazo, marque, tessella};

/// Does something with the state of a board in its own game's type; `None` when it is of no game of the catalogue.
macro_rules! in_its_game {
    ($board:expr, $state:ident => $does:expr) => {{
        let board = $board.as_any();
        // One line for each game of the catalogue.
        in_its_game!(@ board, marque, $state => $does);
        in_its_game!(@ board, brique, $state => $does);
        in_its_game!(@ board, tessella, $state => $does);
        in_its_game!(@ board, lazo, $state => $does);
        None
    }};
    (@ $board:ident, $game:ident, $state:ident => $does:expr) => {
        if let Some($state) = $board.downcast_ref::<GameState<$game::Position>>() {
            return $does;
        }
    };
}

/// Chooses a move for the player whose turn it is; `None` when the game is over. The same board, effort and seed give the
/// same thought, unless `stop` ends it before.
pub fn think(board: &dyn Play, effort: Effort, seed: u64, stop: Stop<'_>) -> Option<Thought> {
    in_its_game!(board, state => search::think(state, effort, seed, stop))
}

/// Does the same to judge the position: the chance is looked for even where there is no choice of moves.
pub fn judge(board: &dyn Play, effort: Effort, seed: u64, stop: Stop<'_>) -> Option<Thought> {
    in_its_game!(board, state => search::judge(state, effort, seed, stop))
}
