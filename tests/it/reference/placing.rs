//! Games in which each turn places one stone. Cells are lists of names and places, and each check uses a flood fill.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

use turnpost::rules::Options;

use super::Reference;

pub type Place = (i32, i32);

/// The rules that differ between the games.
pub trait Plain: Clone {
    /// The number of cells along a side, and the mark that moves first.
    const SIZE: i32;
    const FIRST: char;
    /// The steps from a cell to its neighbours.
    const STEPS: &'static [Place];
    /// Returns the cells with their names, in board order.
    fn cells(size: i32) -> Vec<(String, Place)>;
    /// Returns the winner's mark after a stone of `mark` was placed.
    fn winner(board: &Board<Self>, mark: char) -> Option<char>;
}

#[derive(Clone)]
pub struct Board<G> {
    pub size: i32,
    pub cells: Vec<(String, Place)>,
    pub stones: BTreeMap<Place, char>,
    turn: char,
    plies: usize,
    game: PhantomData<G>,
}

pub fn letter(index: i32) -> char {
    "abcdefghijklmnopqrstuvwxyz".chars().nth(index as usize).unwrap()
}

impl<G: Plain> Board<G> {
    pub fn is(&self, place: Place, mark: char) -> bool {
        self.stones.get(&place) == Some(&mark)
    }

    pub fn beside(&self, (x, y): Place) -> Vec<Place> {
        let all = G::STEPS.iter().map(|(right, down)| (x + right, y + down));
        all.filter(|place| self.cells.iter().any(|(_, cell)| cell == place)).collect()
    }

    /// Returns the places that a flood fill from one place reaches. It crosses only places for which `goes` is true.
    pub fn flood(&self, from: Place, goes: impl Fn(Place) -> bool) -> BTreeSet<Place> {
        let (mut seen, mut todo) = (BTreeSet::from([from]), vec![from]);
        while let Some(place) = todo.pop() {
            for next in self.beside(place) {
                if goes(next) && seen.insert(next) {
                    todo.push(next);
                }
            }
        }
        seen
    }

    /// Returns the chains of a mark.
    pub fn chains(&self, mark: char) -> Vec<BTreeSet<Place>> {
        let mut chains: Vec<BTreeSet<Place>> = Vec::new();
        for place in self.stones.keys().filter(|place| self.is(**place, mark)) {
            if !chains.iter().any(|chain| chain.contains(place)) {
                chains.push(self.flood(*place, |next| self.is(next, mark)));
            }
        }
        chains
    }
}

impl<G: Plain> Reference for Board<G> {
    fn start(options: &Options) -> Self {
        let size = options.iter().next().map_or(G::SIZE, |(_, value)| value.unwrap().parse().unwrap());
        let cells = G::cells(size);
        Board { size, cells, stones: BTreeMap::new(), turn: G::FIRST, plies: 0, game: PhantomData }
    }

    fn moves(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        let empty = self.cells.iter().filter(|(_, place)| !self.stones.contains_key(place));
        let mut moves: Vec<String> = empty.map(|(name, _)| name.clone()).collect();
        if self.plies == 1 {
            moves.push("swap".to_owned());
        }
        moves
    }

    fn play(&mut self, text: &str) {
        self.plies += 1;
        if text != "swap" {
            let (_, place) = self.cells.iter().find(|(name, _)| name == text).unwrap();
            self.stones.insert(*place, self.turn);
            self.turn = if self.turn == 'b' { 'w' } else { 'b' };
        }
    }

    fn pieces(&self) -> Vec<(String, String)> {
        let piece = |(name, place): &(String, Place)| Some((name.clone(), self.stones.get(place)?.to_string()));
        self.cells.iter().filter_map(piece).collect()
    }

    fn end(&self) -> Option<String> {
        let last = if self.turn == 'b' { 'w' } else { 'b' };
        let full = || (self.stones.len() == self.cells.len()).then(|| "draw".to_owned());
        G::winner(self, last).map(String::from).or_else(full)
    }
}
