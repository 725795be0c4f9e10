//! Random numbers for playouts.

/// xorshift64* (Vigna, 2016): fast, and the same numbers for the same seed.
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        // Seeds that are close to each other must not begin alike, and zero never changes.
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Dice((mixed ^ (mixed >> 27)) | 1)
    }

    /// A number below `limit`, which is not 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((high * limit as u64) >> 32) as usize
    }
}
