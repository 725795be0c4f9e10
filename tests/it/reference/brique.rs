//! Brique, with the board as a list of rows. After each stone, the whole board is scanned for squares that the escort
//! rule fills, and a flood fill looks for a winning chain. Assertions check that some situations never occur: a filled
//! square that causes another one, a move that wins for the opponent, and a full board without a winner.

use std::collections::BTreeSet;

use turnpost::rules::Options;

use super::Reference;

/// A board. Rows are counted from the top, and columns from the left.
#[derive(Clone)]
pub struct Brique {
    pub rows: Vec<Vec<char>>,
    to_move: char,
    plies: usize,
}

impl Brique {
    fn size(&self) -> usize {
        self.rows.len()
    }

    fn name(&self, row: usize, column: usize) -> String {
        format!("{}{}", "abcdefghijklmnopqrs".chars().nth(column).unwrap(), self.size() - row)
    }

    fn places(&self) -> Vec<(usize, usize)> {
        (0..self.size()).flat_map(|row| (0..self.size()).map(move |column| (row, column))).collect()
    }

    fn stone(&self, row: isize, column: isize) -> Option<char> {
        let row = self.rows.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    /// Returns the squares that have no stone of this colour but whose two escorts both have one.
    fn falling(&self, colour: char) -> Vec<(usize, usize)> {
        let falls = |&(row, column): &(usize, usize)| {
            let light = row % 2 == column % 2;
            let away = if light { -1 } else { 1 };
            let (r, c) = (row as isize, column as isize);
            self.rows[row][column] != colour
                && self.stone(r + away, c) == Some(colour)
                && self.stone(r, c + away) == Some(colour)
        };
        self.places().into_iter().filter(falls).collect()
    }

    fn has_chain(&self, colour: char) -> bool {
        let last = self.size() - 1;
        let along = |place: &(usize, usize)| if colour == 'b' { place.0 } else { place.1 };
        let own = |place: &(usize, usize)| self.rows[place.0][place.1] == colour;
        let mut todo: Vec<_> = self.places().into_iter().filter(|place| along(place) == 0 && own(place)).collect();
        let mut seen: BTreeSet<_> = todo.iter().copied().collect();
        while let Some((row, column)) = todo.pop() {
            let beside =
                [(row.wrapping_sub(1), column), (row + 1, column), (row, column.wrapping_sub(1)), (row, column + 1)];
            for next in beside {
                if next.0 <= last && next.1 <= last && own(&next) && seen.insert(next) {
                    todo.push(next);
                }
            }
        }
        seen.iter().any(|place| along(place) == last)
    }
}

impl Reference for Brique {
    fn start(options: &Options) -> Brique {
        let size = options.iter().next().map_or(15, |(_, value)| value.unwrap().parse().unwrap());
        Brique { rows: vec![vec!['.'; size]; size], to_move: 'b', plies: 0 }
    }

    fn moves(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        let empty = self.places().into_iter().filter(|(row, column)| self.rows[*row][*column] == '.');
        let mut moves: Vec<String> = empty.map(|(row, column)| self.name(row, column)).collect();
        if self.plies == 1 {
            moves.push("swap".to_owned());
        }
        moves
    }

    fn play(&mut self, text: &str) {
        self.plies += 1;
        if text == "swap" {
            return;
        }
        let place = self.places().into_iter().find(|(row, column)| self.name(*row, *column) == text).unwrap();
        let (own, enemy) = (self.to_move, if self.to_move == 'b' { 'w' } else { 'b' });
        self.rows[place.0][place.1] = own;
        for (row, column) in self.falling(own) {
            self.rows[row][column] = own;
        }
        assert!(self.falling(own).is_empty() && self.falling(enemy).is_empty(), "no more squares fall after {text}");
        assert!(!self.has_chain(enemy), "{text} does not win for the opponent");
        assert!(
            self.end().is_some() || self.rows.iter().flatten().any(|square| *square == '.'),
            "a full board has a winner"
        );
        self.to_move = enemy;
    }

    fn pieces(&self) -> Vec<(String, String)> {
        let stones = self.places().into_iter().filter(|(row, column)| self.rows[*row][*column] != '.');
        stones.map(|(row, column)| (self.name(row, column), self.rows[row][column].to_string())).collect()
    }

    fn end(&self) -> Option<String> {
        ['b', 'w'].into_iter().find(|colour| self.has_chain(*colour)).map(String::from)
    }
}
