//! Random choices that are the same for the same seed.

/// A generator of random choices: SplitMix64, which is small, fast and good enough to choose what players do.
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator of this seed; `purpose` tells apart those of one run.
    pub(crate) fn new(seed: u64, purpose: u64) -> Random {
        let mut random = Random(seed ^ purpose.wrapping_mul(0xa076_1d64_78bd_642f));
        random.next();
        random
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number from `least` to `most`.
    pub(crate) fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as usize) as i64
    }

    /// True in so many of a thousand cases.
    pub(crate) fn chance(&mut self, of_a_thousand: usize) -> bool {
        self.below(1_000) < of_a_thousand
    }

    /// One of these, of which there is at least one.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
