//! Virtual time and randomness for the simulating thread.

use std::cell::{Cell, RefCell};

use chrono::{DateTime, Utc};

use crate::random::Random;
use turnpost::world::World;

thread_local! {
    static NOW: Cell<DateTime<Utc>> = const { Cell::new(DateTime::UNIX_EPOCH) };
    static RANDOM: RefCell<Random> = RefCell::new(Random::new(0, 0));
}

/// The world of the simulated server.
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

/// Starts the world of a seed.
pub(crate) fn begin(seed: u64, now: DateTime<Utc>) {
    RANDOM.set(Random::new(seed, 1));
    NOW.set(now);
}

/// Sets the server's clock.
pub(crate) fn set_now(now: DateTime<Utc>) {
    NOW.set(now);
}
