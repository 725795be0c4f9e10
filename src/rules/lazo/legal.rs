//! The stacks on which a player may place a tile.

use super::pyramid::{Pyramid, Stack, Stacks, WORDS};
use crate::rules::list::List;

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

    /// Returns the stack with this index, in no particular order; `None` if the index is too large.
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
