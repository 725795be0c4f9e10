//! The games the server knows, one line each.

use super::brique::Brique;
use super::game::Game;
use super::lazo::Lazo;
use super::marque::Marque;
use super::tessella::Tessella;

/// Every game, in the order of the help.
pub const GAMES: &[&dyn Game] = &[&Marque, &Brique, &Tessella, &Lazo];

/// The game of this name (any case).
pub fn find(name: &str) -> Option<&'static dyn Game> {
    GAMES.iter().copied().find(|game| game.name().eq_ignore_ascii_case(name))
}

/// Whether a text is a move that some game writes as a word: `swap`.
pub fn is_move_word(text: &str) -> bool {
    GAMES.iter().any(|game| game.notation().is_word(text))
}
