//! Immediate wins, found by trying every move.

use crate::rules::{Position, Seat};

/// Returns the position after a move.
pub(crate) fn after<P: Position>(position: &P, mv: P::Move) -> P {
    let mut next = position.clone();
    next.play_unchecked(mv);
    next
}

pub(crate) fn winner<P: Position>(position: &P) -> Option<Seat> {
    position.outcome()?.winner
}

/// Returns a move that wins immediately for the player to move.
pub(crate) fn winning_move<P: Position>(position: &P) -> Option<P::Move> {
    let mover = position.mover();
    position.steps().find(|mv| winner(&after(position, *mv)) == Some(mover))
}

/// Facts about a position's moves before any search.
pub(crate) struct Tactics<M> {
    /// A move that wins within three plies, against every defence.
    pub(crate) wins: Option<M>,
    /// The moves after which the opponent cannot win immediately; all moves if there are none.
    pub(crate) safe: Vec<M>,
}

/// Checks every move, every answer and, if the answers do not stop a threat, every move after them.
pub(crate) fn tactics<P: Position>(position: &P) -> Tactics<P::Move> {
    if let Some(wins) = winning_move(position) {
        return Tactics { wins: Some(wins), safe: vec![wins] };
    }
    let mover = position.mover();
    let mut safe = Vec::new();
    for mv in position.steps() {
        let next = after(position, mv);
        if next.outcome().is_some() || next.mover() == mover {
            safe.push(mv);
            continue;
        }
        if winning_move(&next).is_some() {
            continue;
        }
        safe.push(mv);
        let wins = |answer: P::Move| {
            let then = after(&next, answer);
            then.outcome().is_none() && then.mover() == mover && winning_move(&then).is_some()
        };
        // Most moves threaten nothing, which the first answer shows.
        if next.steps().all(wins) {
            return Tactics { wins: Some(mv), safe };
        }
    }
    if safe.is_empty() {
        safe = position.steps().collect();
    }
    Tactics { wins: None, safe }
}
