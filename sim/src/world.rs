//! Virtual time and random choices. Both depend only on the seed.

use std::cell::{Cell, RefCell};

use chrono::{DateTime, Utc};

use turnpost::world::World;

thread_local! {
    static NOW: Cell<DateTime<Utc>> = const { Cell::new(DateTime::UNIX_EPOCH) };
    static RANDOM: RefCell<Random> = RefCell::new(Random::new(0, 0));
}

/// The clock and the random numbers that the simulated server uses.
pub(crate) const WORLD: World = World {
    now: || NOW.get(),
    random: |bytes| {
        RANDOM.with_borrow_mut(|random| {
            for chunk in bytes.chunks_mut(8) {
                chunk.copy_from_slice(&random.next().to_le_bytes()[..chunk.len()]);
            }
        });
    },
};

/// Resets the clock and the random numbers for a run with this seed.
pub(crate) fn begin(seed: u64, now: DateTime<Utc>) {
    RANDOM.set(Random::new(seed, 1));
    NOW.set(now);
}

/// Sets the server's clock.
pub(crate) fn set_now(now: DateTime<Utc>) {
    NOW.set(now);
}

/// A random generator: SplitMix64, which is small, fast and sufficient for players' choices.
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Creates a generator for this seed. Generators with a different `purpose` return different numbers.
    pub(crate) fn new(seed: u64, purpose: u64) -> Random {
        let mut random = Random(seed ^ purpose.wrapping_mul(0xa076_1d64_78bd_642f));
        random.next();
        random
    }

    /// Returns the next random number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a random number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns a random number from `least` to `most`, inclusive.
    pub(crate) fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as usize) as i64
    }

    /// Returns true with this probability, in thousandths.
    pub(crate) fn chance(&mut self, of_a_thousand: usize) -> bool {
        self.below(1_000) < of_a_thousand
    }

    /// Picks one of these items at random. The slice must not be empty.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
