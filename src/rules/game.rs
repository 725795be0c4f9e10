//! Games, as the catalogue lists them.

use super::notation::Notation;
use super::options::{OptionSpec, Options};
use super::play::Play;
use super::refusal::Refusal;
use crate::text::Message;

/// A game of the catalogue.
pub trait Game: Sync {
    /// Returns the name in the command language, in lower case: `marque`.
    fn name(&self) -> &'static str;
    /// Returns the name in sentences: `Marque`.
    fn title(&self) -> &'static str;
    /// Returns the designer and the year: `Cameron Browne, 2008`.
    fn designer(&self) -> &'static str;
    /// How players write its moves.
    fn notation(&self) -> Notation;
    /// Returns the options that a challenge can have.
    fn options(&self) -> &'static [OptionSpec];
    /// Returns the options that are equivalent to no options: `-size=15`. Empty if the game has no options.
    fn built_in(&self) -> &'static str {
        ""
    }
    /// Returns whether a board can end in a draw. If not, players cannot propose a draw either.
    fn has_draws(&self) -> bool {
        true
    }
    /// Describes the game in a sentence or two.
    fn about(&self) -> Message;
    /// Returns an illustrative game: its options and its moves, in the command language.
    fn sample(&self) -> (&'static str, &'static str);
    /// Starts a board with these options. `command` has already checked them against [`Game::options`].
    ///
    /// # Errors
    /// A refusal if the options contradict each other, for example two formations.
    fn start(&self, options: &Options) -> Result<Box<dyn Play>, Refusal>;
}
