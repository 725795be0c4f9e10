//! The present time and random numbers. Everything else takes them as arguments.

use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound, Utc};

/// Where time and randomness come from: the system in the binary, fixed values in a test.
#[derive(Clone, Copy)]
pub struct World {
    /// Gives the present time, in whole seconds.
    pub now: fn() -> DateTime<Utc>,
    /// Fills a buffer with random bytes.
    pub random: fn(&mut [u8]),
}

impl World {
    /// The system's clock and random numbers.
    #[allow(clippy::disallowed_methods, reason = "this is the place that supplies them")]
    pub const REAL: World = World {
        now: || Utc::now().trunc_subsecs(0),
        random: |bytes| getrandom::fill(bytes).expect("the operating system gives random bytes"),
    };

    /// A random percentage from 80 to 120, so that attempts that failed together are not repeated together.
    pub fn jitter(&self) -> u32 {
        let mut bytes = [0; 2];
        (self.random)(&mut bytes);
        80 + u32::from(u16::from_be_bytes(bytes)) * 41 / 65_536
    }

    /// Random lower-case letters and digits, five bits each, without those that look alike.
    pub fn letters(&self, count: usize) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let mut bytes = vec![0; count];
        (self.random)(&mut bytes);
        bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
    }
}

/// A moment by which something must have happened, on a clock that nobody sets.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// The moment after this time.
    pub fn after(time: Duration) -> Deadline {
        Deadline(Instant::now() + time)
    }

    /// The time until then; none when it is over.
    pub fn left(&self) -> Option<Duration> {
        Some(self.0.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }
}
