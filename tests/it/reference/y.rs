//! Y: a flood fill of each chain finds the sides that the chain touches.

use super::placing::{Board, Place, Plain, letter};

#[derive(Clone)]
pub struct Y;

impl Plain for Y {
    const SIZE: i32 = 12;
    const FIRST: char = 'b';
    const STEPS: &'static [Place] = &[(0, 1), (0, -1), (-1, -1), (-1, 0), (1, 0), (1, 1)];

    fn cells(size: i32) -> Vec<(String, Place)> {
        let row = |row: i32| (0..=row).map(move |number| (format!("{}{}", letter(row), number + 1), (row, number)));
        (0..size).flat_map(row).collect()
    }

    fn winner(board: &Board<Self>, mark: char) -> Option<char> {
        let touches = |side: fn(Place, i32) -> bool, chain: &std::collections::BTreeSet<Place>| {
            chain.iter().any(|place| side(*place, board.size))
        };
        let wins = board.chains(mark).iter().any(|chain| {
            touches(|(_, number), _| number == 0, chain)
                && touches(|(row, number), _| number == row, chain)
                && touches(|(row, _), size| row == size - 1, chain)
        });
        wins.then_some(mark)
    }
}
