//! Random numbers for playouts.

/// xorshift64* (Vigna, 2016): fast, and reproducible from a seed.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        // Similar seeds must start differently, and the generator would never leave zero.
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Dice((mixed ^ (mixed >> 27)) | 1)
    }

    /// Returns a number below `limit`, which must not be 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((high * limit as u64) >> 32) as usize
    }
}
