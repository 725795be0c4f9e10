//! How many opponents and boards players want in a game.

use super::{PlayerId, PlayerRef, Result};

/// How many opponents and boards a player wants in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GamePreferences {
    /// How many opponents they look for.
    pub seeks: u32,
    /// The most boards they play at a time; `None`: any number.
    pub most: Option<u32>,
}

/// A player who looks for opponents in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeker {
    /// Who looks.
    pub player: PlayerRef,
    /// How many opponents they look for.
    pub seeks: u32,
}

/// Players' preferences for each game.
pub trait Preferences {
    /// A player's preferences for a game; the default ones when they have set none.
    fn game_preferences(&self, player: PlayerId, game: &str) -> Result<GamePreferences>;
    /// Replaces a player's preferences for a game.
    fn set_game_preferences(&mut self, player: PlayerId, game: &str, preferences: &GamePreferences) -> Result<()>;
    /// Lists who looks for opponents in a game, by userid.
    fn seekers(&self, game: &str) -> Result<Vec<Seeker>>;
}
