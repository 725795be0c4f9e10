//! Positions that are puzzles: the player to move can win at once, by one move alone.

use super::play::Play;

/// With fewer legal moves, finding the one that wins is no task.
const FEWEST_MOVES: usize = 5;

/// The one legal move by which the player to move wins at once; none where no move or more than one does, and where there
/// is next to no choice.
pub fn only_win(position: &dyn Play) -> Option<String> {
    if position.legal_moves().len() < FEWEST_MOVES {
        return None;
    }
    let mut winning = winning_moves(position);
    let first = winning.next()?;
    winning.next().is_none().then_some(first)
}

/// The legal moves by which the player to move wins.
pub(super) fn winning_moves(position: &dyn Play) -> impl Iterator<Item = String> {
    let mover = position.to_move();
    position.legal_moves().into_iter().filter(move |text| {
        let mut after = position.boxed_clone();
        let wins = after.play(text).is_ok() && after.outcome().is_some_and(|outcome| outcome.winner == mover);
        wins && mover.is_some()
    })
}
