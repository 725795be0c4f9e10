//! The levels of the computer player.

use super::search::Effort;
use crate::rules::Playouts;

/// A level, from 1 (the weakest) to [`Level::MOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// The first level that checks for wins and threats before it searches.
const TACTICS: u8 = 3;
/// The minimum number of playouts per thread. Threads do not share results, so many threads with few playouts are
/// weaker.
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

    /// Returns the search effort, given the playouts of each level and the maximum number of threads.
    pub(crate) fn effort_of(self, playouts: &Playouts, threads: usize) -> Effort {
        let playouts = playouts[usize::from(self.0) - 1];
        let threads = threads.min((playouts / A_THREAD) as usize).max(1);
        Effort { playouts, tactics: self.0 >= TACTICS, threads, memory: Effort::MEMORY }
    }
}
