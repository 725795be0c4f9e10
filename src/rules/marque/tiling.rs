//! The tiling: topology, names and bases, all computed from its geometry, without tables.
//!
//! Every corner of the 3.4.6.4 tiling has the coordinates x = p/2 + q·√3/2, y = r/2 + s·√3/2 with integers p, q, r, s,
//! which make comparisons of corners and heights exact. The columns and rows of the ASCII drawing are also linear in
//! these integers: a horizontal edge has 8 columns, a vertical one 4 rows, one at 60 degrees 4 columns and 4 rows, and
//! one at 30 degrees 7 columns and 2 rows.
//!
//! The triangles of all seven bases are stored in one word, with one byte for each base. A single operation therefore
//! handles all rings of six triangles: it finds adjacent pairs, or three triangles in a row.

use std::cmp::Ordering;
use std::sync::LazyLock;

use crate::rules::scene::Vertex;

pub(crate) const CELLS: usize = 96;

/// The place of the first pair in a set of moves. The place of a single cell is its bit.
pub(crate) const PAIRS: usize = 128;
/// The number of places in a set of moves.
pub(crate) const PLACES: usize = PAIRS + BITS;

/// The letters of the bases, in the order of their indices.
pub(crate) const LETTERS: [char; 7] = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];

/// A corner of the tiling: x = p/2 + q·√3/2, y = r/2 + s·√3/2, from the board's upper left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    p: i32,
    q: i32,
    r: i32,
    s: i32,
}

impl Point {
    const fn new(p: i32, q: i32, r: i32, s: i32) -> Self {
        Point { p, q, r, s }
    }

    const fn plus(self, other: Point) -> Point {
        Point::new(self.p + other.p, self.q + other.q, self.r + other.r, self.s + other.s)
    }

    /// Converts the point to both coordinate systems of a drawing.
    pub(crate) fn vertex(self) -> Vertex {
        Vertex {
            x: irrational(self.p, self.q) / 2.0,
            y: irrational(self.r, self.s) / 2.0,
            column: 4 * self.p + 7 * self.q,
            row: 2 * self.r + 4 * self.s,
        }
    }
}

fn irrational(whole: i32, root: i32) -> f64 {
    f64::from(whole) + f64::from(root) * 3f64.sqrt()
}

/// The offsets from a base's centre to its corners, clockwise from the top.
const SPOKES: [Point; 6] = [
    Point::new(0, 0, -2, 0),
    Point::new(0, 1, -1, 0),
    Point::new(0, 1, 1, 0),
    Point::new(0, 0, 2, 0),
    Point::new(0, -1, 1, 0),
    Point::new(0, -1, -1, 0),
];

/// For each side of a base, the offset outwards by one edge. Side k runs from corner k to corner k + 1.
const OUTWARD: [Point; 6] = [
    Point::new(1, 0, 0, -1),
    Point::new(2, 0, 0, 0),
    Point::new(1, 0, 0, 1),
    Point::new(-1, 0, 0, 1),
    Point::new(-2, 0, 0, 0),
    Point::new(-1, 0, 0, -1),
];

/// The centres of the bases, from A to G.
const CENTRES: [Point; 7] = [
    Point::new(3, 2, 2, 1),
    Point::new(5, 4, 2, 1),
    Point::new(2, 1, 5, 2),
    Point::new(4, 3, 5, 2),
    Point::new(6, 5, 5, 2),
    Point::new(3, 2, 8, 3),
    Point::new(5, 4, 8, 3),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// A sixth of a base: the base, and its side (0 is the upper right one, then clockwise).
    Base(usize, usize),
    /// A square, with the number of the side of a neighbouring base.
    Square(usize),
    /// A triangle outside the bases.
    Isolated,
}

/// One cell of the tiling.
#[derive(Debug)]
pub(crate) struct Site {
    /// The bit of the cell in a set.
    pub cell: usize,
    /// The name: `f3`.
    pub name: String,
    pub kind: CellKind,
    /// The corners, in order around the cell.
    pub corners: Vec<Point>,
}

/// One move's placement: pieces on one cell, or on two adjacent triangles.
#[derive(Debug)]
pub(crate) struct Placement {
    pub cells: u128,
    pub around: u128,
    /// The index in a set of moves. For a single cell this is its bit; for a pair, it is [`PAIRS`] plus the bit of
    /// the first triangle in the ring.
    pub place: u8,
}

/// The tiling of the board. Sets of cells are bits: the triangles of the bases come first, as in [`Rings`], followed
/// by the other cells in board order.
#[derive(Debug)]
pub(crate) struct Tiling {
    /// The cells in board order.
    pub sites: Vec<Site>,
    /// For each cell, the cells that share an edge with it.
    pub adjacent: [u128; 128],
    pub all: u128,
    pub triangles: u128,
    /// Every placement, in board order: by the first cell, then by the second, a single cell before its pairs.
    pub placements: Vec<Placement>,
    /// The numbers of the placements, indexed by place.
    pub numbers: [u8; PLACES],
}

/// The tiling of every board of Marque.
pub(crate) static TILING: LazyLock<Tiling> = LazyLock::new(build);

/// Returns the set that contains only this cell.
pub(crate) const fn bit(cell: usize) -> u128 {
    1 << cell
}

/// Returns the set's triangles inside bases.
pub(crate) const fn in_bases(set: u128) -> Rings {
    set as Rings
}

/// Iterates over the cells of a set, by their bits.
pub(crate) fn cells(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(cell)
    })
}

impl Tiling {
    /// Finds a cell by its name.
    pub(crate) fn cell(&self, name: &str) -> Option<usize> {
        self.sites.iter().find(|site| site.name == name).map(|site| site.cell)
    }

    /// Iterates over the cells of a set in board order.
    pub(crate) fn sites(&self, set: u128) -> impl Iterator<Item = &Site> {
        self.sites.iter().filter(move |site| set & bit(site.cell) != 0)
    }

    /// Returns the move text of a set of cells: their names in board order (`f3,f4`).
    pub(crate) fn text(&self, set: u128) -> String {
        let names: Vec<&str> = self.sites(set).map(|site| site.name.as_str()).collect();
        names.join(",")
    }

    /// Returns the cells next to a set, excluding the set itself.
    pub(crate) fn around(&self, set: u128) -> u128 {
        cells(set).fold(0, |found, cell| found | self.adjacent[cell]) & !set
    }

    /// Returns the connected part of `within` that contains `seed`.
    pub(crate) fn chain(&self, seed: u128, within: u128) -> u128 {
        let mut chain = seed;
        let mut fresh = seed;
        while fresh != 0 {
            let reached = self.adjacent[fresh.trailing_zeros() as usize] & within & !chain;
            fresh = (fresh & (fresh - 1)) | reached;
            chain |= reached;
        }
        chain
    }

    /// Follows the chain through `seed` among these stones until it is complete or two freedoms are found. Returns
    /// the visited part of the chain and the freedoms.
    pub(crate) fn chain_to_freedoms(&self, seed: u128, stones: u128, empty: u128) -> (u128, u128) {
        let (mut chain, mut fresh, mut free) = (seed, seed, 0_u128);
        while fresh != 0 {
            let beside = self.adjacent[fresh.trailing_zeros() as usize];
            free |= beside & empty;
            if free & free.wrapping_sub(1) != 0 {
                break;
            }
            let reached = beside & stones & !chain;
            fresh = (fresh & (fresh - 1)) | reached;
            chain |= reached;
        }
        (chain, free)
    }
}

/// Returns x and y of a cell's centre, each as the integers (a, b) of (a + b·√3)/24.
fn centre(corners: &[Point]) -> ((i32, i32), (i32, i32)) {
    let sum = corners.iter().fold(Point::new(0, 0, 0, 0), |sum, corner| sum.plus(*corner));
    let times = 12 / corners.len() as i32;
    ((sum.p * times, sum.q * times), (sum.r * times, sum.s * times))
}

fn compare(a: (i32, i32), b: (i32, i32)) -> Ordering {
    irrational(a.0, a.1).total_cmp(&irrational(b.0, b.1))
}

/// Returns every cell once, in board order: from top to bottom by the height of its centre, then from left to right.
fn tiles() -> Vec<(CellKind, Vec<Point>)> {
    let mut tiles: Vec<(CellKind, Vec<Point>)> = Vec::with_capacity(CELLS);
    for (base, centre) in CENTRES.into_iter().enumerate() {
        for side in 0..6 {
            let (before, after) = ((side + 5) % 6, (side + 1) % 6);
            let corner = centre.plus(SPOKES[side]);
            let next = centre.plus(SPOKES[after]);
            let (up, next_up) = (corner.plus(OUTWARD[side]), next.plus(OUTWARD[side]));
            tiles.push((CellKind::Base(base, side), vec![centre, corner, next]));
            tiles.push((CellKind::Square(side), vec![corner, up, next_up, next]));
            tiles.push((CellKind::Isolated, vec![corner, corner.plus(OUTWARD[before]), up]));
        }
    }
    tiles.sort_by(|(_, a), (_, b)| {
        let ((ax, ay), (bx, by)) = (centre(a), centre(b));
        compare(ay, by).then(compare(ax, bx))
    });
    // The square between two bases is listed twice, and a triangle up to three times.
    tiles.dedup_by_key(|(_, corners)| centre(corners));
    tiles
}

fn build() -> Tiling {
    let mut sites: Vec<Site> = Vec::with_capacity(CELLS);
    let (mut row, mut column, mut height, mut others) = (b'a', 0, None, BITS..);
    for (kind, corners) in tiles() {
        let own = centre(&corners).1;
        if height.is_some_and(|height| height != own) {
            (row, column) = (row + 1, 0);
        }
        (column, height) = (column + 1, Some(own));
        let cell = match kind {
            CellKind::Base(base, side) => Some(ring_bit(base, side)),
            CellKind::Square(_) | CellKind::Isolated => others.next(),
        };
        let name = format!("{}{column}", char::from(row));
        sites.push(Site { cell: cell.expect("there are enough bits"), name, kind, corners });
    }
    let adjacent = adjacent(&sites);
    let set = |wanted: fn(&&Site) -> bool| sites.iter().filter(wanted).fold(0, |set, site| set | bit(site.cell));
    let triangles = set(|site| !matches!(site.kind, CellKind::Square(_)));
    let all = set(|_| true);
    let (placements, numbers) = (Vec::new(), [0; PLACES]);
    let mut tiling = Tiling { sites, adjacent, all, triangles, placements, numbers };
    number_placements(&mut tiling);
    tiling
}

/// Returns, for each cell, the cells that share an edge with it.
fn adjacent(sites: &[Site]) -> [u128; 128] {
    let mut edges: Vec<([Point; 2], usize)> = Vec::with_capacity(4 * sites.len());
    for Site { cell, corners, .. } in sites {
        let next = corners.iter().cycle().skip(1);
        edges.extend(corners.iter().zip(next).map(|(a, b)| ([*a.min(b), *a.max(b)], *cell)));
    }
    // An edge belongs to one cell or two. Sorting places equal edges next to each other.
    edges.sort_unstable();
    let mut adjacent = [0; 128];
    for pair in edges.windows(2) {
        let [(edge, cell), (same, other)] = [pair[0], pair[1]];
        if edge == same {
            adjacent[cell] |= bit(other);
            adjacent[other] |= bit(cell);
        }
    }
    adjacent
}

fn number_placements(tiling: &mut Tiling) {
    let mut placements = Vec::new();
    let mut add = |cells: u128, place: usize| {
        placements.push(Placement { cells, around: tiling.around(cells), place: place as u8 });
    };
    for (rank, first) in tiling.sites.iter().enumerate() {
        add(bit(first.cell), first.cell);
        for second in &tiling.sites[rank + 1..] {
            let set = bit(first.cell) | bit(second.cell);
            if set & !tiling.triangles == 0 && tiling.adjacent[first.cell] & bit(second.cell) != 0 {
                add(set, PAIRS + ring_pairs(in_bases(set)).trailing_zeros() as usize);
            }
        }
    }
    for (number, placement) in (0..).zip(&placements) {
        tiling.numbers[usize::from(placement.place)] = number;
    }
    tiling.placements = placements;
}

/// A set of base triangles: bit 8 b + s is the triangle on side s of base b.
pub(crate) type Rings = u64;

/// The number of bits for base triangles. The other cells of the board use the bits from here onwards.
pub(crate) const BITS: usize = 64;

/// Returns the bit of a side of a base.
pub(crate) const fn ring_bit(base: usize, side: usize) -> usize {
    8 * base + side
}

/// Moves each triangle of a base to the place of the one before it.
pub(crate) const fn back(rings: Rings) -> Rings {
    (rings >> 1 & 0x1f1f_1f1f_1f1f_1f1f) | (rings << 5 & 0x2020_2020_2020_2020)
}

/// Moves each triangle of a base to the place of the next one.
pub(crate) const fn on(rings: Rings) -> Rings {
    (rings << 1 & 0x3e3e_3e3e_3e3e_3e3e) | (rings >> 5 & 0x0101_0101_0101_0101)
}

/// Returns the triangles whose next triangle in the base is also in the set.
pub(crate) const fn ring_pairs(rings: Rings) -> Rings {
    rings & back(rings)
}

/// Returns the bases, one bit each, of which the set contains three consecutive triangles.
pub(crate) const fn held(rings: Rings) -> u8 {
    let triples = ring_pairs(rings) & back(back(rings));
    // Set bit 8 b if byte b is not empty, then move bit 8 b to bit 56 + b.
    let bytes = ((triples + 0x7f7f_7f7f_7f7f_7f7f) & 0x8080_8080_8080_8080) >> 7;
    (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_lengths_of_the_tiling() {
        let lengths: Vec<usize> =
            ('a'..='u').map(|row| TILING.sites.iter().filter(|site| site.name.starts_with(row)).count()).collect();
        assert_eq!(lengths, [2, 4, 3, 4, 7, 4, 3, 6, 4, 6, 10, 6, 4, 6, 3, 4, 7, 4, 3, 4, 2]);
        assert_eq!(TILING.sites.len(), CELLS);
        assert_eq!(TILING.sites[CELLS - 1].name, "u2");
    }

    #[test]
    fn cells_have_the_neighbours_of_their_kind() {
        let degrees = |wanted: fn(CellKind) -> bool| {
            let mut found = [0; 5];
            for site in TILING.sites.iter().filter(|site| wanted(site.kind)) {
                found[TILING.adjacent[site.cell].count_ones() as usize] += 1;
            }
            found
        };
        assert_eq!(degrees(|kind| matches!(kind, CellKind::Base(..))), [0, 0, 0, 42, 0]);
        assert_eq!(degrees(|kind| matches!(kind, CellKind::Square(_))), [0, 0, 0, 18, 12]);
        assert_eq!(degrees(|kind| kind == CellKind::Isolated), [0, 0, 12, 12, 0]);
        let edges: u32 = TILING.adjacent.iter().map(|beside| beside.count_ones()).sum();
        assert_eq!(edges, 2 * 144);
        assert_eq!(TILING.triangles.count_ones(), 66);
    }

    #[test]
    fn adjacency_has_no_direction() {
        for (cell, beside) in TILING.adjacent.iter().enumerate() {
            assert!(cells(*beside).all(|other| TILING.adjacent[other] & bit(cell) != 0));
        }
    }

    #[test]
    fn pairs_lie_in_one_base() {
        let pairs: Vec<u128> =
            TILING.placements.iter().map(|placement| placement.cells).filter(|set| set.count_ones() == 2).collect();
        assert_eq!(pairs.len(), 42);
        assert!(pairs.iter().all(|pair| ring_pairs(in_bases(*pair)).count_ones() == 1));
    }

    #[test]
    fn cells_have_the_names_of_the_rules() {
        let kind = |name: &str| TILING.sites.iter().find(|site| site.name == name).expect("the cell exists").kind;
        assert_eq!(kind("a1"), CellKind::Isolated);
        assert_eq!(kind("f3"), CellKind::Base(1, 3));
        assert_eq!(kind("f4"), CellKind::Base(1, 2));
        assert_eq!(TILING.text(TILING.around(bit(TILING.cell("a1").unwrap()))), "b1,b2");
        assert_eq!(TILING.text(bit(TILING.cell("f4").unwrap()) | bit(TILING.cell("f3").unwrap())), "f3,f4");
    }

    #[test]
    fn the_last_triangle_of_a_ring_precedes_its_first() {
        for base in 0..7 {
            let ring = |sides: &[usize]| sides.iter().fold(0, |set, side| set | 1 << ring_bit(base, *side));
            assert_eq!(ring_pairs(ring(&[0, 5])), ring(&[5]));
            assert_eq!(ring_pairs(ring(&[2, 3, 5])), ring(&[2]));
            assert_eq!(held(ring(&[0, 1, 2])), 1 << base);
            assert_eq!(held(ring(&[4, 5, 0])), 1 << base);
            assert_eq!(held(ring(&[5, 0, 1])), 1 << base);
            assert_eq!(held(ring(&[0, 1, 3, 4])), 0);
        }
        assert_eq!(held(u64::MAX >> 8), 0x7f);
    }
}
