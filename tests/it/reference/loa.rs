//! Lines of Action. Lines are identified by sums and differences of columns and rows, and groups that touch are merged
//! until no two of them touch.

use super::moving::{Board, Plain, other};
use super::placing::Place;

#[derive(Clone)]
pub struct LinesOfAction;

/// Returns the numbers that identify the four lines through a place, one for each direction.
fn lines((column, row): Place) -> [i32; 4] {
    [column, row, column + row, column - row]
}

fn touch(one: Place, other: Place) -> bool {
    (one.0 - other.0).abs() <= 1 && (one.1 - other.1).abs() <= 1
}

fn groups(places: &[Place]) -> usize {
    let mut groups: Vec<Vec<Place>> = Vec::new();
    for place in places {
        let (met, mut rest): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|member| touch(*member, *place)));
        rest.push(met.into_iter().flatten().chain([*place]).collect());
        groups = rest;
    }
    groups.len()
}

impl Plain for LinesOfAction {
    const SIZE: i32 = 8;
    const FIRST: char = 'b';
    const PASSES: bool = true;
    const REPEATS: bool = true;

    fn start((column, row): Place) -> Option<char> {
        let at_rim = |at: i32| at == 0 || at == 7;
        match (at_rim(column), at_rim(row)) {
            (false, true) => Some('b'),
            (true, false) => Some('w'),
            _ => None,
        }
    }

    fn can(board: &Board<Self>, from: Place, to: Place) -> bool {
        let Some(way) = (0..4).find(|way| lines(from)[*way] == lines(to)[*way]) else { return false };
        let on_line = |place: &&Place| lines(**place)[way] == lines(from)[way];
        let length = (to.0 - from.0).abs().max((to.1 - from.1).abs());
        let between = |place: &Place| {
            let side = |to: i32, from: i32, at: i32| (at - from) * (to - from) >= 0 && (to - at) * (to - from) >= 0;
            side(to.0, from.0, place.0) && side(to.1, from.1, place.1) && *place != to
        };
        board.pieces.keys().filter(on_line).count() as i32 == length
            && !board.of(other(board.turn)).iter().filter(on_line).any(between)
    }

    fn end(board: &Board<Self>, mark: char) -> Option<String> {
        let [own, enemy] = [mark, other(mark)].map(|mark| groups(&board.of(mark)));
        match (own, enemy) {
            (1, 1) => Some("draw".to_owned()),
            (1, _) => Some(mark.to_string()),
            (_, 1) => Some(other(mark).to_string()),
            _ => None,
        }
    }
}
