//! The levels of the computer player.

use super::search::Effort;

/// A level, from 1 (the weakest) to [`Level::MOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

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

    /// How hard it thinks: each level plays out twice as many games as the one below. From the third on, it looks for wins
    /// and threats first.
    pub fn effort(self) -> Effort {
        Effort { playouts: 10 << self.0, tactics: self.0 >= 3 }
    }
}
