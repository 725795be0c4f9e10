//! Plain UCT (Kocsis and Szepesvári 2006) with the same rules of games, as a baseline for the computer player. It uses
//! only the mean results of playouts and the numbers of visits. Each playout adds one node.

use std::time::{Duration, Instant};

use turnpost::rules::catalogue::{Visitor, visit};
use turnpost::rules::{Described, GameState, Play, Seat};

use super::generator::Generator;

/// The exploration constant of UCT, about half of UCB1's square root of two.
const EXPLORATION: f64 = 0.7;
/// The maximum length of a playout; a longer one is treated as a draw.
const LONGEST: usize = 2_000;
/// The number of playouts between two checks of the time.
const LOOKS: u32 = 16;

struct Node<M> {
    mv: M,
    /// The seat that played the move.
    by: Seat,
    visits: f64,
    won: f64,
    /// The moves without a child. Set at the first visit.
    untried: Option<Vec<M>>,
    children: Vec<usize>,
}

/// Searches for this time, and returns the best move; `None` if the game has ended.
pub fn best_move(board: &dyn Play, time: Duration, seed: u64) -> Option<String> {
    visit(board, Task { time, seed })?
}

struct Task {
    time: Duration,
    seed: u64,
}

impl Visitor for Task {
    type Output = Option<String>;

    fn visit<P: Described>(self, state: &GameState<P>) -> Option<String> {
        search(state, self.time, self.seed)
    }
}

fn search<P: Described>(root: &GameState<P>, time: Duration, seed: u64) -> Option<String> {
    let began = Instant::now();
    let mut generator = Generator::new(seed);
    let node = |mv, by| Node { mv, by, visits: 0.0, won: 0.0, untried: None, children: Vec::new() };
    // The root's move is a placeholder.
    let mut nodes = vec![node(root.position().legal().next()?, root.position().to_move().other())];
    let mut playouts = 0_u32;
    while !playouts.is_multiple_of(LOOKS) || began.elapsed() < time {
        playouts += 1;
        let (mut state, mut at, mut path) = (root.clone(), 0, vec![0]);
        while state.outcome().is_none() {
            let by = state.position().to_move();
            let untried = nodes[at].untried.get_or_insert_with(|| state.position().legal().collect());
            let fresh = (!untried.is_empty()).then(|| untried.swap_remove(generator.below(untried.len())));
            let child = match fresh {
                Some(mv) => {
                    nodes.push(node(mv, by));
                    let child = nodes.len() - 1;
                    nodes[at].children.push(child);
                    child
                }
                None => chosen(&nodes, at)?,
            };
            state.play_unchecked(nodes[child].mv);
            path.push(child);
            at = child;
            if fresh.is_some() {
                break;
            }
        }
        let mut plies = 0;
        while state.outcome().is_none() && plies < LONGEST {
            let mv = state.position().pick(|count| generator.below(count))?;
            state.play_unchecked(mv);
            plies += 1;
        }
        let winner = state.outcome().and_then(|outcome| outcome.winner);
        for at in path {
            let node = &mut nodes[at];
            node.visits += 1.0;
            node.won += winner.map_or(0.5, |winner| f64::from(u8::from(winner == node.by)));
        }
    }
    let most = nodes[0].children.iter().max_by(|a, b| nodes[**a].visits.total_cmp(&nodes[**b].visits))?;
    Some(root.position().text(nodes[*most].mv))
}

/// Returns the child to visit.
fn chosen<M>(nodes: &[Node<M>], at: usize) -> Option<usize> {
    let log = nodes[at].visits.ln();
    let worth = |child: &usize| {
        let Node { visits, won, .. } = &nodes[*child];
        won / visits + EXPLORATION * (log / visits).sqrt()
    };
    nodes[at].children.iter().copied().max_by(|a, b| worth(a).total_cmp(&worth(b)))
}
