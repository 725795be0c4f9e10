//! Games in which pieces move, with a map of places. Legal moves are found by trying each pair of squares.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use turnpost::rules::Options;

use super::Reference;
use super::placing::{Place, letter};

/// The rules that differ between the games. A place is a column, counted from the left, and a row, counted from the
/// bottom, both from 0.
pub trait Plain: Clone {
    const SIZE: i32;
    const FIRST: char;
    const SHOOTS: bool = false;
    const PASSES: bool = false;
    const REPEATS: bool = false;
    /// Returns the mark on a place at the start.
    fn start(place: Place) -> Option<char>;
    /// Returns whether the side to move can move its piece from one place to another.
    fn can(board: &Board<Self>, from: Place, to: Place) -> bool;
    /// Returns the winner's mark or `draw`, if a move of `mark` has just ended the game.
    fn end(board: &Board<Self>, mark: char) -> Option<String>;
}

#[derive(Clone)]
pub struct Board<G> {
    pub pieces: BTreeMap<Place, char>,
    pub turn: char,
    last: Option<char>,
    past: Vec<(BTreeMap<Place, char>, char)>,
    game: PhantomData<G>,
}

pub fn other(mark: char) -> char {
    if mark == 'b' { 'w' } else { 'b' }
}

fn name((column, row): Place) -> String {
    format!("{}{}", letter(column), row + 1)
}

fn place(name: &str) -> Place {
    let (column, row) = name.split_at(1);
    ((column.as_bytes()[0] - b'a').into(), row.parse::<i32>().unwrap() - 1)
}

impl<G: Plain> Board<G> {
    pub fn places() -> Vec<Place> {
        (0..G::SIZE).rev().flat_map(|row| (0..G::SIZE).map(move |column| (column, row))).collect()
    }

    pub fn of(&self, mark: char) -> Vec<Place> {
        self.pieces.iter().filter(|(_, piece)| **piece == mark).map(|(place, _)| *place).collect()
    }

    fn moved(&self, from: Place, to: Place) -> Board<G> {
        let mut next = self.clone();
        let piece = next.pieces.remove(&from).unwrap();
        next.pieces.insert(to, piece);
        next
    }

    fn can(&self, from: Place, to: Place) -> bool {
        to != from && self.pieces.get(&to) != Some(&self.turn) && G::can(self, from, to)
    }

    /// Returns the start and the target of each move, in board order. The captures of a piece follow its other moves.
    fn pairs(&self) -> Vec<(Place, Place)> {
        let mut pairs = Vec::new();
        for from in Self::places().into_iter().filter(|place| self.pieces.get(place) == Some(&self.turn)) {
            let targets = Self::places().into_iter().filter(|to| self.can(from, *to));
            let (steps, captures): (Vec<Place>, Vec<Place>) = targets.partition(|to| !self.pieces.contains_key(to));
            pairs.extend(steps.into_iter().chain(captures).map(|to| (from, to)));
        }
        pairs
    }

    fn is_stuck(&self) -> bool {
        let places = Self::places();
        !self.of(self.turn).iter().any(|from| places.iter().any(|to| self.can(*from, *to)))
    }
}

impl<G: Plain> Reference for Board<G> {
    fn start(_: &Options) -> Self {
        let pieces: BTreeMap<Place, char> =
            Self::places().into_iter().filter_map(|place| Some((place, G::start(place)?))).collect();
        let past = vec![(pieces.clone(), G::FIRST)];
        Board { pieces, turn: G::FIRST, last: None, past, game: PhantomData }
    }

    fn moves(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        let mut moves = Vec::new();
        for (from, to) in self.pairs() {
            let separator = if self.pieces.contains_key(&to) { 'x' } else { '-' };
            let text = format!("{}{separator}{}", name(from), name(to));
            if !G::SHOOTS {
                moves.push(text);
                continue;
            }
            let after = self.moved(from, to);
            let shots = Self::places().into_iter().filter(|shot| *shot != to && G::can(&after, to, *shot));
            moves.extend(shots.map(|shot| format!("{text}/{}", name(shot))));
        }
        moves
    }

    fn play(&mut self, text: &str) {
        let places: Vec<Place> = text.split(['-', 'x', '/']).map(place).collect();
        *self = self.moved(places[0], places[1]);
        if let Some(shot) = places.get(2) {
            self.pieces.insert(*shot, '#');
        }
        self.last = Some(self.turn);
        self.turn = other(self.turn);
        if G::PASSES && self.is_stuck() {
            self.turn = other(self.turn);
        }
        self.past.push((self.pieces.clone(), self.turn));
    }

    fn pieces(&self) -> Vec<(String, String)> {
        let piece = |place: Place| Some((name(place), self.pieces.get(&place)?.to_string()));
        Self::places().into_iter().filter_map(piece).collect()
    }

    fn end(&self) -> Option<String> {
        let now = (self.pieces.clone(), self.turn);
        let repeated = || G::REPEATS && self.past.iter().filter(|then| **then == now).count() >= 3;
        let stuck = || if G::PASSES { "draw".to_owned() } else { other(self.turn).to_string() };
        let ended = self.last.and_then(|last| G::end(self, last));
        ended.or_else(|| self.is_stuck().then(stuck)).or_else(|| repeated().then(|| "draw".to_owned()))
    }
}
