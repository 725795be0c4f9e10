//! Pente. Each line of the board is written as a text, which is searched for captures and for five stones in a row.

use std::collections::{BTreeMap, BTreeSet};

use turnpost::rules::Options;

use super::Reference;
use super::placing::{Place, letter};

/// A board. Columns are counted from the left, and rows from the top.
#[derive(Clone)]
pub struct Pente {
    size: i32,
    /// The rows, columns and diagonals.
    lines: Vec<Vec<Place>>,
    stones: BTreeMap<Place, char>,
    turn: char,
    plies: usize,
    /// The marks of the captured stones.
    lost: Vec<char>,
}

fn other(mark: char) -> char {
    if mark == 'b' { 'w' } else { 'b' }
}

impl Pente {
    fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let size = self.size;
        (0..size).flat_map(move |row| (0..size).map(move |column| (column, row)))
    }

    fn name(&self, (column, row): Place) -> String {
        format!("{}{}", letter(column), self.size - row)
    }

    /// Returns the marks along a line, with a dot for each empty cell.
    fn text(&self, line: &[Place]) -> String {
        line.iter().map(|place| self.stones.get(place).copied().unwrap_or('.')).collect()
    }

    /// Returns the stones that a new stone captures: pairs of enemy stones between it and another stone of its mark.
    fn taken(&self, place: Place, mark: char) -> BTreeSet<Place> {
        let pattern: String = [mark, other(mark), other(mark), mark].iter().collect();
        let windows = self.lines.iter().flat_map(|line| line.windows(4));
        let around = windows.filter(|window| window[0] == place || window[3] == place);
        around.filter(|window| self.text(window) == pattern).flat_map(|window| [window[1], window[2]]).collect()
    }
}

impl Reference for Pente {
    fn start(options: &Options) -> Pente {
        let size: i32 = options.iter().next().map_or(19, |(_, value)| value.unwrap().parse().unwrap());
        let mut lines = BTreeMap::<(u8, i32), Vec<Place>>::new();
        for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
            for key in [(0, row), (1, column), (2, row - column), (3, row + column)] {
                lines.entry(key).or_default().push((column, row));
            }
        }
        let lines = lines.into_values().collect();
        Pente { size, lines, stones: BTreeMap::new(), turn: 'w', plies: 0, lost: Vec::new() }
    }

    fn moves(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        let empty = self.places().filter(|place| !self.stones.contains_key(place));
        let mut moves: Vec<String> = empty.map(|place| self.name(place)).collect();
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
        let place = self.places().find(|place| self.name(*place) == text).unwrap();
        self.stones.insert(place, self.turn);
        for place in self.taken(place, self.turn) {
            self.lost.extend(self.stones.remove(&place));
        }
        self.turn = other(self.turn);
    }

    fn pieces(&self) -> Vec<(String, String)> {
        let piece = |place: Place| Some((self.name(place), self.stones.get(&place)?.to_string()));
        self.places().filter_map(piece).collect()
    }

    fn end(&self) -> Option<String> {
        let texts: Vec<String> = self.lines.iter().map(|line| self.text(line)).collect();
        let has_won = |mark: &char| {
            let row = mark.to_string().repeat(5);
            let lost = self.lost.iter().filter(|lost| **lost == other(*mark)).count();
            lost >= 10 || texts.iter().any(|text| text.contains(&row))
        };
        let winner = ['b', 'w'].into_iter().find(has_won).map(String::from);
        winner.or_else(|| (self.stones.len() == self.places().count()).then(|| "draw".to_owned()))
    }
}
