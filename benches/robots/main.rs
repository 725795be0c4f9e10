//! Measures the strength and the speed of the computer player.
//!
//! - `cargo bench --bench robots`: the speed of the search, and each level up to robot6 against the one below.
//! - `cargo bench --bench robots -- levels 9 11`: these levels, each against the one below; append `lazo` for only
//!   that game.
//! - `cargo bench --bench robots -- uct 500`: half a second a move against plain UCT, with the same time and with
//!   ten times as much.
//!
//! `GAMES=400` plays more games, and `GAMES=30` fewer: 30 games of robot10 take minutes, and 30 of robot12 up to half
//! an hour. A match of two levels ends early once a sequential probability ratio test has decided between 58 and 66 %
//! of the points and the 95 % interval is ± 4 % or less. Figures are shares of the points of the stronger level, or of
//! our player, with these intervals. All games use one thread per move, and one game runs on each core.

use std::str::FromStr;
use std::time::{Duration, Instant};

use turnpost::player::{Level, SearchLimits, think};
use turnpost::rules::Play;
use turnpost::rules::catalogue::GAMES;

#[path = "../generator/mod.rs"]
mod generator;
mod matches;
mod speed;
mod uct;

use matches::Match;

fn at_level(number: u8) -> impl Fn(&dyn Play, u64) -> String + Sync {
    let level = Level::new(number).expect("the level exists");
    move |board, seed| think(board, level.limits(board, 1), seed, &|| false).unwrap().text
}

/// Plays each of these levels against the one below, in every game or in one.
fn levels(from: u8, to: u8, only: Option<&str>, pairs: u64) {
    for stronger in from..=to {
        let (strong, weak) = (at_level(stronger), at_level(stronger - 1));
        for game in GAMES.iter().filter(|game| only.is_none_or(|name| name == game.name())) {
            let played = Match::play(*game, [&strong, &weak], pairs, true);
            println!("robot{stronger} against robot{}, {:<15} {played}", stronger - 1, game.title());
        }
    }
}

/// Plays our search against plain UCT, with the same time for each move and with ten times as much.
fn against_uct(time: Duration, pairs: u64) {
    let ours = |board: &dyn Play, seed: u64| {
        let began = Instant::now();
        let limits = SearchLimits { playouts: u32::MAX, tactics: true, threads: 1, memory: SearchLimits::MEMORY };
        think(board, limits, seed, &|| began.elapsed() >= time).unwrap().text
    };
    for times in [1, 10] {
        let plain = |board: &dyn Play, seed: u64| uct::best_move(board, time * times, seed).unwrap();
        for game in GAMES {
            let played = Match::play(*game, [&ours, &plain], pairs, false);
            println!("{time:?} against plain UCT with {times} x the time, {:<15} {played}", game.title());
        }
    }
}

fn main() {
    let games: u64 = std::env::var("GAMES").map_or(200, |text| text.parse().expect("GAMES is a number"));
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            speed::all();
            levels(2, 6, None, games / 2);
        }
        ["levels", from, to] => levels(number(from), number(to), None, games / 2),
        ["levels", from, to, game] => levels(number(from), number(to), Some(game), games / 2),
        ["uct", milliseconds] => against_uct(Duration::from_millis(number(milliseconds)), games / 2),
        _ => panic!("expected no arguments, levels FROM TO [GAME], or uct MILLISECONDS"),
    }
}

fn number<N: FromStr>(word: &str) -> N {
    word.parse().unwrap_or_else(|_| panic!("{word} is not a valid number"))
}
