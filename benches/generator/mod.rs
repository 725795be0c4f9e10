//! Random numbers for benches, fast enough not to affect the measured games.

/// xorshift64* (Vigna, 2016).
pub struct Generator(u64);

impl Generator {
    pub fn new(seed: u64) -> Generator {
        // Spreads similar seeds, and avoids zero, which the generator would repeat forever.
        Generator((seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1)
    }

    /// Returns a number below `count`, which must not be 0.
    pub fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((high * count as u64) >> 32) as usize
    }
}
