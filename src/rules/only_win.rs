//! Puzzles: positions in which the player to move has exactly one immediately winning move.

use std::ops::RangeInclusive;

use super::play::Play;

/// With fewer legal moves, the puzzle would be too easy; with more, the search for it would take seconds.
const MOVES: RangeInclusive<usize> = 5..=3_000;

/// Returns the only legal move with which the player to move wins immediately. `None` if no move or several moves
/// win, or if there are too few moves to choose from.
pub fn only_win(position: &dyn Play) -> Option<String> {
    if !MOVES.contains(&position.legal_count()) {
        return None;
    }
    let mut winning = winning_moves(position);
    let first = winning.next()?;
    winning.next().is_none().then_some(first)
}

/// Iterates over the legal moves with which the player to move wins.
pub(crate) fn winning_moves(position: &dyn Play) -> impl Iterator<Item = String> {
    let mover = position.to_move();
    position.legal_moves().into_iter().filter(move |text| {
        let mut after = position.boxed_clone();
        let wins = after.play(text).is_ok() && after.outcome().is_some_and(|outcome| outcome.winner == mover);
        wins && mover.is_some()
    })
}
