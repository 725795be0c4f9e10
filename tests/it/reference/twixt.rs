//! TwixT, with a list of links. Two links cross if they intersect strictly between the ends of both.

use std::collections::{BTreeMap, BTreeSet};

use turnpost::rules::Options;

use super::Reference;
use super::placing::{Place, letter};

/// A board. A place is a column, counted from the left, and a row, counted from the top.
#[derive(Clone)]
pub struct TwixT {
    size: i32,
    pegs: BTreeMap<Place, char>,
    links: Vec<(Place, Place)>,
    turn: char,
    plies: usize,
}

/// Returns on which side of a line a place is: -1 or 1, or 0 if it is on the line.
fn side((from, to): (Place, Place), at: Place) -> i32 {
    ((to.0 - from.0) * (at.1 - from.1) - (to.1 - from.1) * (at.0 - from.0)).signum()
}

fn cross(one: (Place, Place), other: (Place, Place)) -> bool {
    side(one, other.0) * side(one, other.1) == -1 && side(other, one.0) * side(other, one.1) == -1
}

impl TwixT {
    fn places(&self) -> Vec<Place> {
        let last = self.size - 1;
        let all = (0..self.size).flat_map(|row| (0..self.size).map(move |column| (column, row)));
        all.filter(|(column, row)| !([0, last].contains(column) && [0, last].contains(row))).collect()
    }

    fn name((column, row): Place) -> String {
        let letters = if column < 26 { letter(column).to_string() } else { format!("a{}", letter(column - 26)) };
        format!("{letters}{}", row + 1)
    }

    fn open(&self) -> Vec<Place> {
        let forbidden = |(column, row): Place| {
            let along = if self.turn == 'w' { column } else { row };
            along == 0 || along == self.size - 1
        };
        self.places().into_iter().filter(|place| !self.pegs.contains_key(place) && !forbidden(*place)).collect()
    }

    fn has_chain(&self, mark: char) -> bool {
        let along = |(column, row): Place| if mark == 'w' { row } else { column };
        let own = self.pegs.iter().filter(|(_, peg)| **peg == mark).map(|(place, _)| *place);
        let mut seen: BTreeSet<Place> = own.filter(|place| along(*place) == 0).collect();
        loop {
            let before = seen.len();
            for (one, other) in &self.links {
                if seen.contains(one) || seen.contains(other) {
                    seen.extend([*one, *other]);
                }
            }
            if seen.len() == before {
                return seen.iter().any(|place| along(*place) == self.size - 1);
            }
        }
    }
}

impl Reference for TwixT {
    fn start(options: &Options) -> TwixT {
        let size = options.iter().next().map_or(24, |(_, value)| value.unwrap().parse().unwrap());
        TwixT { size, pegs: BTreeMap::new(), links: Vec::new(), turn: 'w', plies: 0 }
    }

    fn moves(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        let mut moves: Vec<String> = self.open().into_iter().map(TwixT::name).collect();
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
        let place = self.places().into_iter().find(|place| TwixT::name(*place) == text).unwrap();
        let knights_move = |at: Place| {
            let (across, down) = ((at.0 - place.0).abs(), (at.1 - place.1).abs());
            across * down == 2
        };
        let own = self.pegs.iter().filter(|(at, peg)| **peg == self.turn && knights_move(**at));
        let enemy = |(one, _): &&(Place, Place)| self.pegs[one] != self.turn;
        let is_open = |link: &(Place, Place)| !self.links.iter().filter(enemy).any(|other| cross(*link, *other));
        let links: Vec<(Place, Place)> = own.map(|(at, _)| (place, *at)).filter(is_open).collect();
        self.links.extend(links);
        self.pegs.insert(place, self.turn);
        self.turn = if self.turn == 'w' { 'b' } else { 'w' };
    }

    fn pieces(&self) -> Vec<(String, String)> {
        let peg = |place: Place| Some((TwixT::name(place), self.pegs.get(&place)?.to_string()));
        self.places().into_iter().filter_map(peg).collect()
    }

    fn end(&self) -> Option<String> {
        let winner = ['b', 'w'].into_iter().find(|mark| self.has_chain(*mark)).map(String::from);
        winner.or_else(|| self.open().is_empty().then(|| "draw".to_owned()))
    }
}
