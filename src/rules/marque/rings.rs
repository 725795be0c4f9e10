//! The triangles of all seven bases in one word, a byte a base, so that what is asked of every ring of six is asked at
//! once: which neighbours are both there, and where three in a row are.

/// A set of base triangles: bit 8 b + s is the triangle on side s of base b.
pub(super) type Rings = u64;

/// The number of base triangles' bits: the other cells of the board have the bits from here on.
pub(super) const BITS: usize = 64;

/// The bit of a base's side.
pub(super) const fn bit(base: usize, side: usize) -> usize {
    8 * base + side
}

/// Each triangle in the place of the one before it.
pub(super) const fn back(rings: Rings) -> Rings {
    (rings >> 1 & 0x1f1f_1f1f_1f1f_1f1f) | (rings << 5 & 0x2020_2020_2020_2020)
}

/// Each triangle in the place of the next one.
pub(super) const fn on(rings: Rings) -> Rings {
    (rings << 1 & 0x3e3e_3e3e_3e3e_3e3e) | (rings >> 5 & 0x0101_0101_0101_0101)
}

/// The triangles that are here together with the next one of their base.
pub(super) const fn pairs(rings: Rings) -> Rings {
    rings & back(rings)
}

/// The bases, a bit each, three consecutive triangles of which are here.
pub(super) const fn held(rings: Rings) -> u8 {
    let triples = pairs(rings) & back(back(rings));
    // The highest bit of every byte that is not empty, brought down; then bit 8 b is brought to bit 56 + b.
    let bytes = ((triples + 0x7f7f_7f7f_7f7f_7f7f) & 0x8080_8080_8080_8080) >> 7;
    (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_close() {
        for base in 0..7 {
            let ring = |sides: &[usize]| sides.iter().fold(0, |set, side| set | 1 << bit(base, *side));
            assert_eq!(pairs(ring(&[0, 5])), ring(&[5]));
            assert_eq!(pairs(ring(&[2, 3, 5])), ring(&[2]));
            assert_eq!(held(ring(&[0, 1, 2])), 1 << base);
            assert_eq!(held(ring(&[4, 5, 0])), 1 << base);
            assert_eq!(held(ring(&[5, 0, 1])), 1 << base);
            assert_eq!(held(ring(&[0, 1, 3, 4])), 0);
        }
        assert_eq!(held(u64::MAX >> 8), 0x7f);
    }
}
