//! A slow, simple implementation of Marque, with sets and lists of cell indexes. It finds adjacent cells from the
//! corners of the drawn cells, so it shares no table with the rules that it checks.

use std::collections::{BTreeSet, HashSet};

use turnpost::rules::scene::Scene;

/// A board with named cells.
#[derive(Clone)]
pub struct Marque {
    cells: Vec<(String, usize, Vec<usize>)>,
    stones: Vec<Option<usize>>,
    last: [BTreeSet<usize>; 2],
    plies: usize,
    pub to_move: usize,
}

impl Marque {
    /// Creates an empty board from the drawing of a board.
    pub fn new(scene: &Scene) -> Marque {
        let shared = |a: usize, b: usize| {
            let (a, b) = (&scene.cells[a].corners, &scene.cells[b].corners);
            let same = |x: f64, y: f64| (x - y).abs() < 1e-6;
            a.iter().filter(|v| b.iter().any(|w| same(v.x, w.x) && same(v.y, w.y))).count()
        };
        let count = scene.cells.len();
        let describe = |(cell, from): (usize, &turnpost::rules::scene::Cell)| {
            let neighbours = (0..count).filter(|other| *other != cell && shared(cell, *other) == 2).collect();
            (from.name.clone(), from.corners.len(), neighbours)
        };
        let cells = scene.cells.iter().enumerate().map(describe).collect();
        Marque { cells, stones: vec![None; count], last: Default::default(), plies: 0, to_move: 0 }
    }

    fn freedoms(&self, cell: usize) -> (HashSet<usize>, HashSet<usize>) {
        let (mut group, mut free, mut todo) = (HashSet::new(), HashSet::new(), vec![cell]);
        while let Some(here) = todo.pop() {
            if !group.insert(here) {
                continue;
            }
            for &next in &self.cells[here].2 {
                match self.stones[next] {
                    None => drop(free.insert(next)),
                    Some(seat) if Some(seat) == self.stones[cell] => todo.push(next),
                    Some(_) => {}
                }
            }
        }
        (group, free)
    }

    /// Returns the position after a move, if the rules allow it.
    pub fn after(&self, set: &BTreeSet<usize>) -> Option<Marque> {
        let triangles = set.iter().all(|cell| self.cells[*cell].1 == 3);
        if set.iter().any(|cell| self.stones[*cell].is_some()) || *set == self.last[self.to_move] {
            return None;
        }
        if self.plies == 0 && (set.len() != 1 || !triangles) {
            return None;
        }
        if let [a, b] = set.iter().copied().collect::<Vec<_>>()[..]
            && (!triangles || !self.cells[a].2.contains(&b))
        {
            return None;
        }
        let mut next = self.clone();
        for &cell in set {
            next.stones[cell] = Some(self.to_move);
        }
        let enemy = |cell: &usize| next.stones[*cell] == Some(1 - self.to_move);
        let groups: Vec<_> = (0..next.cells.len()).filter(enemy).map(|cell| next.freedoms(cell)).collect();
        for cell in groups.iter().filter(|(_, free)| free.is_empty()).flat_map(|(group, _)| group) {
            next.stones[*cell] = None;
        }
        let own = |cell: &usize| next.stones[*cell] == Some(self.to_move);
        if (0..next.cells.len()).filter(own).any(|cell| next.freedoms(cell).1.is_empty()) {
            return None;
        }
        next.last[self.to_move] = set.clone();
        next.plies += 1;
        next.to_move = 1 - self.to_move;
        Some(next)
    }

    /// Returns the cells of every legal move, with the position after it, in board order.
    pub fn moves(&self) -> Vec<(BTreeSet<usize>, Marque)> {
        let all = 0..self.cells.len();
        let sets: BTreeSet<Vec<usize>> = all
            .clone()
            .flat_map(|a| all.clone().map(move |b| if a == b { vec![a] } else { vec![a.min(b), a.max(b)] }))
            .collect();
        let sets = sets.into_iter().map(|set| set.into_iter().collect::<BTreeSet<_>>());
        sets.filter_map(|set| self.after(&set).map(|next| (set, next))).collect()
    }

    /// Returns a move as text.
    pub fn text(&self, set: &BTreeSet<usize>) -> String {
        set.iter().map(|cell| self.cells[*cell].0.as_str()).collect::<Vec<_>>().join(",")
    }

    /// Returns the cells with pieces, and the mark on each.
    pub fn pieces(&self) -> Vec<(String, String)> {
        let piece = |(cell, seat): (usize, &Option<usize>)| {
            seat.map(|s| (self.cells[cell].0.clone(), ["o", "x"][s].to_owned()))
        };
        self.stones.iter().enumerate().filter_map(piece).collect()
    }

    /// Returns the number of sequences of this many plies. Does not check for wins, which do not occur at the depths
    /// that this slow function can reach.
    pub fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.moves().len() as u64,
            _ => self.moves().iter().map(|(_, next)| next.perft(depth - 1)).sum(),
        }
    }
}
