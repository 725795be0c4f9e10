//! Recognizes the two kinds of loops from the tiles around the one that completes them. All these tiles belong to one
//! player.
//!
//! A tile on level 2 or above completes an *arch* if and only if the player's tiles that it touches form several
//! separate parts. Each part reaches down to the board through the player's tiles, and the new tile bridges the gap
//! between them. Three spaces that the tile does not touch can also join parts. Each lies opposite the tile, across one
//! of the packing's gaps (six tiles around a point, the blocking region of the rules). Four tiles in a ring around such
//! a gap therefore belong to one part.

/// The spaces around a tile, in the order of their bits: levels down, change of row, change of number. The first seven
/// are on the tile's own level and include its own space. The others are on the level below.
const AROUND: [(i32, i32, i32); 13] = [
    (0, -1, -1),
    (0, -1, 0),
    (0, 0, -1),
    (0, 0, 0),
    (0, 0, 1),
    (0, 1, 0),
    (0, 1, 1),
    (1, 0, -1),
    (1, 0, 0),
    (1, 0, 1),
    (1, 1, 0),
    (1, 1, 1),
    (1, 2, 1),
];

/// The tile's own space.
const SELF: u32 = 1 << 3;

/// The spaces that touch the tile.
const TOUCHING: u32 = near((0, 0, 0));

/// One bit for each set of a player's tiles around a new tile. The bit is set if the new tile completes an arch.
static ARCHES: [u64; 128] = arches();

/// Returns whether a tile on level 2 or above completes an arch, given the player's tiles around it.
pub(crate) fn is_arch(around: u32) -> bool {
    ARCHES[(around >> 6) as usize] >> (around & 63) & 1 != 0
}

/// Returns the first tile, clockwise, of each run of a player's tiles around a tile of level 1, as a set of indices of
/// [`RING`]. Empty if all six tiles are the player's, because that ring wins before its middle is filled.
pub(crate) fn runs(around: u32) -> u32 {
    let bit = |number: u32| around >> number & 1;
    let ring = around & 3 | bit(4) << 2 | bit(6) << 3 | bit(5) << 4 | bit(2) << 5;
    ring & !(ring << 1 | ring >> 5)
}

/// The steps from a space to its neighbours, clockwise from the upper left: change of row, change of number.
pub(crate) const RING: [(isize, isize); 6] = [(-1, -1), (-1, 0), (0, 1), (1, 1), (1, 0), (0, -1)];

/// Returns whether two spaces touch, given the steps from one to the other.
const fn touch(down: i32, rows: i32, numbers: i32) -> bool {
    match down {
        0 => matches!((rows, numbers), (-1, -1) | (-1, 0) | (0, 1) | (1, 1) | (1, 0) | (0, -1)),
        1 => matches!((rows, numbers), (0, 0) | (1, 0) | (1, 1)),
        -1 => matches!((rows, numbers), (0, 0) | (-1, 0) | (-1, -1)),
        _ => false,
    }
}

/// Returns the spaces of [`AROUND`] that touch the space at these steps from the tile, as bits.
const fn near(at: (i32, i32, i32)) -> u32 {
    let (mut set, mut other) = (0, 0);
    while other < AROUND.len() {
        let to = AROUND[other];
        if touch(to.0 - at.0, to.1 - at.1, to.2 - at.2) {
            set |= 1 << other;
        }
        other += 1;
    }
    set
}

const fn arches() -> [u64; 128] {
    let mut nears = [0; AROUND.len()];
    let mut place = 0;
    while place < AROUND.len() {
        nears[place] = near(AROUND[place]);
        place += 1;
    }
    let mut table = [0; 128];
    let mut around = 0;
    while around < 1 << AROUND.len() {
        if around & SELF == 0 && has_parts(around, &nears) {
            table[around as usize / 64] |= 1 << (around % 64);
        }
        around += 1;
    }
    table
}

/// Returns whether the tiles in `around` that touch the new tile form several separate parts.
const fn has_parts(around: u32, nears: &[u32; AROUND.len()]) -> bool {
    let touching = around & TOUCHING;
    let mut fresh = touching & touching.wrapping_neg();
    let mut reached = fresh;
    while fresh != 0 {
        fresh = (fresh & (fresh - 1)) | nears[fresh.trailing_zeros() as usize] & around & !reached;
        reached |= fresh;
    }
    touching & !reached != 0
}
