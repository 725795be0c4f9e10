//! Measures the playouts per second of the search. They are compared with random games without a search, and two
//! threads are compared with one.

use std::time::{Duration, Instant};

use turnpost::player::{SearchLimits, evaluate};
use turnpost::rules::catalogue::{GAMES, Visitor, visit};
use turnpost::rules::{Described, Game, GameState, Options};

use super::generator::Generator;

/// The time for each measurement in a round.
const TURN: Duration = Duration::from_millis(500);
const ROUNDS: usize = 7;

/// A visitor that plays random games for [`TURN`], and returns their number per second.
struct RandomGames;

impl Visitor for RandomGames {
    type Output = f64;

    fn visit<P: Described>(self, start: &GameState<P>) -> f64 {
        let (mut generator, mut games, began) = (Generator::new(1), 0, Instant::now());
        while began.elapsed() < TURN {
            let mut state = GameState::new(start.position().clone());
            while state.outcome().is_none() {
                let mv = state.position().pick(|count| generator.below(count)).unwrap();
                state.play_unchecked(mv);
            }
            games += 1;
        }
        f64::from(games) / began.elapsed().as_secs_f64()
    }
}

/// Returns the playouts per second of a search with this many threads.
fn playouts(game: &dyn Game, threads: usize, seed: u64) -> f64 {
    let (board, began) = (game.start(&Options::default()).unwrap(), Instant::now());
    let limits = SearchLimits { playouts: u32::MAX, tactics: false, threads, memory: SearchLimits::MEMORY };
    let found = evaluate(&*board, limits, seed, &|| began.elapsed() >= TURN).unwrap();
    f64::from(found.playouts) / began.elapsed().as_secs_f64()
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Measures a game. In each round, the random games and the searches take turns.
fn measure(game: &dyn Game) {
    let (mut beside_games, mut beside_one, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    let start = game.start(&Options::default()).unwrap();
    for round in 0..ROUNDS {
        let games = visit(&*start, RandomGames).unwrap();
        let (one, two) = (playouts(game, 1, round as u64), playouts(game, 2, round as u64));
        alone.push(one);
        beside_games.push(one / games);
        beside_one.push(two / one);
    }
    println!(
        "{:<15} {:>7.0} playouts a second, {:.2} x the random games of the rules; two threads {:.2} x one",
        game.title(),
        median(alone),
        median(beside_games),
        median(beside_one)
    );
}

pub fn all() {
    GAMES.iter().for_each(|game| measure(*game));
}
