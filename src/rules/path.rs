//! Shortest paths across the cells of a board.

use std::collections::{BTreeMap, VecDeque};

/// Returns a shortest path from one of the starts to an end cell, including both. Empty if there is none.
pub(crate) fn shortest<C: Copy + Ord>(
    starts: impl IntoIterator<Item = C>,
    is_end: impl Fn(C) -> bool,
    beside: impl Fn(C) -> Vec<C>,
) -> Vec<C> {
    let mut before: BTreeMap<C, Option<C>> = starts.into_iter().map(|start| (start, None)).collect();
    let mut waiting: VecDeque<C> = before.keys().copied().collect();
    while let Some(cell) = waiting.pop_front() {
        if is_end(cell) {
            return std::iter::successors(Some(cell), |cell| before[cell]).collect();
        }
        for next in beside(cell) {
            before.entry(next).or_insert_with(|| {
                waiting.push_back(next);
                Some(cell)
            });
        }
    }
    Vec::new()
}
