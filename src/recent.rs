//! A small cache of recent values, for `store`, `service` and `compose`. Pure.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A cache of the most recently added values, at most `MOST`. Threads can share it.
pub struct Recent<T, const MOST: usize>(Mutex<VecDeque<T>>);

impl<T, const MOST: usize> Default for Recent<T, MOST> {
    fn default() -> Self {
        Recent(Mutex::default())
    }
}

impl<T: Clone, const MOST: usize> Recent<T, MOST> {
    fn kept(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached value that `is_it` accepts.
    pub fn find(&self, is_it: impl Fn(&T) -> bool) -> Option<T> {
        self.kept().iter().find(|value| is_it(value)).cloned()
    }

    /// Adds a value and evicts the oldest if the cache is full.
    pub fn keep(&self, value: T) {
        let mut kept = self.kept();
        kept.truncate(MOST - 1);
        kept.push_front(value);
    }

    /// Clears the cache.
    pub fn forget(&self) {
        self.kept().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_values_are_cached() {
        let recent = Recent::<u8, 3>::default();
        (1..=4).for_each(|value| recent.keep(value));
        assert_eq!([1, 2, 4].map(|wanted| recent.find(|value| *value == wanted)), [None, Some(2), Some(4)]);
        recent.forget();
        assert_eq!(recent.find(|_| true), None);
    }
}
