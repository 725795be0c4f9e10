//! The tiles on the board, and the stacks on which each player may place a tile.

use super::loops::{RING, is_arch, runs};
use super::pyramid::{Pyramid, SLOTS, Stack, Stacks, WORDS};
use crate::rules::bits::List;
use crate::rules::outcome::Seat;

/// The bit of a row's word at which the second seat's tiles begin.
const HALF: u32 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loop {
    /// A loop around a space of level 1.
    Surface,
    /// A loop over two or more of the opponent's tiles.
    Arch,
}

/// The tiles on the board.
///
/// Each row of each level is a word: bit n is the first seat's tile with number n, bit 32 + n the second seat's.
/// Shifting the word therefore shifts the tiles of both players.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    pyramid: &'static Pyramid,
    rows: [u64; SLOTS],
    /// The stacks on which each seat may place a tile.
    legal: [LegalStacks; 2],
    /// The tiles of level 1 as a union-find forest. Each tile points to another tile of its connected part; the root
    /// points to itself.
    parents: [u8; 64 * WORDS],
}

/// Returns the tiles of both players in a row, as bits.
const fn taken(row: u64) -> u64 {
    (row | row >> HALF) & 0xffff_ffff
}

/// Returns the numbers of the spaces in a row that have a tile next to them, as bits. The arguments are the tiles of
/// the row above, of the row itself and of the row below.
const fn beside(above: u64, row: u64, below: u64) -> u64 {
    above << 1 | above | row << 1 | row >> 1 | below | below >> 1
}

/// Returns the numbers of the spaces one level above this slot whose three supports all have tiles, as bits.
fn supported(rows: &[u64; SLOTS], slot: usize) -> u64 {
    let below = taken(rows[slot + 1]);
    taken(rows[slot]) & below & below >> 1
}

impl Tiles {
    /// Creates a board without tiles.
    pub(crate) fn none(pyramid: &'static Pyramid) -> Tiles {
        let legal = LegalStacks::all(pyramid);
        Tiles { pyramid, rows: [0; SLOTS], legal: [legal.clone(), legal], parents: [0; 64 * WORDS] }
    }

    pub(crate) fn pyramid(&self) -> &'static Pyramid {
        self.pyramid
    }

    pub(crate) fn legal(&self, seat: Seat) -> &LegalStacks {
        &self.legal[seat.index()]
    }

    /// Returns the seat whose tile lies on a level (from 0) of a stack. The level must be below the stack's maximum
    /// height.
    pub(crate) fn at(&self, level: usize, stack: Stack) -> Option<Seat> {
        let (row, number) = self.pyramid.place(stack);
        let row = self.rows[self.pyramid.slot(level, row)] >> number;
        Seat::BOTH.into_iter().find(|seat| row >> (HALF * seat.index() as u32) & 1 != 0)
    }

    /// Returns the height of a stack, which is the level, from 0, of its next tile.
    pub(crate) fn height(&self, stack: Stack) -> usize {
        let (row, number) = self.pyramid.place(stack);
        let vacant = |level: &usize| taken(self.rows[self.pyramid.slot(*level, row)]) >> number & 1 == 0;
        let most = self.pyramid.height(row);
        (0..most).find(vacant).unwrap_or(most)
    }

    /// Returns whether this level (from 0) of a stack has a tile, or a space where a tile could rest.
    pub(crate) fn rests(&self, level: usize, stack: Stack) -> bool {
        let (row, number) = self.pyramid.place(stack);
        match level {
            0 => true,
            _ if level >= self.pyramid.height(row) => false,
            _ => supported(&self.rows, self.pyramid.slot(level - 1, row)) >> number & 1 != 0,
        }
    }

    /// Places a seat's tile on a stack, which must be one of the seat's legal stacks. Returns the loop that the tile
    /// completes, if any.
    pub(crate) fn place(&mut self, seat: Seat, stack: Stack) -> Option<Loop> {
        let (row, number) = self.pyramid.place(stack);
        let level = self.height(stack);
        let slot = self.pyramid.slot(level, row);
        let half = HALF * seat.index() as u32;
        let around = self.around(half, slot, number);
        let found = if level == 0 {
            self.joins_itself(stack, around).then_some(Loop::Surface)
        } else {
            is_arch(around | self.below(half, level, row, number) << 7).then_some(Loop::Arch)
        };
        self.rows[slot] |= 1 << half << number;
        self.legal.iter_mut().for_each(|legal| legal.take(stack));
        if level > 0 {
            self.reach_beside(seat, level, row, number);
        }
        self.open_above(level, row, number);
        found
    }

    /// Returns one player's tiles around a space, on the same level, in the form that [`is_arch`] and [`runs`] expect.
    fn around(&self, half: u32, slot: usize, number: usize) -> u32 {
        let own = |slot: usize, lowest: usize, mask: u64| (self.rows[slot] >> half >> lowest & mask) as u32;
        own(slot - 1, number - 1, 3) | own(slot, number - 1, 7) << 2 | own(slot + 1, number, 3) << 5
    }

    /// Returns one player's tiles on the level below a space, in the form that [`is_arch`] expects after the seven
    /// bits of the space's own level.
    fn below(&self, half: u32, level: usize, row: usize, number: usize) -> u32 {
        let own = |slot: usize, lowest: usize, mask: u64| (self.rows[slot] >> half >> lowest & mask) as u32;
        let below = self.pyramid.slot(level - 1, row);
        own(below, number - 1, 7) | own(below + 1, number, 3) << 3 | own(below + 2, number + 1, 1) << 5
    }

    /// Returns whether a tile of this seat on a vacant space of a level (from 0) would complete a loop.
    pub(crate) fn completes(&self, seat: Seat, level: usize, row: usize, number: usize) -> bool {
        let half = HALF * seat.index() as u32;
        let around = self.around(half, self.pyramid.slot(level, row), number);
        if level > 0 {
            return is_arch(around | self.below(half, level, row, number) << 7);
        }
        let mut runs = runs(around);
        // A tile has at most three runs around it.
        let (mut roots, mut count) = ([0; 3], 0);
        while runs != 0 {
            let (rows, numbers) = RING[runs.trailing_zeros() as usize];
            runs &= runs - 1;
            let tile = self.pyramid.stack(row.wrapping_add_signed(rows), number.wrapping_add_signed(numbers));
            let root = self.root(tile.0);
            if roots[..count].contains(&root) {
                return true;
            }
            roots[count] = root;
            count += 1;
        }
        false
    }

    /// Returns the numbers of the vacant spaces in a row, on a level above 0, that three tiles support, as bits.
    pub(crate) fn open(&self, level: usize, row: usize) -> u64 {
        supported(&self.rows, self.pyramid.slot(level - 1, row)) & !taken(self.rows[self.pyramid.slot(level, row)])
    }

    /// Returns the numbers of the vacant spaces in a row of level 1 that have several runs of this seat's tiles around
    /// them, as bits.
    pub(crate) fn between(&self, seat: Seat, row: usize) -> u64 {
        let (slot, half) = (self.pyramid.slot(0, row), HALF * seat.index() as u32);
        let own = |slot: usize| self.rows[slot] >> half & 0xffff_ffff;
        let (above, same, below) = (own(slot - 1), own(slot), own(slot + 1));
        let ring = [above << 1, above, same >> 1, below >> 1, below, same << 1];
        let (mut once, mut twice) = (0, 0);
        for (place, tiles) in ring.into_iter().enumerate() {
            let first = tiles & !ring[(place + 5) % 6];
            twice |= once & first;
            once |= first;
        }
        twice & !taken(self.rows[slot]) & self.pyramid.all_numbers(row)
    }

    /// Returns the root of a tile's connected part.
    fn root(&self, mut tile: u8) -> u8 {
        while self.parents[usize::from(tile)] != tile {
            tile = self.parents[usize::from(tile)];
        }
        tile
    }

    /// Connects a tile of level 1 with neighbouring tiles of its seat. Returns true if two of them were already
    /// connected.
    fn joins_itself(&mut self, stack: Stack, around: u32) -> bool {
        let (row, number) = self.pyramid.place(stack);
        self.parents[usize::from(stack.0)] = stack.0;
        let mut runs = runs(around);
        while runs != 0 {
            let (rows, numbers) = RING[runs.trailing_zeros() as usize];
            runs &= runs - 1;
            let tile = self.pyramid.stack(row.wrapping_add_signed(rows), number.wrapping_add_signed(numbers));
            let last = self.last(tile.0);
            if last == stack.0 {
                return true;
            }
            self.parents[usize::from(last)] = stack.0;
        }
        false
    }

    /// Returns the root of a tile's connected part, and shortens the path to the root.
    fn last(&mut self, mut tile: u8) -> u8 {
        loop {
            let parent = self.parents[usize::from(tile)];
            let next = self.parents[usize::from(parent)];
            if parent == next {
                return parent;
            }
            self.parents[usize::from(tile)] = next;
            tile = next;
        }
    }

    /// Makes the neighbouring stacks of a new tile on level 2 or above legal for its seat, if three tiles support
    /// their next space on that level.
    fn reach_beside(&mut self, seat: Seat, level: usize, row: usize, number: usize) {
        let (slot, below) = (self.pyramid.slot(level, row), self.pyramid.slot(level - 1, row));
        let mut reach = |row: usize, slot: usize, below: usize, beside: u64| {
            let open = supported(&self.rows, below) & !taken(self.rows[slot]) & beside;
            if open != 0 {
                let (word, shift) = self.pyramid.shift(row);
                self.legal[seat.index()].put(word, open >> 1 << shift);
            }
        };
        if row > 0 {
            reach(row - 1, slot - 1, below - 1, 3 << number >> 1);
        }
        reach(row, slot, below, 5 << number >> 1);
        reach(row + 1, slot + 1, below + 1, 3 << number);
    }

    /// Makes a stack legal if the new tile is the last missing support of its next space, for each seat that has a
    /// tile touching that space.
    fn open_above(&mut self, level: usize, row: usize, number: usize) {
        if level + 1 == self.pyramid.rows {
            return;
        }
        let (slot, above) = (self.pyramid.slot(level, row), self.pyramid.slot(level + 1, row));
        let rows = &self.rows;
        let mut open = |row: usize, slot: usize, above: usize, over: u64| {
            let open = supported(rows, slot) & over;
            if open != 0 {
                let supports = rows[slot] | rows[slot + 1] | rows[slot + 1] >> 1;
                let touched = supports | beside(rows[above - 1], rows[above], rows[above + 1]);
                let (word, shift) = self.pyramid.shift(row);
                self.legal[0].put(word, (touched & open) >> 1 << shift);
                self.legal[1].put(word, (touched >> HALF & open) >> 1 << shift);
            }
        };
        open(row, slot, above, 1 << number);
        if row > 0 {
            open(row - 1, slot - 1, above - 1, 3 << number >> 1);
        }
    }
}

/// The stacks on which one player may place a tile, as a set and as a list for random choice.
#[derive(Clone, Debug)]
pub(crate) struct LegalStacks {
    set: Stacks,
    list: List<{ 64 * WORDS }>,
}

impl LegalStacks {
    /// Returns every stack of a board.
    pub(crate) fn all(pyramid: &Pyramid) -> LegalStacks {
        let mut legal = LegalStacks { set: [0; WORDS], list: List::empty() };
        pyramid.stacks().for_each(|Stack(stack)| legal.put(usize::from(stack / 64), 1 << (stack % 64)));
        legal
    }

    pub(crate) fn set(&self) -> &Stacks {
        &self.set
    }

    pub(crate) fn count(&self) -> usize {
        self.list.count()
    }

    /// Returns the stack at this index of the unordered list; `None` if the index is too large.
    pub(crate) fn get(&self, number: usize) -> Option<Stack> {
        self.list.get(number).map(|stack| Stack(stack as u8))
    }

    pub(crate) fn has(&self, Stack(stack): Stack) -> bool {
        self.set[usize::from(stack / 64)] >> (stack % 64) & 1 != 0
    }

    /// Adds stacks, given as bits of one word of the set.
    pub(crate) fn put(&mut self, word: usize, stacks: u64) {
        let mut fresh = stacks & !self.set[word];
        self.set[word] |= fresh;
        while fresh != 0 {
            self.list.put(64 * word as u16 + fresh.trailing_zeros() as u16);
            fresh &= fresh - 1;
        }
    }

    /// Removes a stack if it is present.
    pub(crate) fn take(&mut self, stack: Stack) {
        if self.has(stack) {
            self.set[usize::from(stack.0 / 64)] &= !(1 << (stack.0 % 64));
            self.list.take(stack.0.into());
        }
    }
}
