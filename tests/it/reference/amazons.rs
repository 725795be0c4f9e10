//! Amazons: a move or shot is legal if no piece or arrow lies on the straight line to its target.

use super::moving::{Board, Plain};
use super::placing::Place;

#[derive(Clone)]
pub struct Amazons;

impl Plain for Amazons {
    const SIZE: i32 = 10;
    const FIRST: char = 'w';
    const SHOOTS: bool = true;

    fn start(place: Place) -> Option<char> {
        match place {
            (0 | 9, 3) | (3 | 6, 0) => Some('w'),
            (0 | 9, 6) | (3 | 6, 9) => Some('b'),
            _ => None,
        }
    }

    fn can(board: &Board<Self>, from: Place, to: Place) -> bool {
        let (right, up) = (to.0 - from.0, to.1 - from.1);
        let length = right.abs().max(up.abs());
        (right == 0 || up == 0 || right.abs() == up.abs())
            && (1..=length)
                .all(|step| !board.pieces.contains_key(&(from.0 + right.signum() * step, from.1 + up.signum() * step)))
    }

    fn end(_: &Board<Self>, _: char) -> Option<String> {
        None
    }
}
