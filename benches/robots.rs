//! Whether each level of the computer player beats weaker ones: `cargo bench --bench robots`. `GAMES=200` plays more.
//!
//! Each pair of games begins with the same two random moves and swaps the seats. A figure is the share of points that the
//! stronger level won, with its 95 % interval.

use turnpost::player::{Level, think};
use turnpost::rules::catalogue::GAMES;
use turnpost::rules::{Game, Options, Seat};

/// The levels that play each other, the stronger one first.
const PAIRS: [(u8, u8); 4] = [(3, 1), (5, 3), (7, 5), (9, 7)];

/// xorshift64*.
fn random(state: &mut u64) -> usize {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize
}

/// The points of the first level in one game, in which it has this seat.
fn points(game: &dyn Game, levels: [Level; 2], seat: Seat, opening: u64) -> f64 {
    let mut board = game.start(&Options::default()).unwrap();
    let mut dice = opening | 1;
    for _ in 0..2 {
        let moves = board.legal_moves();
        board.play(&moves[random(&mut dice) % moves.len()]).unwrap();
    }
    let mut plies = 0;
    while let Some(mover) = board.to_move() {
        plies += 1;
        let level = if mover == seat { levels[0] } else { levels[1] };
        let thought =
            think(&*board, level.effort(), opening.wrapping_mul(1_000).wrapping_add(plies), &|| false).unwrap();
        board.play(&thought.text).unwrap();
    }
    match board.outcome().and_then(|outcome| outcome.winner) {
        None => 0.5,
        Some(winner) => f64::from(u8::from(winner == seat)),
    }
}

fn main() {
    let games: u64 = std::env::var("GAMES").map_or(40, |text| text.parse().expect("GAMES is a number"));
    for (stronger, weaker) in PAIRS {
        let levels = [stronger, weaker].map(|number| Level::new(number).unwrap());
        for game in GAMES {
            let pairs = (1..=games / 2).flat_map(|opening| Seat::BOTH.map(|seat| (opening * 7_919, seat)));
            let won: f64 = pairs.map(|(opening, seat)| points(*game, levels, seat, opening)).sum();
            let share = won / games as f64;
            let interval = 1.96 * (share * (1.0 - share) / games as f64).sqrt();
            println!(
                "robot{stronger} against robot{weaker}, {:<9} {:.0} % \u{b1} {:.0}",
                game.title(),
                100.0 * share,
                100.0 * interval
            );
        }
    }
}
