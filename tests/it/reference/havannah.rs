//! Havannah. A flood fill of each chain counts the corners and sides that it touches. A chain is a ring if a flood fill
//! from some other cell cannot reach the edge of the board without crossing the chain.

use super::placing::{Board, Place, Plain, letter};

#[derive(Clone)]
pub struct Havannah;

/// Returns the names and places of a hexagonal board's cells. A place consists of an oblique column and a row.
pub fn hexagon(size: i32) -> Vec<(String, Place)> {
    let row = |row: i32| {
        let length = 2 * size - 1 - (row - (size - 1)).abs();
        let first = -row.min(size - 1);
        (0..length).map(move |number| (format!("{}{}", letter(row), number + 1), (first + number, row)))
    };
    (0..2 * size - 1).flat_map(row).collect()
}

/// Returns the sides of the board on which a cell lies; a corner lies on two of them.
fn lines((x, row): Place, size: i32) -> Vec<i32> {
    let (far, y) = (size - 1, row - (size - 1));
    let on_it = [x == far, x == -far, y == far, y == -far, x + y == far, x + y == -far];
    (0..6).filter(|side| on_it[*side as usize]).collect()
}

impl Plain for Havannah {
    const SIZE: i32 = 8;
    const FIRST: char = 'w';
    const STEPS: &'static [Place] = &[(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)];

    fn cells(size: i32) -> Vec<(String, Place)> {
        hexagon(size)
    }

    fn winner(board: &Board<Self>, mark: char) -> Option<char> {
        let rim = |place: Place| lines(place, board.size);
        let bridge_or_fork = board.chains(mark).iter().any(|chain| {
            let corners = chain.iter().filter(|place| rim(**place).len() == 2).count();
            let sides = chain.iter().map(|place| rim(*place)).filter(|lines| lines.len() == 1);
            let mut sides: Vec<i32> = sides.flatten().collect();
            sides.sort();
            sides.dedup();
            corners >= 2 || sides.len() >= 3
        });
        let is_enclosed = |place: Place| {
            let reached = board.flood(place, |next| !board.is(next, mark));
            reached.iter().all(|place| rim(*place).is_empty())
        };
        let ring = || board.cells.iter().any(|(_, place)| is_enclosed(*place));
        (bridge_or_fork || ring()).then_some(mark)
    }
}
