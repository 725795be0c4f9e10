//! Gonnect, with a map of stones. Each move is tried on a copy of the board, from which captured chains are removed.

use std::collections::{BTreeMap, BTreeSet};

use turnpost::rules::Options;

use super::Reference;
use super::placing::letter;

type Place = (i32, i32);
type Stones = BTreeMap<Place, char>;

/// A board. Columns are counted from the left, and rows from the bottom.
#[derive(Clone)]
pub struct Gonnect {
    size: i32,
    stones: Stones,
    turn: char,
    plies: usize,
    /// All positions since the start or the swap, with the player to move.
    before: Vec<(Stones, char)>,
    /// The place of the last stone, and the stones that it captured.
    last: Option<(Place, Vec<Place>)>,
}

fn other(colour: char) -> char {
    if colour == 'b' { 'w' } else { 'b' }
}

impl Gonnect {
    fn places(&self) -> Vec<Place> {
        (0..self.size).rev().flat_map(|row| (0..self.size).map(move |column| (column, row))).collect()
    }

    fn name((column, row): Place) -> String {
        format!("{}{}", letter(column), row + 1)
    }

    fn beside(&self, (column, row): Place) -> Vec<Place> {
        let all = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)];
        all.into_iter().filter(|(x, y)| (0..self.size).contains(x) && (0..self.size).contains(y)).collect()
    }

    fn chain(&self, stones: &Stones, from: Place) -> BTreeSet<Place> {
        let (mut chain, mut todo) = (BTreeSet::from([from]), vec![from]);
        while let Some(place) = todo.pop() {
            for next in self.beside(place) {
                if stones.get(&next) == stones.get(&from) && chain.insert(next) {
                    todo.push(next);
                }
            }
        }
        chain
    }

    fn is_free(&self, stones: &Stones, stone: Place) -> bool {
        let chain = self.chain(stones, stone);
        chain.iter().any(|place| self.beside(*place).iter().any(|next| !stones.contains_key(next)))
    }

    /// Tries to place a stone. Returns the stones on the board afterwards and the captured stones, or `None` if the
    /// rules forbid the move.
    fn tried(&self, place: Place) -> Option<(Stones, Vec<Place>)> {
        let mut stones = self.stones.clone();
        if stones.insert(place, self.turn).is_some() {
            return None;
        }
        let enemies = self.stones.iter().filter(|(_, colour)| **colour != self.turn);
        let taken: Vec<Place> = enemies.map(|(at, _)| *at).filter(|at| !self.is_free(&stones, *at)).collect();
        stones.retain(|at, _| !taken.contains(at));
        let takes_back = self.last.as_ref().is_some_and(|(last, before)| *before == [place] && taken == [*last]);
        (self.is_free(&stones, place) && !takes_back).then_some((stones, taken))
    }

    fn connects(&self, colour: char) -> bool {
        let own = self.stones.iter().filter(|(_, stone)| **stone == colour);
        own.map(|(place, _)| self.chain(&self.stones, *place)).any(|chain| {
            let has = |column: Option<i32>, row: Option<i32>| {
                chain.iter().any(|(x, y)| column.is_none_or(|at| at == *x) && row.is_none_or(|at| at == *y))
            };
            let far = Some(self.size - 1);
            has(Some(0), None) && has(far, None) || has(None, Some(0)) && has(None, far)
        })
    }

    fn legal(&self) -> Vec<String> {
        let places = self.places().into_iter().filter(|place| self.tried(*place).is_some());
        let mut moves: Vec<String> = places.map(Gonnect::name).collect();
        if self.plies == 1 {
            moves.push("swap".to_owned());
        }
        moves
    }
}

impl Reference for Gonnect {
    fn start(options: &Options) -> Gonnect {
        let size = options.iter().next().map_or(13, |(_, value)| value.unwrap().parse().unwrap());
        let before = vec![(Stones::new(), 'b')];
        Gonnect { size, stones: Stones::new(), turn: 'b', plies: 0, before, last: None }
    }

    fn moves(&self) -> Vec<String> {
        if self.end().is_some() { Vec::new() } else { self.legal() }
    }

    fn play(&mut self, text: &str) {
        self.plies += 1;
        if text == "swap" {
            // After a swap, the stones and the colour to move are the same, so the list of earlier positions restarts.
            return self.before = vec![(self.stones.clone(), self.turn)];
        }
        let place = self.places().into_iter().find(|place| Gonnect::name(*place) == text).unwrap();
        let (stones, taken) = self.tried(place).unwrap();
        (self.stones, self.last) = (stones, Some((place, taken)));
        self.turn = other(self.turn);
        self.before.push((self.stones.clone(), self.turn));
    }

    fn pieces(&self) -> Vec<(String, String)> {
        let stone = |place: Place| Some((Gonnect::name(place), self.stones.get(&place)?.to_string()));
        self.places().into_iter().filter_map(stone).collect()
    }

    fn end(&self) -> Option<String> {
        let winner = ['b', 'w'].into_iter().find(|colour| self.connects(*colour));
        if let Some(winner) = winner {
            return Some(winner.to_string());
        }
        if self.legal().is_empty() {
            return Some(other(self.turn).to_string());
        }
        let now = (self.stones.clone(), self.turn);
        (self.before.iter().filter(|then| **then == now).count() >= 3).then(|| "draw".to_owned())
    }
}
