//! The present time and random numbers. All other modules take them as arguments (`tests/it/architecture.rs`).

use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound, Utc};

/// The source of time and randomness: the system in production, fixed values in tests.
#[derive(Clone, Copy)]
pub struct World {
    /// Returns the present time, in whole seconds.
    pub now: fn() -> DateTime<Utc>,
    /// Fills a buffer with random bytes.
    pub random: fn(&mut [u8]),
}

impl World {
    /// The system's clock and random numbers.
    #[allow(clippy::disallowed_methods, reason = "this module supplies them")]
    pub const REAL: World = World {
        now: || Utc::now().trunc_subsecs(0),
        random: |bytes| getrandom::fill(bytes).expect("the operating system supplies random bytes"),
    };

    /// Returns a random percentage from 80 to 120. Delays are multiplied by it, so that failed attempts are not all
    /// retried at the same time.
    pub fn jitter(&self) -> u32 {
        let mut bytes = [0; 2];
        (self.random)(&mut bytes);
        80 + u32::from(u16::from_be_bytes(bytes)) * 41 / 65_536
    }

    /// Returns random lower-case letters and digits, without easily confused ones. Each has five random bits.
    pub fn letters(&self, count: usize) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let mut bytes = vec![0; count];
        (self.random)(&mut bytes);
        bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
    }
}

/// A deadline on the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// Creates a deadline this far in the future.
    pub fn after(time: Duration) -> Deadline {
        Deadline(Instant::now() + time)
    }

    /// Returns the remaining time; `None` after the deadline.
    pub fn left(&self) -> Option<Duration> {
        Some(self.0.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }
}
