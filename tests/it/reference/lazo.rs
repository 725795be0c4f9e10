//! Lazo, with slow maps and lists. The coordinates of a space are those of the published board: a level, a row counted
//! from the short edge, and a position in half columns.

use std::collections::{BTreeMap, BTreeSet};

use turnpost::rules::Options;

use super::Reference;

mod ground;

/// A level, a row, and a position in half columns. Levels and rows are counted from 1. Position 0 is in the middle of
/// the short edge, or next to it.
pub type Space = (i32, i32, i32);

/// A game in progress.
#[derive(Clone)]
pub struct Lazo {
    spaces: BTreeSet<Space>,
    /// The seat, 0 or 1, that owns each tile.
    pub tiles: BTreeMap<Space, usize>,
    most: usize,
    end: End,
}

/// The state of the game after a ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    NotYet,
    Won(usize, &'static str),
    Drawn(&'static str),
}

fn supports((level, row, x): Space) -> [Space; 3] {
    [(level - 1, row, x), (level - 1, row + 1, x - 1), (level - 1, row + 1, x + 1)]
}

fn beside((level, row, x): Space) -> [Space; 6] {
    [(0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1)].map(|(rows, halves)| (level, row + rows, x + halves))
}

/// Returns whether two spaces touch.
pub fn adjacent(a: Space, b: Space) -> bool {
    beside(a).contains(&b) || supports(a).contains(&b) || supports(b).contains(&a)
}

impl Reference for Lazo {
    fn start(options: &Options) -> Lazo {
        let (shortest, rows, most) = match options.to_string().as_str() {
            "" | "-size=145" => (10, 10, 190),
            "-size=57" => (7, 6, usize::MAX),
            "-size=26" => (5, 4, usize::MAX),
            other => panic!("no board has the options {other}"),
        };
        let mut spaces = BTreeSet::new();
        for row in 1..=rows {
            spaces.extend((0..shortest + row - 1).map(|space| (1, row, 2 * space - row)));
        }
        for level in 2..=rows {
            let below: Vec<Space> = spaces.iter().filter(|space| space.0 == level - 1).copied().collect();
            let over = below.into_iter().map(|(_, row, x)| (level, row, x));
            let resting: Vec<Space> =
                over.filter(|space| supports(*space).iter().all(|s| spaces.contains(s))).collect();
            spaces.extend(resting);
        }
        let most = most.min(spaces.len());
        Lazo { spaces, tiles: BTreeMap::new(), most, end: End::NotYet }
    }

    fn moves(&self) -> Vec<String> {
        let legal = if self.end == End::NotYet { self.legal() } else { Vec::new() };
        legal.into_iter().map(|space| self.name(space)).collect()
    }

    fn play(&mut self, text: &str) {
        let space = self.legal().into_iter().find(|space| self.name(*space) == text).unwrap();
        self.fill(space);
    }

    fn pieces(&self) -> Vec<(String, String)> {
        let level_one = self.spaces.iter().filter(|space| space.0 == 1);
        let stack = |(_, row, x): &Space| -> String {
            (1..).map_while(|level| self.tiles.get(&(level, *row, *x))).map(|seat| ['b', 'w'][*seat]).collect()
        };
        let stacks = level_one.map(|space| (self.name(*space), stack(space)));
        stacks.filter(|(_, tiles)| !tiles.is_empty()).collect()
    }

    fn end(&self) -> Option<String> {
        match self.end {
            End::NotYet => None,
            End::Won(seat, _) => Some(["b", "w"][seat].to_owned()),
            End::Drawn(_) => Some("draw".to_owned()),
        }
    }

    // The moves of the last ply are counted but not played, to save time.
    fn perft(&self, depth: u32) -> u64 {
        let below = |space: Space| {
            let mut next = self.clone();
            if next.fill(space) == End::NotYet { next.perft(depth - 1) } else { 0 }
        };
        match depth {
            0 => 1,
            1 => self.legal().len() as u64,
            _ => self.legal().into_iter().map(below).sum(),
        }
    }
}

impl Lazo {
    /// Returns the seat to move.
    pub fn to_move(&self) -> usize {
        self.tiles.len() % 2
    }

    /// Returns the spaces that the player to move may fill, sorted by the cells on which they are stacked.
    pub fn legal(&self) -> Vec<Space> {
        let own = |space: &Space| self.tiles.get(space) == Some(&self.to_move());
        let may = |space: &&Space| {
            !self.tiles.contains_key(*space)
                && (space.0 == 1
                    || (supports(**space).iter().all(|support| self.tiles.contains_key(support))
                        && supports(**space).iter().chain(&beside(**space)).any(own)))
        };
        let mut legal: Vec<Space> = self.spaces.iter().filter(may).copied().collect();
        legal.sort_by_key(|(_, row, x)| (*row, *x));
        legal
    }

    /// Returns the name of the cell on which a space is stacked.
    pub fn name(&self, (_, row, x): Space) -> String {
        let before = self.spaces.range((1, row, i32::MIN)..=(1, row, x)).count();
        format!("{}{before}", char::from(b'a' + row as u8 - 1))
    }

    /// Places a tile of the player to move on a space.
    pub fn fill(&mut self, space: Space) -> End {
        let seat = self.to_move();
        self.tiles.insert(space, seat);
        let own = self.of(seat);
        self.end = if self.cut_off(&own) {
            End::Won(seat, "surface loop")
        } else if ground::has_unfilled_cycle(&own) {
            End::Won(seat, "arch")
        } else if self.tiles.len() == self.spaces.len() {
            End::Drawn("pyramid full")
        } else if self.tiles.len() == self.most {
            End::Drawn("tiles played")
        } else if self.legal().is_empty() {
            End::Won(seat, "no moves")
        } else {
            End::NotYet
        };
        self.end
    }

    /// Returns the spaces with tiles of a seat.
    pub fn of(&self, seat: usize) -> Vec<Space> {
        self.tiles.iter().filter(|(_, owner)| **owner == seat).map(|(space, _)| *space).collect()
    }

    /// Returns whether these spaces cut off some other space of level 1 from the edge of the board.
    pub fn cut_off(&self, own: &[Space]) -> bool {
        let free: BTreeSet<Space> =
            self.spaces.iter().filter(|space| space.0 == 1 && !own.contains(space)).copied().collect();
        let rim = |space: &&Space| beside(**space).iter().any(|next| !self.spaces.contains(next));
        let mut reached: BTreeSet<Space> = free.iter().filter(rim).copied().collect();
        let mut todo: Vec<Space> = reached.iter().copied().collect();
        while let Some(space) = todo.pop() {
            todo.extend(beside(space).into_iter().filter(|next| free.contains(next) && reached.insert(*next)));
        }
        reached.len() < free.len()
    }
}
