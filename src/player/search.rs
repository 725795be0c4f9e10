//! Monte-Carlo tree search with RAVE and proved nodes.
//!
//! Sources: Kocsis and Szepesvári 2006 (UCT); Gelly and Silver 2011 (RAVE); Winands, Björnsson and Saito 2008 (proved
//! nodes); Teytaud and Teytaud 2010 (moves that win at once).

use rustc_hash::FxHashMap;

use super::dice::Dice;
use super::tactics::{after, tactics, winner};
use super::tree::{Node, Proof};
use crate::rules::{GameState, Position, Seat};

/// How hard to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How many games are played out.
    pub playouts: u32,
    /// Whether wins within three plies and threats are looked for first.
    pub tactics: bool,
}

/// What came of thinking.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The canonical text of the move.
    pub text: String,
    /// The chance of winning that is expected, from 0 to 1.
    pub chance: f32,
    /// Whether nobody can change the chance any more, which is then 1, 0.5 or 0.
    pub proved: bool,
    /// The moves that are expected, the chosen one first.
    pub line: Vec<String>,
    /// How many games were played out.
    pub playouts: u32,
}

/// The most nodes of a tree: about 64 bytes each.
const MAX_NODES: usize = 2_000_000;
/// A node is expanded at its second visit: most are never visited again.
const EXPANDED_AT: f32 = 2.0;
/// How many playouts there are from one look at `stop` to the next: some tenths of a millisecond each.
const STOPS: u32 = 16;
/// A playout that is longer is given up as a draw.
const LONGEST: usize = 2_000;

pub(super) fn think<P: Position>(
    state: &GameState<P>,
    effort: Effort,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Option<Thought> {
    unless_won(state, effort, |moves| {
        if let [only] = moves {
            let text = state.position().text(*only);
            return Thought { line: vec![text.clone()], text, chance: 0.5, proved: false, playouts: 0 };
        }
        search(state, moves, effort, seed, stop).thought(state.position())
    })
}

pub(super) fn judge<P: Position>(
    state: &GameState<P>,
    effort: Effort,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Option<Thought> {
    unless_won(state, effort, |moves| search(state, moves, effort, seed, stop).thought(state.position()))
}

/// A move that wins without a search, or what `choose` makes of the moves to be searched; `None` when the game is over.
fn unless_won<P: Position>(
    state: &GameState<P>,
    effort: Effort,
    choose: impl FnOnce(&[P::Move]) -> Thought,
) -> Option<Thought> {
    if state.outcome().is_some() {
        return None;
    }
    let position = state.position();
    if !effort.tactics {
        return Some(choose(&position.legal().collect::<Vec<_>>()));
    }
    let found = tactics(position);
    Some(match found.wins {
        Some(mv) => {
            let text = position.text(mv);
            Thought { line: vec![text.clone()], text, chance: 1.0, proved: true, playouts: 0 }
        }
        None => choose(&found.safe),
    })
}

fn search<P: Position>(
    state: &GameState<P>,
    moves: &[P::Move],
    effort: Effort,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Search<P> {
    let mut search = Search::new(state.position().mover(), moves, seed);
    for _ in 0..effort.playouts {
        if search.nodes[0].proof != Proof::Open || search.playouts % STOPS == 1 && stop() {
            break;
        }
        search.playout(state.clone());
    }
    search
}

struct Search<P: Position> {
    /// The root first.
    nodes: Vec<Node<P::Move>>,
    /// The number of each move that was met.
    numbers: FxHashMap<P::Move, usize>,
    /// For each seat and move, the playout in which it was made last, and at which ply.
    made: [Vec<(u32, usize)>; 2],
    playouts: u32,
    dice: Dice,
}

impl<P: Position> Search<P> {
    fn new(mover: Seat, moves: &[P::Move], seed: u64) -> Search<P> {
        let mut search = Search {
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            made: [Vec::new(), Vec::new()],
            playouts: 0,
            dice: Dice::new(seed),
        };
        // No move leads to the root: it stands for the opponent's last one.
        search.nodes.push(Node::new(moves[0], 0, mover.other(), Proof::Open));
        search.nodes[0].children = Some((1, 1 + moves.len()));
        for mv in moves {
            let number = search.number(*mv);
            search.nodes.push(Node::new(*mv, number, mover, Proof::Open));
        }
        search
    }

    fn number(&mut self, mv: P::Move) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(mv).or_insert_with(|| {
            self.made.iter_mut().for_each(|made| made.push((0, 0)));
            next
        })
    }

    /// Descends the tree, plays a game to its end, and records the result.
    fn playout(&mut self, mut state: GameState<P>) {
        self.playouts += 1;
        let mut path = vec![0];
        let mut ply = 0;
        let mut at = 0;
        while let Some(children) = self.nodes[at].children
            && state.outcome().is_none()
        {
            at = self.best(at, children);
            let (mv, number, by) = (self.nodes[at].mv, self.nodes[at].number, self.nodes[at].by);
            self.made[by.index()][number] = (self.playouts, ply);
            state.play_unchecked(mv);
            path.push(at);
            ply += 1;
            if self.nodes[at].proof != Proof::Open {
                break;
            }
        }
        if state.outcome().is_none() && self.nodes[at].proof == Proof::Open {
            self.expand(at, state.position());
        }
        let winner = match (state.outcome(), self.nodes[at].proof, self.nodes[at].by) {
            (Some(outcome), ..) => outcome.winner,
            (None, Proof::Won, by) => Some(by),
            (None, Proof::Lost, by) => Some(by.other()),
            (None, Proof::Drawn, _) => None,
            (None, Proof::Open, _) => self.random_game(state, ply),
        };
        self.record(&path, winner);
    }

    /// The child to visit: a proved win, or what is worth most of what is not proved.
    fn best(&self, at: usize, (first, end): (usize, usize)) -> usize {
        let log_parent = (self.nodes[at].visits + 1.0).ln();
        let rank = |node: &Node<P::Move>| match node.proof {
            Proof::Won => f32::INFINITY,
            Proof::Open => node.worth(log_parent),
            Proof::Drawn => 0.5,
            Proof::Lost => -1.0,
        };
        let children = self.nodes[first..end].iter().enumerate();
        let best = children.max_by(|(_, a), (_, b)| rank(a).total_cmp(&rank(b)));
        first + best.map_or(0, |(child, _)| child)
    }

    /// Gives a node its children; one that wins at once is its only one.
    fn expand(&mut self, at: usize, position: &P) {
        if self.nodes[at].visits + 1.0 < EXPANDED_AT || self.nodes.len() >= MAX_NODES {
            return;
        }
        let (mover, first) = (position.mover(), self.nodes.len());
        for mv in position.legal() {
            let next = after(position, mv);
            let proof = next.outcome().map_or(Proof::Open, |outcome| Proof::of(outcome.winner, mover));
            let number = self.number(mv);
            if winner(&next) == Some(mover) {
                self.nodes.truncate(first);
                self.nodes.push(Node::new(mv, number, mover, Proof::Won));
                break;
            }
            self.nodes.push(Node::new(mv, number, mover, proof));
        }
        self.nodes[at].children = Some((first, self.nodes.len()));
        self.prove(at);
    }

    /// Proves a node from what is proved of its children.
    fn prove(&mut self, at: usize) {
        let Some((first, end)) = self.nodes[at].children.filter(|(first, end)| first < end) else { return };
        let children = &self.nodes[first..end];
        let mover = children[0].by;
        let mut best = Proof::Lost;
        for child in children {
            best = match (child.proof, best) {
                (Proof::Won, _) => {
                    best = Proof::Won;
                    break;
                }
                (Proof::Open, _) | (_, Proof::Open) => Proof::Open,
                (Proof::Drawn, _) => Proof::Drawn,
                (Proof::Lost, best) => best,
            };
        }
        let node = &mut self.nodes[at];
        node.proof = match best {
            Proof::Won if node.by == mover => Proof::Won,
            Proof::Won => Proof::Lost,
            Proof::Lost if node.by == mover => Proof::Lost,
            Proof::Lost => Proof::Won,
            open_or_drawn => open_or_drawn,
        };
    }

    /// Plays at random to the end; returns who won.
    fn random_game(&mut self, mut state: GameState<P>, mut ply: usize) -> Option<Seat> {
        while state.outcome().is_none() && ply < LONGEST {
            let position = state.position();
            let by = position.mover();
            let mv = position.pick(|count| self.dice.below(count))?;
            let number = self.number(mv);
            self.made[by.index()][number] = (self.playouts, ply);
            state.play_unchecked(mv);
            ply += 1;
        }
        state.outcome()?.winner
    }

    /// Counts a result at the nodes of a path, and at those of their siblings that were made later in the game.
    fn record(&mut self, path: &[usize], winner: Option<Seat>) {
        let result = |seat: Seat| match winner {
            None => 0.5,
            Some(winner) if winner == seat => 1.0,
            Some(_) => 0.0,
        };
        for (depth, &at) in path.iter().enumerate().rev() {
            let node = &mut self.nodes[at];
            node.visits += 1.0;
            node.won += result(node.by);
            let Some((first, end)) = node.children else { continue };
            for child in &mut self.nodes[first..end] {
                let (playout, ply) = self.made[child.by.index()][child.number];
                if playout == self.playouts && ply >= depth {
                    child.later_visits += 1.0;
                    child.later_won += result(child.by);
                }
            }
            if self.nodes[at].proof == Proof::Open {
                self.prove(at);
            }
        }
    }

    /// The move that was visited most and is not lost, with what is expected after it. The chance is the mean of all
    /// playouts: that of the move alone is the luckiest of many, and too good for whoever moves.
    fn thought(&self, position: &P) -> Thought {
        let mut line = Vec::new();
        let (mut at, mut position) = (0, position.clone());
        while let Some((first, end)) = self.nodes[at].children.filter(|(first, end)| first < end) {
            let rank = |node: &Node<P::Move>| match node.proof {
                Proof::Won => (2, node.visits),
                Proof::Open | Proof::Drawn => (1, node.visits),
                Proof::Lost => (0, node.visits),
            };
            let order = |a: &Node<P::Move>, b: &Node<P::Move>| {
                let ((a, of_a), (b, of_b)) = (rank(a), rank(b));
                a.cmp(&b).then(of_a.total_cmp(&of_b))
            };
            let best = self.nodes[first..end].iter().enumerate().max_by(|(_, a), (_, b)| order(a, b));
            at = first + best.map_or(0, |(child, _)| child);
            let node = &self.nodes[at];
            if !line.is_empty() && node.visits < EXPANDED_AT {
                break;
            }
            line.push(position.text(node.mv));
            position = after(&position, node.mv);
            if position.outcome().is_some() {
                break;
            }
        }
        let root = &self.nodes[0];
        let (chance, proved) = (1.0 - root.chance(), root.proof != Proof::Open);
        Thought { text: line.first().cloned().unwrap_or_default(), chance, proved, line, playouts: self.playouts }
    }
}
