//! Matches: pairs of games from the same opening with swapped seats, until it is clear which player is stronger, and
//! by how much.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use turnpost::rules::{Game, Options, Play, Seat};

use super::generator::Generator;

/// A function that chooses a move for the player whose turn it is.
pub type Mover<'a> = &'a (dyn Fn(&dyn Play, u64) -> String + Sync);

/// The two hypotheses of the sequential probability ratio test, as shares of the points. The error probability is 5 %.
const SHARES: [f64; 2] = [0.58, 0.66];
/// The logarithm of the likelihood ratio at which the test decides: ln(0.95 / 0.05).
const DECIDED: f64 = 2.944;
/// The minimum number of pairs for a decision.
const FEWEST: usize = 15;
/// The half-width of the 95 % interval at which a match may end.
const NARROW: f64 = 0.04;
/// The maximum number of plies; a longer game is a draw. Only Tessella has longer games.
const LONGEST: u64 = 400;

/// The first player's shares of the points, one for each pair of games.
#[derive(Default)]
pub struct Match {
    shares: Vec<f64>,
}

impl Match {
    /// Plays at most this many pairs, with one game on each core. If `sequential` is set, stops once the test has
    /// decided and the interval is narrow.
    pub fn play(game: &dyn Game, players: [Mover; 2], pairs: u64, sequential: bool) -> Match {
        let (next, played) = (AtomicU64::new(0), Mutex::new(Match::default()));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let play = || {
            loop {
                let opening = next.fetch_add(1, Ordering::Relaxed);
                if opening >= pairs || sequential && played.lock().unwrap().is_decided() {
                    return;
                }
                let points: f64 = Seat::BOTH.map(|seat| points(game, players, seat, opening)).iter().sum();
                played.lock().unwrap().shares.push(points / 2.0);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(play);
            }
        });
        played.into_inner().unwrap()
    }

    fn share(&self) -> (f64, f64) {
        let count = self.shares.len() as f64;
        let mean = self.shares.iter().sum::<f64>() / count;
        (mean, self.shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / count)
    }

    /// Returns whether the test has decided and the interval is narrow. A few equal results say little about the
    /// variance, so its minimum is a fortieth.
    fn is_decided(&self) -> bool {
        let ([low, high], (mean, variance)) = (SHARES, self.share());
        let ratio = self.shares.len() as f64 * (high - low) * (mean - (low + high) / 2.0) / variance.max(0.025);
        self.shares.len() >= FEWEST && ratio.abs() >= DECIDED && self.interval() <= NARROW
    }

    /// Returns the half-width of the 95 % interval of the mean.
    fn interval(&self) -> f64 {
        1.96 * (self.share().1 / self.shares.len() as f64).sqrt()
    }
}

impl std::fmt::Display for Match {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let ((mean, _), interval) = (self.share(), self.interval());
        let elo = |share: f64| 400.0 * (share / (1.0 - share)).log10();
        write!(f, "{:.0} ± {:.0} %", 100.0 * mean, 100.0 * interval)?;
        let [least, most] = [mean - interval, mean + interval];
        if least > 0.0 && most < 1.0 {
            write!(f, ", Elo {:+.0} ({:+.0} to {:+.0})", elo(mean), elo(least), elo(most))?;
        }
        write!(f, ", {} games", 2 * self.shares.len())
    }
}

/// Plays one game, in which the first of the two players has this seat. Returns that player's points. The first two to
/// four moves are random.
fn points(game: &dyn Game, players: [Mover; 2], seat: Seat, opening: u64) -> f64 {
    let mut board = game.start(&Options::default()).unwrap();
    let mut generator = Generator::new(opening);
    for _ in 0..2 + opening % 3 {
        let moves = board.legal_moves();
        board.play(&moves[generator.below(moves.len())]).unwrap();
    }
    for ply in 0..LONGEST {
        let Some(to_move) = board.to_move() else { break };
        let text = players[usize::from(to_move != seat)](&*board, opening << 32 | ply << 1 | seat.index() as u64);
        board.play(&text).unwrap();
    }
    match board.outcome().and_then(|outcome| outcome.winner) {
        None => 0.5,
        Some(winner) => f64::from(u8::from(winner == seat)),
    }
}
