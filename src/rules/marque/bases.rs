//! The bases that chains occupy.

use std::fmt;

use super::tiling::LETTERS;

/// A set of bases: those that a chain, or a player, occupies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bases(pub(crate) u8);

impl Bases {
    /// Returns the number of bases.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether the set contains a base, given by its index.
    pub(crate) const fn has(self, base: usize) -> bool {
        self.0 >> base & 1 != 0
    }

    /// Returns whether the set contains all of `others`.
    pub(crate) const fn include(self, others: u8) -> bool {
        self.0 & others == others
    }
}

/// Writes the letters together: `AEF`.
impl fmt::Display for Bases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LETTERS.iter().enumerate().filter(|(base, _)| self.0 & (1 << base) != 0).try_for_each(|(_, c)| write!(f, "{c}"))
    }
}
