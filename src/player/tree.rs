//! The tree of a search.

use std::ops::Range;

use crate::rules::Seat;

/// The proved result of a node, for the player who moved into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Not yet proved.
    Open,
    Won,
    Lost,
    Drawn,
}

impl Proof {
    /// Returns the result of a finished game as a proof for this seat.
    pub(crate) fn of(winner: Option<Seat>, seat: Seat) -> Proof {
        match winner {
            None => Proof::Drawn,
            Some(winner) if winner == seat => Proof::Won,
            Some(_) => Proof::Lost,
        }
    }

    /// Converts the proof to the other seat's point of view.
    fn for_the_other(self) -> Proof {
        match self {
            Proof::Won => Proof::Lost,
            Proof::Lost => Proof::Won,
            Proof::Open | Proof::Drawn => self,
        }
    }
}

/// The visited positions, the root first and siblings next to each other. Each fact is a separate column, because a
/// search compares one fact of about a hundred siblings at a time.
#[derive(Clone, Debug)]
pub(crate) struct Tree<M> {
    /// The move that led to each node.
    moves: Vec<M>,
    /// The number of each node's move, by which a search indexes its statistics.
    numbers: Vec<u32>,
    /// The seat that played each move.
    by: Vec<Seat>,
    visits: Vec<f32>,
    /// The sum of the results for the player who made the move: 1 for a win, 0.5 for a draw.
    won: Vec<f32>,
    /// The number of games in which the move was played later, and the sum of their results.
    later_visits: Vec<f32>,
    later_won: Vec<f32>,
    proofs: Vec<Proof>,
    /// A node's children; empty until the node is expanded.
    children: Vec<Range<u32>>,
    /// A buffer for the values of the siblings that [`Tree::best`] compares.
    worth: Vec<f32>,
}

pub(crate) const ROOT: usize = 0;

impl<M: Copy> Tree<M> {
    /// Creates a tree with only a root. Its position is the result of a move by this seat; `mv` is a placeholder for
    /// that move.
    pub(crate) fn new(mv: M, by: Seat) -> Tree<M> {
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

    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    pub(crate) fn push(&mut self, mv: M, number: u32, by: Seat, proof: Proof) {
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

    /// Credits the last node with this number of wins, as if its move had been played later in as many won games.
    pub(crate) fn presume(&mut self, wins: f32) {
        for column in [&mut self.later_visits, &mut self.later_won] {
            column.last_mut().into_iter().for_each(|sum| *sum += wins);
        }
    }

    /// Removes all nodes after the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
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

    /// Makes all nodes from `first` onwards the children of one node.
    pub(crate) fn adopt(&mut self, at: usize, first: usize) {
        #[allow(clippy::cast_possible_truncation, reason = "the number of nodes is far smaller")]
        let children = first as u32..self.len() as u32;
        self.children[at] = children;
    }

    pub(crate) fn children(&self, at: usize) -> Range<usize> {
        let Range { start, end } = self.children[at];
        start as usize..end as usize
    }

    /// Returns the move that led to a node, its number, and the seat that played it.
    pub(crate) fn step(&self, at: usize) -> (M, u32, Seat) {
        (self.moves[at], self.numbers[at], self.by[at])
    }

    pub(crate) fn visits(&self, at: usize) -> f32 {
        self.visits[at]
    }

    pub(crate) fn proof(&self, at: usize) -> Proof {
        self.proofs[at]
    }

    /// Returns the child to visit: a proved win, or otherwise the child with the highest value. Lost children have the
    /// lowest value.
    ///
    /// An open node's value is a weighted mean of two averages: of its own results, and of the results of games in
    /// which its move was played later. The second average loses weight with each visit; at `later_equals` visits, both
    /// weigh the same. A bonus for few visits, scaled by `exploration`, is added.
    pub(crate) fn best(&mut self, at: usize, exploration: f32, later_equals: f32) -> usize {
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

    /// Proves the last node of a path if its children determine its result, then the nodes before it.
    pub(crate) fn prove(&mut self, path: &[usize]) {
        for &at in path.iter().rev() {
            let children = self.children(at);
            let Some(&to_move) = self.by.get(children.start).filter(|_| !children.is_empty()) else { return };
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
            self.proofs[at] = if self.by[at] == to_move { best } else { best.for_the_other() };
        }
    }

    /// Records a result at a node.
    pub(crate) fn count(&mut self, at: usize, winner: Option<Seat>) {
        self.visits[at] += 1.0;
        self.won[at] += result(winner, self.by[at]);
    }

    /// Records a result at those children of a node whose moves were played in the time range `later`. `made` contains
    /// the last time of each move, for each seat.
    pub(crate) fn count_later(&mut self, at: usize, winner: Option<Seat>, made: &[Vec<u64>; 2], later: &Range<u64>) {
        let children = self.children(at);
        if children.is_empty() {
            return;
        }
        let by = self.by[children.start];
        let (result, made) = (result(winner, by), &made[by.index()]);
        let columns = self.later_visits[children.clone()].iter_mut().zip(&mut self.later_won[children.clone()]);
        for ((visits, won), number) in columns.zip(&self.numbers[children]) {
            // Avoid branches, which would be unpredictable.
            let was_made = f32::from(u8::from(later.contains(&made[*number as usize])));
            *visits += was_made;
            *won += was_made * result;
        }
    }

    /// Adds the results of another search from the same position, for the root and its children.
    pub(crate) fn add_root_of(&mut self, other: &Tree<M>) {
        for at in std::iter::once(ROOT).chain(self.children(ROOT)) {
            self.visits[at] += other.visits[at];
            self.won[at] += other.won[at];
            if self.proofs[at] == Proof::Open {
                self.proofs[at] = other.proofs[at];
            }
        }
    }

    /// Returns the best child so far: a proved win, or otherwise the child with the most visits. Lost children rank
    /// last.
    pub(crate) fn chosen(&self, at: usize) -> Option<usize> {
        let rank = |child: &usize| match self.proofs[*child] {
            Proof::Won => 2,
            Proof::Open | Proof::Drawn => 1,
            Proof::Lost => 0,
        };
        let order = |a: &usize, b: &usize| rank(a).cmp(&rank(b)).then(self.visits[*a].total_cmp(&self.visits[*b]));
        self.children(at).max_by(order)
    }

    /// Returns the estimated chance that the player who moved into a node wins.
    pub(crate) fn chance(&self, at: usize) -> f32 {
        match self.proofs[at] {
            Proof::Won => 1.0,
            Proof::Lost => 0.0,
            Proof::Drawn => 0.5,
            Proof::Open if self.visits[at] > 0.0 => self.won[at] / self.visits[at],
            Proof::Open => 0.5,
        }
    }
}

/// Returns the value of a game's end for a seat: 1 for a win, 0.5 for a draw, 0 for a loss.
pub(crate) fn result(winner: Option<Seat>, seat: Seat) -> f32 {
    match winner {
        None => 0.5,
        Some(winner) if winner == seat => 1.0,
        Some(_) => 0.0,
    }
}
