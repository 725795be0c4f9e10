//! The games the server knows, one line each.

use super::game::Game;
use super::game_state::GameState;
use super::play::Play;
use super::position::Described;

/// A computation over the state of a board in the game's own types.
pub trait Visitor {
    /// The result.
    type Output;

    /// Computes the result.
    fn visit<P: Described>(self, state: &GameState<P>) -> Self::Output;
}

/// Lists the games by module and type, in the order of the help.
macro_rules! games {
    ($($module:ident::$game:ident,)*) => {
        /// Every game, in the order of the help.
        pub const GAMES: &[&dyn Game] = &[$(&super::$module::$game),*];

        /// Calls a visitor with the state of a board. Returns `None` if its game is not in the catalogue.
        pub fn visit<V: Visitor>(board: &dyn Play, visitor: V) -> Option<V::Output> {
            let board = board.as_any();
            $(if let Some(state) = board.downcast_ref::<GameState<super::$module::Position>>() {
                return Some(visitor.visit(state));
            })*
            None
        }
    };
}

games! {
    marque::Marque,
    brique::Brique,
    tessella::Tessella,
    lazo::Lazo,
    hex::Hex,
    y::Y,
    havannah::Havannah,
    gonnect::Gonnect,
    yavalath::Yavalath,
    breakthrough::Breakthrough,
    loa::LinesOfAction,
    amazons::Amazons,
    twixt::TwixT,
    catchup::Catchup,
}

/// The game of this name (any case).
pub fn find(name: &str) -> Option<&'static dyn Game> {
    GAMES.iter().copied().find(|game| game.name().eq_ignore_ascii_case(name))
}

/// Whether a text is a move that some game writes as a word: `swap`.
pub fn is_move_word(text: &str) -> bool {
    GAMES.iter().any(|game| game.notation().is_word(text))
}
