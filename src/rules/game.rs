//! Games, as the catalogue lists them.

use super::notation::Notation;
use super::options::{OptionSpec, Options};
use super::play::Play;
use super::refusal::Refusal;
use crate::text::Message;

/// A game of the catalogue.
pub trait Game: Sync {
    /// The name in the command language, in lower case: `marque`.
    fn name(&self) -> &'static str;
    /// The name in sentences: `Marque`.
    fn title(&self) -> &'static str;
    /// The designer and the year: `Cameron Browne, 2008`.
    fn designer(&self) -> &'static str;
    /// How its moves are written.
    fn notation(&self) -> Notation;
    /// The options that a challenge can have.
    fn options(&self) -> &'static [OptionSpec];
    /// The options that give the same board as no options: `-size=15`. Empty if the game has no options.
    fn built_in(&self) -> &'static str {
        ""
    }
    /// Whether a board can end in a draw: if not, none can be proposed either.
    fn has_draws(&self) -> bool {
        true
    }
    /// The game in a sentence or two.
    fn about(&self) -> Message;
    /// A game that shows what it looks like: the options, and the moves, in the words of the command language.
    fn sample(&self) -> (&'static str, &'static str);
    /// Starts a board under these options, which `command` has checked against [`Game::options`].
    ///
    /// # Errors
    /// A refusal when the options contradict each other: two formations, say.
    fn start(&self, options: &Options) -> Result<Box<dyn Play>, Refusal>;
}
