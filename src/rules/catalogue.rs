//! The games the server knows, one line each.

use super::{Game, brique, lazo, marque, tessella};

/// Every game, in the order of the help.
pub const GAMES: &[&dyn Game] = &[&marque::Marque, &brique::Brique, &tessella::Tessella, &lazo::Lazo];

/// The game of this name (any case).
pub fn find(name: &str) -> Option<&'static dyn Game> {
    GAMES.iter().copied().find(|game| game.name().eq_ignore_ascii_case(name))
}
