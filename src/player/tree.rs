//! The tree of a search.

use std::ops::Range;

use crate::rules::Seat;

/// What is proved of a node, for the player who moved into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Nothing yet.
    Open,
    Won,
    Lost,
    Drawn,
}

impl Proof {
    /// The proof that a game's end is, for this seat.
    pub(super) fn of(winner: Option<Seat>, seat: Seat) -> Proof {
        match winner {
            None => Proof::Drawn,
            Some(winner) if winner == seat => Proof::Won,
            Some(_) => Proof::Lost,
        }
    }

    /// The same fact for the other seat.
    fn for_the_other(self) -> Proof {
        match self {
            Proof::Won => Proof::Lost,
            Proof::Lost => Proof::Won,
            Proof::Open | Proof::Drawn => self,
        }
    }
}

/// The positions that were reached, the root first and siblings side by side. Each fact is a column of its own: a search
/// compares one fact of some hundred siblings at a time.
#[derive(Clone, Debug)]
pub(super) struct Tree<M> {
    /// The move that led to each node.
    moves: Vec<M>,
    /// The move's number, by which playouts remember it.
    numbers: Vec<u32>,
    /// Who made it.
    by: Vec<Seat>,
    visits: Vec<f32>,
    /// The sum of the results for whoever made the move: 1 a win, 0.5 a draw.
    won: Vec<f32>,
    /// The same of games in which the move was made later.
    later_visits: Vec<f32>,
    later_won: Vec<f32>,
    proofs: Vec<Proof>,
    /// A node's children, once it has been expanded; empty before.
    children: Vec<Range<u32>>,
    /// What each sibling is worth, while one of them is chosen.
    worth: Vec<f32>,
}

/// The root.
pub(super) const ROOT: usize = 0;

impl<M: Copy> Tree<M> {
    /// A tree with nothing but a root, into whose position this seat moved. No move of the tree leads there: any will do.
    pub(super) fn new(mv: M, by: Seat) -> Tree<M> {
        let mut tree = Tree {
            moves: Vec::new(),
            numbers: Vec::new(),
            by: Vec::new(),
            visits: Vec::new(),
            won: Vec::new(),
            later_visits: Vec::new(),
            later_won: Vec::new(),
            proofs: Vec::new(),
            children: Vec::new(),
            worth: Vec::new(),
        };
        tree.push(mv, 0, by, Proof::Open);
        tree
    }

    /// How many nodes it has.
    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Adds a node.
    pub(super) fn push(&mut self, mv: M, number: u32, by: Seat, proof: Proof) {
        self.moves.push(mv);
        self.numbers.push(number);
        self.by.push(by);
        self.visits.push(0.0);
        self.won.push(0.0);
        self.later_visits.push(0.0);
        self.later_won.push(0.0);
        self.proofs.push(proof);
        self.children.push(0..0);
    }

    /// Takes away all nodes but the first.
    pub(super) fn truncate(&mut self, len: usize) {
        self.moves.truncate(len);
        self.numbers.truncate(len);
        self.by.truncate(len);
        self.visits.truncate(len);
        self.won.truncate(len);
        self.later_visits.truncate(len);
        self.later_won.truncate(len);
        self.proofs.truncate(len);
        self.children.truncate(len);
    }

    /// Makes all nodes from `first` on the children of one.
    pub(super) fn adopt(&mut self, at: usize, first: usize) {
        #[allow(clippy::cast_possible_truncation, reason = "a tree has far fewer nodes")]
        let children = first as u32..self.len() as u32;
        self.children[at] = children;
    }

    pub(super) fn children(&self, at: usize) -> Range<usize> {
        let Range { start, end } = self.children[at];
        start as usize..end as usize
    }

    /// The move that led to a node, its number, and who made it.
    pub(super) fn step(&self, at: usize) -> (M, u32, Seat) {
        (self.moves[at], self.numbers[at], self.by[at])
    }

    pub(super) fn visits(&self, at: usize) -> f32 {
        self.visits[at]
    }

    pub(super) fn proof(&self, at: usize) -> Proof {
        self.proofs[at]
    }

    /// The child to visit: a proved win, or what is worth most of what is not lost.
    ///
    /// An open node is worth its mean result, mixed with that of later moves as long as it has few visits, and more if it was
    /// tried little, as strongly as `exploration` says. Later moves count as much as `later_equals` visits.
    pub(super) fn best(&mut self, at: usize, exploration: f32, later_equals: f32) -> usize {
        let children = self.children(at);
        let log_parent = (self.visits[at] + 1.0).ln();
        let (visits, won) = (&self.visits[children.clone()], &self.won[children.clone()]);
        let (later_visits, later_won) = (&self.later_visits[children.clone()], &self.later_won[children.clone()]);
        self.worth.clear();
        let columns = visits.iter().zip(won).zip(later_visits.iter().zip(later_won));
        self.worth.extend(columns.map(|((&visits, &won), (&later_visits, &later_won))| {
            let mean = if visits > 0.0 { won / visits } else { 0.5 };
            let later = if later_visits > 0.0 { later_won / later_visits } else { 0.5 };
            let trust = (later_equals / (3.0 * visits + later_equals)).sqrt();
            (1.0 - trust) * mean + trust * later + exploration * (log_parent / (visits + 1.0)).sqrt()
        }));
        let (mut best, mut most) = (children.start, f32::NEG_INFINITY);
        for ((child, worth), proof) in children.clone().zip(&self.worth).zip(&self.proofs[children]) {
            let worth = match proof {
                Proof::Won => return child,
                Proof::Open => *worth,
                Proof::Drawn => 0.5,
                Proof::Lost => -1.0,
            };
            if worth > most {
                (best, most) = (child, worth);
            }
        }
        best
    }

    /// Proves the last node of a path from what is proved of its children, and so on up the path.
    pub(super) fn prove(&mut self, path: &[usize]) {
        for &at in path.iter().rev() {
            let children = self.children(at);
            let Some(&mover) = self.by.get(children.start).filter(|_| !children.is_empty()) else { return };
            let mut best = Proof::Lost;
            for proof in &self.proofs[children] {
                best = match (proof, best) {
                    (Proof::Won, _) => {
                        best = Proof::Won;
                        break;
                    }
                    (Proof::Open, _) | (_, Proof::Open) => Proof::Open,
                    (Proof::Drawn, _) => Proof::Drawn,
                    (Proof::Lost, best) => best,
                };
            }
            if best == Proof::Open {
                return;
            }
            self.proofs[at] = if self.by[at] == mover { best } else { best.for_the_other() };
        }
    }

    /// Counts a result at a node.
    pub(super) fn count(&mut self, at: usize, winner: Option<Seat>) {
        self.visits[at] += 1.0;
        self.won[at] += result(winner, self.by[at]);
    }

    /// Counts a result at those children of a node whose moves were made in this time; `made` tells for each seat and move
    /// when it was made last.
    pub(super) fn count_later(&mut self, at: usize, winner: Option<Seat>, made: &[Vec<u64>; 2], later: &Range<u64>) {
        let children = self.children(at);
        if children.is_empty() {
            return;
        }
        let by = self.by[children.start];
        let (result, made) = (result(winner, by), &made[by.index()]);
        let columns = self.later_visits[children.clone()].iter_mut().zip(&mut self.later_won[children.clone()]);
        for ((visits, won), number) in columns.zip(&self.numbers[children]) {
            // Without branches, which could not be predicted.
            let was_made = f32::from(u8::from(later.contains(&made[*number as usize])));
            *visits += was_made;
            *won += was_made * result;
        }
    }

    /// Adds what another search from the same position found of the root and its children.
    pub(super) fn add_root_of(&mut self, other: &Tree<M>) {
        for at in std::iter::once(ROOT).chain(self.children(ROOT)) {
            self.visits[at] += other.visits[at];
            self.won[at] += other.won[at];
            if self.proofs[at] == Proof::Open {
                self.proofs[at] = other.proofs[at];
            }
        }
    }

    /// The child that is the best move as far as is known: a win, else what was visited most and is not lost.
    pub(super) fn chosen(&self, at: usize) -> Option<usize> {
        let rank = |child: &usize| match self.proofs[*child] {
            Proof::Won => 2,
            Proof::Open | Proof::Drawn => 1,
            Proof::Lost => 0,
        };
        let order = |a: &usize, b: &usize| rank(a).cmp(&rank(b)).then(self.visits[*a].total_cmp(&self.visits[*b]));
        self.children(at).max_by(order)
    }

    /// The chance of whoever moved into a node, as far as it is known.
    pub(super) fn chance(&self, at: usize) -> f32 {
        match self.proofs[at] {
            Proof::Won => 1.0,
            Proof::Lost => 0.0,
            Proof::Drawn => 0.5,
            Proof::Open if self.visits[at] > 0.0 => self.won[at] / self.visits[at],
            Proof::Open => 0.5,
        }
    }
}

/// What a game's end is worth to a seat.
pub(super) fn result(winner: Option<Seat>, seat: Seat) -> f32 {
    match winner {
        None => 0.5,
        Some(winner) if winner == seat => 1.0,
        Some(_) => 0.0,
    }
}
