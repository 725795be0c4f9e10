//! The games the server knows, one line each.

use super::game::Game;

/// Calls a macro with the module and the type of every game, in the order of the help, and with further tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_games {
    ($call:ident! $($with:tt)*) => {
        $call! {
            [
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
            ]
            $($with)*
        }
    };
}

macro_rules! list {
    ([$($module:ident::$game:ident,)*]) => {
        /// Every game, in the order of the help.
        pub const GAMES: &[&dyn Game] = &[$(&super::$module::$game),*];
    };
}
with_games!(list!);

/// The game of this name (any case).
pub fn find(name: &str) -> Option<&'static dyn Game> {
    GAMES.iter().copied().find(|game| game.name().eq_ignore_ascii_case(name))
}

/// Whether a text is a move that some game writes as a word: `swap`.
pub fn is_move_word(text: &str) -> bool {
    GAMES.iter().any(|game| game.notation().is_word(text))
}
