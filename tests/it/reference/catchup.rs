//! Catchup, with sets of named cells. Groups are merged one stone at a time, and each check of a move corresponds to a
//! sentence of the rules.

use std::collections::BTreeMap;

use turnpost::rules::Options;

use super::Reference;
use super::havannah::hexagon;
use super::placing::Place;

/// A board. Places are the same as in Havannah.
#[derive(Clone)]
pub struct Catchup {
    cells: Vec<(String, Place)>,
    stones: BTreeMap<Place, char>,
    /// The sizes of White's and Black's largest groups after each turn.
    history: Vec<[usize; 2]>,
}

fn touch((x, row): Place, other: Place) -> bool {
    [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)].contains(&(other.0 - x, other.1 - row))
}

impl Catchup {
    /// Returns the sizes of a side's groups, the largest first.
    fn groups(&self, mark: char) -> Vec<usize> {
        let mut groups: Vec<Vec<Place>> = Vec::new();
        for place in self.stones.iter().filter(|(_, stone)| **stone == mark).map(|(place, _)| *place) {
            let (touched, mut apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(|other| touch(place, *other)));
            apart.push(touched.into_iter().flatten().chain([place]).collect());
            groups = apart;
        }
        let mut sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        sizes.sort_by(|one, other| other.cmp(one));
        sizes
    }

    fn turns(&self) -> usize {
        self.history.len() - 1
    }

    /// Returns the maximum number of stones that the player to move may place.
    fn most(&self) -> usize {
        if self.turns() == 0 {
            return 1;
        }
        let (now, before) = (self.history[self.turns()], self.history[self.turns() - 1]);
        let (own, other) = (self.turns() % 2, 1 - self.turns() % 2);
        if now[other] > before[other] && now[other] >= now[own] && now[other] > 1 { 3 } else { 2 }
    }

    fn empty(&self) -> Vec<&str> {
        let empty = self.cells.iter().filter(|(_, place)| !self.stones.contains_key(place));
        empty.map(|(name, _)| name.as_str()).collect()
    }
}

impl Reference for Catchup {
    fn start(options: &Options) -> Catchup {
        let size = options.iter().next().map_or(5, |(_, value)| value.unwrap().parse().unwrap());
        Catchup { cells: hexagon(size), stones: BTreeMap::new(), history: vec![[0, 0]] }
    }

    fn moves(&self) -> Vec<String> {
        let (empty, most) = (self.empty(), self.most());
        let mut moves = Vec::new();
        for (at, one) in empty.iter().enumerate() {
            moves.push((*one).to_owned());
            for (next, two) in empty.iter().enumerate().skip(at + 1).filter(|_| most > 1) {
                moves.push(format!("{one},{two}"));
                moves.extend(empty[next + 1..].iter().filter(|_| most > 2).map(|three| format!("{one},{two},{three}")));
            }
        }
        moves
    }

    fn play(&mut self, text: &str) {
        let mark = if self.turns().is_multiple_of(2) { 'w' } else { 'b' };
        for name in text.split(',') {
            let (_, place) = self.cells.iter().find(|(cell, _)| cell == name).unwrap();
            self.stones.insert(*place, mark);
        }
        let largest = |mark| self.groups(mark).first().copied().unwrap_or_default();
        self.history.push([largest('w'), largest('b')]);
    }

    fn pieces(&self) -> Vec<(String, String)> {
        let piece = |(name, place): &(String, Place)| Some((name.clone(), self.stones.get(place)?.to_string()));
        self.cells.iter().filter_map(piece).collect()
    }

    fn end(&self) -> Option<String> {
        let end = match self.groups('w').cmp(&self.groups('b')) {
            _ if !self.empty().is_empty() => return None,
            std::cmp::Ordering::Greater => "w",
            std::cmp::Ordering::Less => "b",
            std::cmp::Ordering::Equal => "draw",
        };
        Some(end.to_owned())
    }
}
