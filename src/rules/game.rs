//! What the catalogue says of a game.

use super::notation::Notation;
use super::options::{OptionSpec, Options};
use super::play::Play;
use super::refusal::Refusal;

/// A game of the catalogue.
pub trait Game: Sync {
    /// The word of the command language: `marque`. Lower case.
    fn name(&self) -> &'static str;
    /// The name as written in letters: `Marque`.
    fn title(&self) -> &'static str;
    /// Who designed it, and when: `Cameron Browne, 2008`.
    fn designer(&self) -> &'static str;
    /// How its moves are written.
    fn notation(&self) -> Notation;
    /// The options a challenge can carry.
    fn options(&self) -> &'static [OptionSpec];
    /// An empty board under these options, which `command` has checked against [`Game::options`].
    ///
    /// # Errors
    /// A refusal when the options contradict each other: two formations, say.
    fn start(&self, options: &Options) -> Result<Box<dyn Play>, Refusal>;
}
