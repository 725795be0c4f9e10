//! Counts how often each position has occurred, in games where repetition matters.
//!
//! Every ply makes one lookup, so speed matters. This plain hash table with chains can only count a position and undo
//! the most recent count.

use std::hash::{Hash, Hasher};

/// Marks the end of a chain.
const NONE: u32 = u32::MAX;
/// The initial number of chains, a power of two. Most games are shorter, so their tables never grow.
const CHAINS: usize = 256;

/// The positions of a game by their keys, with the number of occurrences.
#[derive(Clone, Debug)]
pub(crate) struct RepetitionTable<S> {
    entries: Vec<Entry<S>>,
    /// The index of the newest entry of each chain.
    chains: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<S> {
    key: S,
    times: u8,
    /// The index of the next older entry in the chain.
    next: u32,
}

impl<S> Default for RepetitionTable<S> {
    fn default() -> Self {
        RepetitionTable { entries: Vec::new(), chains: Vec::new() }
    }
}

impl<S: Copy + Eq + Hash> RepetitionTable<S> {
    /// Counts one more occurrence of a position and returns the new count.
    pub(crate) fn enter(&mut self, key: S) -> u8 {
        if self.entries.len() == self.chains.len() {
            self.grow();
        }
        let chain = self.chain(&key);
        let mut at = self.chains[chain];
        while let Some(entry) = self.entries.get_mut(at as usize) {
            if entry.key == key {
                entry.times += 1;
                return entry.times;
            }
            at = entry.next;
        }
        self.entries.push(Entry { key, times: 1, next: self.chains[chain] });
        self.chains[chain] = self.entries.len() as u32 - 1;
        1
    }

    /// Undoes the most recent [`enter`](RepetitionTable::enter) that has not been undone. It must have been for this
    /// position.
    pub(crate) fn leave(&mut self, key: S) {
        let chain = self.chain(&key);
        let mut at = self.chains[chain];
        while let Some(entry) = self.entries.get_mut(at as usize) {
            if entry.key == key {
                entry.times -= 1;
                break;
            }
            at = entry.next;
        }
        // An entry whose count falls to zero is the newest of all.
        if let Some(last) = self.entries.pop_if(|last| last.times == 0) {
            self.chains[chain] = last.next;
        }
    }

    fn grow(&mut self) {
        self.chains = vec![NONE; (2 * self.chains.len()).max(CHAINS)];
        self.entries.reserve(self.chains.len() - self.entries.len());
        for at in 0..self.entries.len() {
            let chain = self.chain(&self.entries[at].key);
            self.entries[at].next = self.chains[chain];
            self.chains[chain] = at as u32;
        }
    }

    fn chain(&self, key: &S) -> usize {
        let mut hasher = Folded::default();
        key.hash(&mut hasher);
        hasher.finish() as usize & (self.chains.len() - 1)
    }
}

/// A hash by folded multiplication. The keys are positions of games, so the hash must be fast, but need not resist
/// attackers.
#[derive(Clone, Copy, Debug, Default)]
struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // Two constants without a pattern (the second is the fractional part of the golden ratio). Without the first, a
        // word of zeros would not change the hash.
        let product = u128::from(self.0 ^ word ^ 0xf39c_c060_5ced_c835) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }

    fn write_u128(&mut self, word: u128) {
        self.write_u64(word as u64);
        self.write_u64((word >> 64) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undone_positions_are_not_counted() {
        let mut table = RepetitionTable::default();
        for round in 1..=2 {
            assert!((0..500_u128).all(|key| table.enter(key) == round));
        }
        assert!((0..500).rev().all(|key| {
            table.leave(key);
            table.enter(key) == 2
        }));
        for _ in 1..=2 {
            (0..500).rev().for_each(|key| table.leave(key));
        }
        assert!(table.entries.is_empty() && table.chains.iter().all(|chain| *chain == NONE));
    }
}
