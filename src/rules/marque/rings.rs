//! The triangles of all seven bases in one word, one byte for each base. One operation therefore applies to every
//! ring of six: finding the adjacent pairs, or three triangles in a row.

/// A set of base triangles: bit 8 b + s is the triangle on side s of base b.
pub(crate) type Rings = u64;

/// The number of bits for base triangles. The other cells of the board use the bits from here onwards.
pub(crate) const BITS: usize = 64;

/// Returns the bit of a side of a base.
pub(crate) const fn bit(base: usize, side: usize) -> usize {
    8 * base + side
}

/// Moves each triangle to the place of the one before it.
pub(crate) const fn back(rings: Rings) -> Rings {
    (rings >> 1 & 0x1f1f_1f1f_1f1f_1f1f) | (rings << 5 & 0x2020_2020_2020_2020)
}

/// Moves each triangle to the place of the next one.
pub(crate) const fn on(rings: Rings) -> Rings {
    (rings << 1 & 0x3e3e_3e3e_3e3e_3e3e) | (rings >> 5 & 0x0101_0101_0101_0101)
}

/// Returns the triangles whose next triangle in the base is also in the set.
pub(crate) const fn pairs(rings: Rings) -> Rings {
    rings & back(rings)
}

/// Returns the bases, one bit each, of which the set contains three consecutive triangles.
pub(crate) const fn held(rings: Rings) -> u8 {
    let triples = pairs(rings) & back(back(rings));
    // Takes one bit for every byte that is not empty, then moves bit 8 b to bit 56 + b.
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
