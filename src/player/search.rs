//! Monte-Carlo tree search with RAVE and proved nodes, after a check for immediate wins.
//!
//! Sources: Kocsis and Szepesvári 2006 (UCT); Gelly and Silver 2011 (RAVE); Winands, Björnsson and Saito 2008 (proved
//! nodes); Teytaud and Teytaud 2010 (moves that win immediately); Chaslot, Winands and van den Herik 2008 (a tree for
//! each thread); Finnsson and Björnsson 2008 (the history of moves).

use rustc_hash::FxHashMap;

use super::tree::{Proof, ROOT, Tree, result};
use crate::rules::catalogue::Visitor;
use crate::rules::{Described, GameState, Position, Seat};

/// The limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// The number of playouts.
    pub playouts: u32,
    /// Whether to check first for wins within three plies and for threats.
    pub tactics: bool,
    /// The number of threads that share the playouts, each with a separate tree. The result depends on this number.
    pub threads: usize,
    /// The maximum total size of the trees in megabytes. A full tree stops growing, but its playouts continue.
    pub memory: u32,
}

impl SearchLimits {
    /// The maximum useful number of threads: each thread needs a part of the memory for its tree.
    pub const MOST_THREADS: usize = 64;
    /// The default memory of a search.
    pub const MEMORY: u32 = 256;

    /// Returns the maximum number of nodes in each thread's tree.
    fn max_nodes(self) -> usize {
        let most = (self.memory as usize * 1_000_000 / self.threads.max(1) / NODE).max(MIN_NODES);
        // A full column of the tree doubles its memory, so its capacity is a power of two. The last expansion may
        // exceed this limit, so the limit is a sixteenth below the capacity.
        (1 << most.ilog2()) / 16 * 15
    }
}

/// The chosen move, with an evaluation of the position.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The canonical text of the move.
    pub text: String,
    /// The expected chance of winning, from 0 to 1.
    pub chance: f32,
    /// Whether the chance is proved. It is then 1, 0.5 or 0.
    pub proved: bool,
    /// The expected moves, starting with the chosen one.
    pub line: Vec<String>,
    /// The number of completed playouts.
    pub playouts: u32,
}

/// A function that returns whether to stop the search. Every search thread calls it.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// The maximum size of a node in bytes, summed over all columns of a tree.
const NODE: usize = 40;
/// The minimum capacity of a tree in nodes, even with little memory.
const MIN_NODES: usize = 1 << 13;
/// The number of visits at which a node is expanded. Most nodes are never revisited. This number rises as a tree fills.
const EXPANDED_AT: f32 = 2.0;
/// The number of playouts between two calls of `stop`. A playout takes a few tenths of a millisecond.
const STOPS: u32 = 16;
/// The maximum number of legal moves for [`tactics`]. With more, checking all answers to each of them would take
/// seconds.
const MOST_TACTICAL: usize = 1_000;
/// The maximum number of plies of a playout. A longer playout is treated as a draw.
const LONGEST: u32 = 2_000;

/// A search to run on a board.
pub(crate) struct Task<'a> {
    pub(crate) limits: SearchLimits,
    pub(crate) seed: u64,
    pub(crate) stop: Stop<'a>,
    /// Whether to search even if there is only one sensible move.
    pub(crate) always: bool,
}

impl Visitor for Task<'_> {
    type Output = Option<SearchResult>;

    fn visit<P: Described>(self, state: &GameState<P>) -> Option<SearchResult> {
        let position = state.position();
        let unsearched = |mv: P::Move, chance: f32, proved: bool| {
            let text = position.text(mv);
            SearchResult { line: vec![text.clone()], text, chance, proved, playouts: 0 }
        };
        if state.outcome().is_some() {
            return None;
        }
        let (count, mut moves) = (position.legal_count(), position.steps().collect::<Vec<_>>());
        if self.limits.tactics && count <= MOST_TACTICAL {
            let found = tactics(position);
            if let Some(mv) = found.wins {
                return Some(unsearched(mv, 1.0, true));
            }
            if found.safe.len() < count {
                moves = found.safe;
            }
        }
        Some(match moves[..] {
            [only] if !self.always && !after(position, only).has_begun() => unsearched(only, 0.5, false),
            _ => search(state, &moves, self.limits, self.seed, self.stop).result(position),
        })
    }
}

/// Searches on as many threads as the limits allow. Each thread has its own share of the playouts and its own seed,
/// and never waits for others, so the result is the same for the same number of threads.
fn search<P: Position>(
    state: &GameState<P>,
    moves: &[P::Move],
    limits: SearchLimits,
    seed: u64,
    stop: Stop<'_>,
) -> Search<P> {
    let threads = limits.threads.max(1);
    #[allow(clippy::cast_possible_truncation, reason = "the number of threads is small")]
    let playouts = limits.playouts.div_ceil(threads as u32);
    let alone = &|thread: usize| {
        let mut search = Search::new(state.position().to_move(), moves, seed ^ (thread as u64) << 48);
        let max_nodes = limits.max_nodes();
        while search.playouts < playouts && search.tree.proof(ROOT) == Proof::Open {
            if search.playouts % STOPS == 1 && stop() {
                break;
            }
            search.playout(state.clone(), max_nodes);
        }
        search
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || alone(thread))).collect();
        let mut search = alone(0);
        for other in others {
            search.add(&other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        search
    })
}

struct Search<P: Position> {
    tree: Tree<P::Move>,
    /// The number assigned to each move seen so far.
    numbers: FxHashMap<P::Move, u32>,
    /// For each seat and move, the last [`time`] at which it was played.
    made: [Vec<u64>; 2],
    /// For each seat and move, the number of playouts that contained it and the points that the seat scored in them.
    /// The history of each move starts with two draws.
    history: [Vec<(f32, f32)>; 2],
    playouts: u32,
    random: RandomGenerator,
}

/// Returns a time within a search. Times are ordered by playout, then by ply.
fn time(playout: u32, ply: u32) -> u64 {
    u64::from(playout) << 32 | u64::from(ply)
}

impl<P: Position> Search<P> {
    fn new(to_move: Seat, moves: &[P::Move], seed: u64) -> Search<P> {
        let mut search = Search {
            tree: Tree::new(moves[0], to_move.other()),
            numbers: FxHashMap::default(),
            made: [Vec::new(), Vec::new()],
            history: [Vec::new(), Vec::new()],
            playouts: 0,
            random: RandomGenerator::new(seed),
        };
        let first = search.tree.len();
        for mv in moves {
            let number = search.number(*mv);
            search.tree.push(*mv, number, to_move, Proof::Open);
        }
        search.tree.adopt(ROOT, first);
        search
    }

    fn number(&mut self, mv: P::Move) -> u32 {
        let next = self.numbers.len();
        *self.numbers.entry(mv).or_insert_with(|| {
            self.made.iter_mut().for_each(|made| made.push(0));
            self.history.iter_mut().for_each(|history| history.push((2.0, 1.0)));
            u32::try_from(next).expect("no game has this many moves")
        })
    }

    /// Descends the tree, plays a game to its end, and records the result.
    fn playout(&mut self, mut state: GameState<P>, max_nodes: usize) {
        self.playouts += 1;
        let mut path = vec![ROOT];
        let (mut at, mut ply) = (ROOT, 0);
        while state.outcome().is_none() && self.tree.proof(at) == Proof::Open {
            if self.tree.children(at).is_empty() {
                // Within a move, the same playout also tries a next step, so that the tree contains whole moves.
                let within = state.position().has_begun();
                let quarters = 4 * self.tree.len() / max_nodes;
                let is_due = within || self.tree.visits(at) + 1.0 >= EXPANDED_AT * f32::from(1_u8 << quarters);
                if quarters < 4 && is_due {
                    self.expand(at, state.position());
                    self.tree.prove(&path);
                }
                if !within || self.tree.children(at).is_empty() {
                    break;
                }
                continue;
            }
            at = self.tree.best(at, P::EXPLORATION, P::LATER_VISITS);
            let (mv, number, by) = self.tree.step(at);
            self.made[by.index()][number as usize] = time(self.playouts, ply);
            state.play_unchecked(mv);
            path.push(at);
            ply += 1;
        }
        let (_, _, by) = self.tree.step(at);
        let winner = match (state.outcome(), self.tree.proof(at)) {
            (Some(outcome), _) => outcome.winner,
            (None, Proof::Won) => Some(by),
            (None, Proof::Lost) => Some(by.other()),
            (None, Proof::Drawn) => None,
            (None, Proof::Open) => self.random_game(state, self.tree.step(at).0, ply),
        };
        for (depth, at) in (0_u32..).zip(path) {
            let later = time(self.playouts, depth)..time(self.playouts, depth.saturating_add(P::LATER));
            self.tree.count(at, winner);
            self.tree.count_later(at, winner, &self.made, &later);
        }
        if P::HISTORY {
            self.remember(winner);
        }
    }

    /// Adds the result of this playout to the history of each of its moves.
    fn remember(&mut self, winner: Option<Seat>) {
        let began = time(self.playouts, 0);
        for seat in Seat::BOTH {
            let result = result(winner, seat);
            for ((times, won), made) in self.history[seat.index()].iter_mut().zip(&self.made[seat.index()]) {
                let was_made = f32::from(u8::from(*made >= began));
                *times += was_made;
                *won += was_made * result;
            }
        }
    }

    /// Adds a node's children. If one wins immediately or is forced, it is the only child.
    fn expand(&mut self, at: usize, position: &P) {
        let (to_move, first) = (position.to_move(), self.tree.len());
        let forced = position.forced();
        let last = self.tree.step(at).0;
        for mv in position.steps().filter(|mv| forced.is_none_or(|forced| forced == *mv)) {
            let outcome = if position.may_end(mv) { after(position, mv).outcome() } else { None };
            let proof = outcome.map_or(Proof::Open, |outcome| Proof::of(outcome.winner, to_move));
            let number = self.number(mv);
            if proof == Proof::Won {
                self.tree.truncate(first);
                self.tree.push(mv, number, to_move, Proof::Won);
                break;
            }
            self.tree.push(mv, number, to_move, proof);
            self.tree.presume(position.prior(last, mv));
        }
        self.tree.adopt(at, first);
    }

    /// Plays a random game to its end and returns the winner. `last` is the last move in the tree.
    fn random_game(&mut self, mut state: GameState<P>, mut last: P::Move, mut ply: u32) -> Option<Seat> {
        while state.outcome().is_none() && ply < LONGEST {
            let position = state.position();
            let by = position.to_move();
            let (mv, number) = self.choose(position, by, last)?;
            self.made[by.index()][number as usize] = time(self.playouts, ply);
            state.play_unchecked(mv);
            last = mv;
            ply += 1;
        }
        state.outcome()?.winner
    }

    /// Chooses a playout's answer to the last move, and also returns its number.
    fn choose(&mut self, position: &P, by: Seat, last: P::Move) -> Option<(P::Move, u32)> {
        let mut choose = || {
            let mv = position.choose(last, |count| self.random.below(count))?;
            Some((mv, self.number(mv)))
        };
        let one = choose()?;
        if !P::HISTORY {
            return Some(one);
        }
        let two = choose()?;
        let mean = |number: u32| {
            let (times, won) = self.history[by.index()][number as usize];
            won / times
        };
        Some(if mean(two.1) > mean(one.1) { two } else { one })
    }

    /// Adds the results of another thread's search.
    fn add(&mut self, other: &Search<P>) {
        self.playouts += other.playouts;
        self.tree.add_root_of(&other.tree);
        self.tree.prove(&[ROOT]);
    }
}

impl<P: Described> Search<P> {
    /// Returns the best move and the expected continuation. The chance is the mean of all playouts. The chance of the
    /// best move would be biased, because it is the luckiest of many.
    fn result(&self, position: &P) -> SearchResult {
        let (mut line, mut at, mut position) = (Vec::new(), Some(ROOT), position.clone());
        while position.outcome().is_none() {
            let within = position.has_begun();
            let is_likely = |child: &usize| within || line.is_empty() || self.tree.visits(*child) >= EXPANDED_AT;
            at = at.and_then(|at| self.tree.chosen(at)).filter(is_likely);
            let mv = match at {
                Some(at) => self.tree.step(at).0,
                // A full tree may lack the last step of a move.
                None if within => position.steps().last().expect("a move that has begun can be completed"),
                None => break,
            };
            let next = after(&position, mv);
            if !next.has_begun() {
                line.push(position.text(next.so_far(mv)));
            }
            position = next;
        }
        let proved = self.tree.proof(ROOT) != Proof::Open;
        let chance = 1.0 - self.tree.chance(ROOT);
        SearchResult { text: line.first().cloned().unwrap_or_default(), chance, proved, line, playouts: self.playouts }
    }
}

pub(crate) fn after<P: Position>(position: &P, mv: P::Move) -> P {
    let mut next = position.clone();
    next.play_unchecked(mv);
    next
}

pub(crate) fn winner<P: Position>(position: &P) -> Option<Seat> {
    position.outcome()?.winner
}

/// Returns a move that wins immediately for the player to move.
pub(crate) fn winning_move<P: Position>(position: &P) -> Option<P::Move> {
    let to_move = position.to_move();
    position.legal().find(|mv| position.may_end(*mv) && winner(&after(position, *mv)) == Some(to_move))
}

/// The result of a check of all moves before a search.
pub(crate) struct Tactics<M> {
    /// A move that wins within three plies, against every defence.
    pub(crate) wins: Option<M>,
    /// The moves after which the opponent cannot win immediately; all moves if the opponent can win after each.
    pub(crate) safe: Vec<M>,
}

/// Checks every move and the opponent's answers to it. Also checks the replies to these answers, up to the first
/// answer that leaves no winning reply.
pub(crate) fn tactics<P: Position>(position: &P) -> Tactics<P::Move> {
    if let Some(wins) = winning_move(position) {
        return Tactics { wins: Some(wins), safe: vec![wins] };
    }
    let to_move = position.to_move();
    let mut safe = Vec::new();
    for mv in position.legal() {
        let next = after(position, mv);
        if next.outcome().is_some() || next.to_move() == to_move {
            safe.push(mv);
            continue;
        }
        if winning_move(&next).is_some() {
            continue;
        }
        safe.push(mv);
        let wins = |answer: P::Move| {
            let then = after(&next, answer);
            then.outcome().is_none() && then.to_move() == to_move && winning_move(&then).is_some()
        };
        // Most moves are not threats, so the first answer ends this loop.
        if next.legal().all(wins) {
            return Tactics { wins: Some(mv), safe };
        }
    }
    if safe.is_empty() {
        safe = position.legal().collect();
    }
    Tactics { wins: None, safe }
}

/// xorshift64* (Vigna, 2016): fast, and reproducible from a seed.
#[derive(Clone, Debug)]
pub(crate) struct RandomGenerator(u64);

impl RandomGenerator {
    pub(crate) fn new(seed: u64) -> RandomGenerator {
        // Similar seeds must start differently, and a state of zero would repeat forever.
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        RandomGenerator((mixed ^ (mixed >> 27)) | 1)
    }

    /// Returns a number below `limit`, which must not be 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((high * limit as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::catalogue::{self, GAMES};
    use crate::rules::{Options, Position, brique, lazo, marque, tessella};

    #[test]
    fn a_node_has_the_computed_size() {
        let columns = 5 * size_of::<u32>() + size_of::<Seat>() + size_of::<Proof>() + size_of::<std::ops::Range<u32>>();
        let moves = [
            size_of::<marque::Move>(),
            size_of::<brique::Move>(),
            size_of::<tessella::Move>(),
            size_of::<lazo::Stack>(),
        ];
        assert!(moves.iter().all(|mv| columns + mv <= NODE), "{columns} {moves:?}");
    }

    /// Checks in random games that `may_end` is true for each move that ends the game, and that a forced move wins,
    /// or that the opponent can win immediately after every other move. The visitor returns the number of forced moves.
    struct Claims;

    impl Visitor for Claims {
        type Output = usize;

        fn visit<P: Described>(self, start: &GameState<P>) -> usize {
            let (mut random, mut forced) = (RandomGenerator::new(7), 0);
            for _ in 0..2 {
                let mut state = start.clone();
                while state.outcome().is_none() {
                    let position = state.position();
                    let is_honest = |mv: P::Move| position.may_end(mv) || after(position, mv).outcome().is_none();
                    assert!(position.steps().all(is_honest), "{:?}", position.text(position.legal().next().unwrap()));
                    if let Some(only) = position.forced() {
                        let is_lost = |mv: P::Move| winning_move(&after(position, mv)).is_some();
                        let wins = winner(&after(position, only)) == Some(position.to_move());
                        assert!(
                            wins || position.steps().all(|mv| mv == only || is_lost(mv)),
                            "{}",
                            position.text(only)
                        );
                        forced += 1;
                    }
                    let mv = position.pick(|count| random.below(count)).unwrap();
                    state.play_unchecked(mv);
                }
            }
            forced
        }
    }

    #[test]
    fn claims_about_winning_and_forced_moves_are_true() {
        for game in GAMES {
            let board = game.start(&Options::default()).unwrap();
            let forced = catalogue::visit(&*board, Claims).unwrap();
            let is_known = ["lazo", "hex", "y", "havannah", "yavalath"].contains(&game.name());
            assert_eq!(forced > 0, is_known, "{}: {forced}", game.name());
        }
    }

    #[test]
    fn a_full_tree_stays_in_memory_and_playouts_continue() {
        let board = GAMES.iter().find(|game| game.name() == "tessella").unwrap().start(&Options::default()).unwrap();
        let state = board.as_any().downcast_ref::<GameState<tessella::Position>>().unwrap();
        let moves: Vec<_> = state.position().legal().collect();
        let nodes = |memory| {
            let limits = SearchLimits { playouts: 4_000, tactics: false, threads: 1, memory };
            let found = search(state, &moves, limits, 1, &|| false);
            assert_eq!(found.playouts, 4_000);
            found.tree.len()
        };
        assert!(nodes(SearchLimits::MEMORY) > 16_384, "the search needs more nodes");
        assert!(nodes(0) < 8_192, "no column of the smallest tree doubles again");
    }
}
