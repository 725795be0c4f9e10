//! Tessella, with a map of coordinates. Lines are followed one step at a time.

use std::collections::BTreeMap;

use turnpost::rules::Options;

use super::Reference;

type Place = (i32, i32);

const STRAIGHT: [Place; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [Place; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// A board. A place is a column and a row, both counted from the middle space.
#[derive(Clone)]
pub struct Tessella {
    pieces: BTreeMap<Place, char>,
    to_move: char,
    past: Vec<(BTreeMap<Place, char>, char)>,
}

fn exists((x, y): Place) -> bool {
    x.abs() + y.abs() < 5
}

fn name((x, y): Place) -> String {
    format!("{}{}", char::from(b'e'.wrapping_add_signed(x as i8)), 5 + y)
}

fn place(name: &str) -> Place {
    let letters = name.as_bytes();
    (i32::from(letters[0]) - i32::from(b'e'), i32::from(letters[1]) - i32::from(b'5'))
}

/// Returns the key that sorts places in board order: from the top row to the bottom, and from left to right in a row.
fn order(&(x, y): &Place) -> (i32, i32) {
    (-y, x)
}

fn other(side: char) -> char {
    if side == 'c' { 'd' } else { 'c' }
}

impl Tessella {
    /// Returns the first piece in a direction, and its place.
    fn seen(&self, from: Place, step: Place) -> Option<(Place, char)> {
        let mut at = (from.0 + step.0, from.1 + step.1);
        while exists(at) {
            if let Some(side) = self.pieces.get(&at) {
                return Some((at, *side));
            }
            at = (at.0 + step.0, at.1 + step.1);
        }
        None
    }

    fn steps(&self, from: Place) -> Vec<Place> {
        let octagon = (from.0 + from.1) % 2 == 0;
        let directions = STRAIGHT.iter().chain(DIAGONAL.iter().filter(|_| octagon));
        let ends = directions.map(|step| (from.0 + step.0, from.1 + step.1));
        ends.filter(|end| exists(*end) && !self.pieces.contains_key(end)).collect()
    }

    fn shots(&self, from: Place) -> Vec<Place> {
        let mut found = Vec::new();
        for step in STRAIGHT.iter().chain(&DIAGONAL) {
            let behind = self.seen(from, (-step.0, -step.1));
            let ahead = self.seen(from, *step);
            if let (Some((_, backer)), Some((target, enemy))) = (behind, ahead)
                && backer == self.to_move
                && enemy != self.to_move
            {
                found.push(target);
            }
        }
        found
    }

    fn left(&self, side: char) -> usize {
        self.pieces.values().filter(|piece| **piece == side).count()
    }
}

impl Reference for Tessella {
    fn start(_: &Options) -> Tessella {
        let mut pieces = BTreeMap::new();
        for name in ["b4", "c3", "d2", "e1", "f2", "g3", "h4"] {
            let (x, y) = place(name);
            pieces.insert((x, y), 'c');
            pieces.insert((x, -y), 'd');
        }
        Tessella { past: vec![(pieces.clone(), 'c')], pieces, to_move: 'c' }
    }

    fn moves(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        let mut own: Vec<Place> =
            self.pieces.iter().filter(|(_, side)| **side == self.to_move).map(|(at, _)| *at).collect();
        own.sort_by_key(order);
        let mut moves = Vec::new();
        for from in own {
            for (sign, mut ends) in [('-', self.steps(from)), ('x', self.shots(from))] {
                ends.sort_by_key(order);
                moves.extend(ends.into_iter().map(|end| format!("{}{sign}{}", name(from), name(end))));
            }
        }
        moves
    }

    fn play(&mut self, text: &str) {
        let (from, to) = text.split_once(['-', 'x']).unwrap();
        let piece = self.pieces.remove(&place(from)).unwrap();
        self.pieces.insert(place(to), piece);
        self.to_move = other(self.to_move);
        self.past.push((self.pieces.clone(), self.to_move));
    }

    fn pieces(&self) -> Vec<(String, String)> {
        let mut pieces: Vec<_> = self.pieces.iter().collect();
        pieces.sort_by_key(|(at, _)| order(at));
        pieces.into_iter().map(|(at, side)| (name(*at), side.to_string())).collect()
    }

    fn end(&self) -> Option<String> {
        let won = ['c', 'd'].into_iter().find(|side| self.left(other(*side)) <= 3);
        let here = (self.pieces.clone(), self.to_move);
        let drawn = || self.past.iter().filter(|before| **before == here).count() >= 3;
        won.map(String::from).or_else(|| drawn().then(|| "draw".to_owned()))
    }
}
