//! Yavalath: every row of stones on the board is measured to find the longest one.

use super::havannah::hexagon;
use super::placing::{Board, Place, Plain};

#[derive(Clone)]
pub struct Yavalath;

impl Plain for Yavalath {
    const SIZE: i32 = 5;
    const FIRST: char = 'w';
    const STEPS: &'static [Place] = &[(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)];

    fn cells(size: i32) -> Vec<(String, Place)> {
        hexagon(size)
    }

    fn winner(board: &Board<Self>, mark: char) -> Option<char> {
        let row = |(x, y): Place, (right, down): Place| {
            (0..9).take_while(|step| board.is((x + step * right, y + step * down), mark)).count()
        };
        let rows = board.stones.keys().flat_map(|place| Self::STEPS.iter().map(move |step| row(*place, *step)));
        match rows.max() {
            Some(4..) => Some(mark),
            Some(3) => Some(if mark == 'b' { 'w' } else { 'b' }),
            _ => None,
        }
    }
}
