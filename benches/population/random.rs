//! Random games that are the same in every run.

use turnpost::rules::{Options, catalogue};
use turnpost::store::Seat;

use crate::generator::Generator;

/// A played game: the seat and the text of each move.
pub struct Sample {
    pub game: &'static str,
    pub moves: Vec<(Seat, String)>,
}

/// Plays this many random games of each kind, each with this many plies.
pub fn samples(generator: &mut Generator, games: usize, plies: usize) -> Vec<Sample> {
    let mut samples = Vec::new();
    for game in catalogue::GAMES {
        let mut found = 0;
        while found < games {
            let mut play = game.start(&Options::default()).unwrap();
            let mut moves = Vec::new();
            while moves.len() < plies
                && let Some(seat) = play.to_move()
            {
                let mut legal = play.legal_moves();
                let played = play.play(&legal.swap_remove(generator.below(legal.len()))).unwrap();
                moves.push((seat, played.text));
            }
            if moves.len() == plies {
                samples.push(Sample { game: game.name(), moves });
                found += 1;
            }
        }
    }
    samples
}
