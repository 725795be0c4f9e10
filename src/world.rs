//! The only place that knows the present time and draws random numbers; everything else is given them.

use chrono::{DateTime, SubsecRound, Utc};

/// Time and randomness, as arguments: the real ones in the binary, fixed ones in a test.
#[derive(Clone, Copy)]
pub struct World {
    /// The present time, in whole seconds.
    pub now: fn() -> DateTime<Utc>,
    /// Fills a buffer with random bytes.
    pub random: fn(&mut [u8]),
}

impl World {
    /// The real ones.
    #[allow(clippy::disallowed_methods, reason = "this is the place that supplies them")]
    pub const REAL: World = World {
        now: || Utc::now().trunc_subsecs(0),
        random: |bytes| getrandom::fill(bytes).expect("the operating system gives random bytes"),
    };

    /// A percentage from 80 to 120, so that what failed together does not come back together.
    pub fn jitter(&self) -> u32 {
        let mut bytes = [0; 2];
        (self.random)(&mut bytes);
        80 + u32::from(u16::from_be_bytes(bytes)) * 41 / 65_536
    }

    /// Random lower-case letters and digits without those that look alike; 32 kinds, so five bits each.
    pub fn letters(&self, count: usize) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let mut bytes = vec![0; count];
        (self.random)(&mut bytes);
        bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
    }
}
