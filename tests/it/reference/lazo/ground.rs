//! A test for arches that looks at the whole board, while the program's rules look only at the neighbours of a tile. It
//! asks whether a player's tiles, together with the board as ground, contain an unfilled cycle.
//!
//! Each tile is a point, and tiles that touch each other are joined. The ground is one more point, which touches every
//! tile of level 1. A triangle of points that touch each other is filled, and so is a square of four tiles around a gap
//! of the packing: these are the blocking regions of the rules, through which no hole can pass. The unfilled cycles
//! form the first homology group with coefficients in GF(2). A player has an arch if the dimension of that group is
//! positive.

use super::{Space, adjacent};

/// Returns whether these tiles of one player contain an unfilled cycle.
pub fn has_unfilled_cycle(tiles: &[Space]) -> bool {
    let count = tiles.len();
    let ground = count;
    let touch = |a: usize, b: usize| match (a.min(b), a.max(b)) {
        (tile, other) if other == ground => tiles[tile].0 == 1,
        (one, other) => adjacent(tiles[one], tiles[other]),
    };
    let nears: Vec<Vec<usize>> =
        (0..=count).map(|a| (0..=count).filter(|b| a != *b && touch(a, *b)).collect()).collect();
    let edges: Vec<(usize, usize)> =
        (0..=count).flat_map(|a| nears[a].iter().filter(move |b| a < **b).map(move |b| (a, *b))).collect();
    let edge = |a: usize, b: usize| edges.binary_search(&(a.min(b), a.max(b))).unwrap();
    let mut boundaries = Boundaries::default();
    for &(a, b) in &edges {
        for &c in nears[b].iter().filter(|c| **c > b && nears[a].contains(c)) {
            boundaries.add(&[edge(a, b), edge(b, c), edge(a, c)]);
        }
    }
    // Four tiles in a ring without a chord always surround a gap, because of the geometry of the packing.
    for a in 0..count {
        for &b in &nears[a] {
            for &c in nears[b].iter().filter(|c| **c > a && !nears[a].contains(c)) {
                for &d in nears[c].iter().filter(|d| **d > b && nears[a].contains(d) && !nears[b].contains(d)) {
                    assert!([b, c, d].iter().all(|point| *point != ground));
                    boundaries.add(&[edge(a, b), edge(b, c), edge(c, d), edge(a, d)]);
                }
            }
        }
    }
    // Each tile is supported by tiles of the same player down to the ground, so the graph is connected. Its number of
    // independent cycles is the number of edges outside a spanning tree.
    edges.len() - count > boundaries.rank
}

/// The boundaries of the filled regions as sets of edges, in row echelon form: each set has a different first edge.
#[derive(Default)]
struct Boundaries {
    by_first: Vec<Option<Vec<u64>>>,
    rank: usize,
}

impl Boundaries {
    fn add(&mut self, edges: &[usize]) {
        let mut sum: Vec<u64> = Vec::new();
        for edge in edges {
            sum.resize(sum.len().max(edge / 64 + 1), 0);
            sum[edge / 64] ^= 1 << (edge % 64);
        }
        while let Some(word) = sum.iter().position(|word| *word != 0) {
            let first = 64 * word + sum[word].trailing_zeros() as usize;
            self.by_first.resize(self.by_first.len().max(first + 1), None);
            let Some(known) = &self.by_first[first] else {
                self.by_first[first] = Some(sum);
                self.rank += 1;
                return;
            };
            sum.resize(sum.len().max(known.len()), 0);
            for (word, other) in sum.iter_mut().zip(known) {
                *word ^= other;
            }
        }
    }
}
