//! The computer player and its levels: a search over the rules that knows nothing about players, boards or mail.
//!
//! [`think`] chooses a move by Monte-Carlo tree search, with three additions. A move is also credited with the results
//! of games in which it was played later (RAVE). The search also proves the results of positions near the end of a
//! game. Before it searches, `think` looks for a win within three plies and for moves that let the opponent win
//! immediately.

mod search;
mod tree;

use search::Task;

use crate::rules::{Play, Playouts, catalogue};

pub use search::{SearchLimits, SearchResult, Stop};

impl Level {
    /// Returns the search limits for a board, with this maximum number of threads.
    pub fn limits(self, board: &dyn Play, threads: usize) -> SearchLimits {
        self.limits_for(&board.playouts(), threads)
    }
}

/// Chooses a move for the player whose turn it is; `None` if the game has ended. The same board, limits and seed
/// yield the same result, unless `stop` ends the search early.
pub fn think(board: &dyn Play, limits: SearchLimits, seed: u64, stop: Stop<'_>) -> Option<SearchResult> {
    catalogue::visit(board, Task { limits, seed, stop, always: false })?
}

/// Evaluates the position. Unlike [`think`], it computes the chance of winning even if there is only one sensible move.
pub fn evaluate(board: &dyn Play, limits: SearchLimits, seed: u64, stop: Stop<'_>) -> Option<SearchResult> {
    catalogue::visit(board, Task { limits, seed, stop, always: true })?
}

/// A level, from 1 (the weakest) to [`Level::MOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// The lowest level that checks for wins and threats before it searches.
const TACTICS: u8 = 3;
/// The minimum number of playouts per thread. Many threads with few playouts are weaker, because threads do not share
/// results.
const A_THREAD: u32 = 8_000;

impl Level {
    /// The strongest level.
    pub const MOST: u8 = 12;

    /// Returns the level with this number, if it exists.
    pub fn new(number: u8) -> Option<Level> {
        (1..=Level::MOST).contains(&number).then_some(Level(number))
    }

    /// Returns the number, from 1.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Returns the search limits, given the playouts of each level and the maximum number of threads.
    pub(crate) fn limits_for(self, playouts: &Playouts, threads: usize) -> SearchLimits {
        let playouts = playouts[usize::from(self.0) - 1];
        let threads = threads.min((playouts / A_THREAD) as usize).max(1);
        SearchLimits { playouts, tactics: self.0 >= TACTICS, threads, memory: SearchLimits::MEMORY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Options;

    #[test]
    fn each_level_has_more_playouts_than_the_one_below() {
        for game in catalogue::GAMES {
            let board = game.start(&Options::default()).unwrap();
            let all: Vec<SearchLimits> =
                (1..=Level::MOST).filter_map(Level::new).map(|level| level.limits(&*board, 64)).collect();
            assert_eq!(all.len(), 12);
            assert!(all.is_sorted_by(|below, above| below.playouts < above.playouts), "{all:?}");
            assert!(all[0].playouts <= 20, "{}: a beginner can beat robot1", game.name());
        }
    }

    #[test]
    fn a_player_without_time_makes_a_legal_move() {
        for game in catalogue::GAMES {
            let board = game.start(&Options::default()).unwrap();
            let limits = Level::new(Level::MOST).unwrap().limits(&*board, 1);
            let found = think(&*board, limits, 1, &|| true).unwrap();
            assert!(found.playouts < limits.playouts && board.legal_moves().contains(&found.text), "{found:?}");
        }
    }

    #[test]
    fn a_thread_joins_only_for_thousands_of_playouts() {
        let playouts = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_000, 16_000, 32_000, 64_000, 1_000_000];
        let threads = |level: u8, most: usize| Level::new(level).unwrap().limits_for(&playouts, most).threads;
        assert_eq!([1, 7, 8, 9, 10, 12].map(|level| threads(level, 4)), [1, 1, 1, 2, 4, 4]);
        assert_eq!(threads(12, 1), 1);
    }

    #[test]
    fn moves_of_several_steps_are_whole_even_if_the_tree_is_full() {
        for game in catalogue::GAMES.iter().filter(|game| ["amazons", "catchup"].contains(&game.name())) {
            let mut board = game.start(&Options::default()).unwrap();
            let limits = SearchLimits { playouts: 600, tactics: true, threads: 1, memory: 0 };
            let found = think(&*board, limits, 1, &|| false).unwrap();
            assert!(found.line.len() > 1, "{found:?}");
            for text in &found.line {
                board.play(text).unwrap_or_else(|refusal| panic!("{}: {text}: {refusal:?}", game.name()));
            }
        }
    }
}
