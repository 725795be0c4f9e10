//! The levels of the computer player.

use super::search::Effort;

/// A level, from 1 (the weakest) to [`Level::MOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// How many games each level plays out: some 2.5 times as many as the one below. Twice as many is hardly felt in Tessella
/// and Lazo.
const PLAYOUTS: [u32; Level::MOST as usize] =
    [20, 50, 120, 300, 720, 1_800, 4_400, 10_800, 26_000, 64_000, 155_000, 380_000];
/// The first level that looks for wins and threats before it searches.
const TACTICS: u8 = 3;
/// The first level that thinks for seconds where it has one thread.
const THREADS: u8 = 10;

impl Level {
    /// The strongest level.
    pub const MOST: u8 = 12;

    /// The level of this number, if there is one.
    pub fn new(number: u8) -> Option<Level> {
        (1..=Level::MOST).contains(&number).then_some(Level(number))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self.0
    }

    /// How hard it thinks, on at most so many threads.
    pub fn effort(self, threads: usize) -> Effort {
        Effort {
            playouts: PLAYOUTS[usize::from(self.0) - 1],
            tactics: self.0 >= TACTICS,
            threads: if self.0 >= THREADS { threads } else { 1 },
        }
    }
}
