//! Breakthrough: a move is legal if it goes one row forward and at most one column sideways, and straight only to an
//! empty square.

use super::moving::{Board, Plain, other};
use super::placing::Place;

#[derive(Clone)]
pub struct Breakthrough;

impl Plain for Breakthrough {
    const SIZE: i32 = 8;
    const FIRST: char = 'w';

    fn start((_, row): Place) -> Option<char> {
        match row {
            0 | 1 => Some('w'),
            6 | 7 => Some('b'),
            _ => None,
        }
    }

    fn can(board: &Board<Self>, from: Place, to: Place) -> bool {
        let up = if board.turn == 'w' { 1 } else { -1 };
        match ((to.0 - from.0).abs(), (to.1 - from.1) * up) {
            (0, 1) => !board.pieces.contains_key(&to),
            (1, 1) => true,
            _ => false,
        }
    }

    fn end(board: &Board<Self>, mark: char) -> Option<String> {
        let goal = if mark == 'w' { 7 } else { 0 };
        let arrived = board.of(mark).iter().any(|(_, row)| *row == goal);
        (arrived || board.of(other(mark)).is_empty()).then(|| mark.to_string())
    }
}
