//! Hex: a flood fill finds out whether a chain connects two opposite sides.

use super::placing::{Board, Place, Plain, letter};

#[derive(Clone)]
pub struct Hex;

impl Plain for Hex {
    const SIZE: i32 = 11;
    const FIRST: char = 'b';
    const STEPS: &'static [Place] = &[(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)];

    fn cells(size: i32) -> Vec<(String, Place)> {
        let row = |row: i32| (0..size).map(move |column| (format!("{}{}", letter(column), row + 1), (column, row)));
        (0..size).flat_map(row).collect()
    }

    fn winner(board: &Board<Self>, mark: char) -> Option<char> {
        let along = |(column, row): Place| if mark == 'b' { row } else { column };
        let crosses = board
            .chains(mark)
            .iter()
            .any(|chain| [0, board.size - 1].iter().all(|end| chain.iter().any(|place| along(*place) == *end)));
        crosses.then_some(mark)
    }
}
