//! Random games, the same in each run.

use turnpost::rules::{Options, catalogue};
use turnpost::store::Seat;

use crate::dice::Dice;

/// A game that was played: who made each move, and its text.
pub struct Sample {
    pub game: &'static str,
    pub moves: Vec<(Seat, String)>,
}

/// So many random games of each kind, each with so many plies.
pub fn samples(dice: &mut Dice, games: usize, plies: usize) -> Vec<Sample> {
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
                let played = play.play(&legal.swap_remove(dice.below(legal.len()))).unwrap();
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
