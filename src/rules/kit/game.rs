//! The facts about a game on a grid, for the catalogue.

use std::fmt::Debug;

use crate::message;
use crate::rules::game::Game;
use crate::rules::game_state::GameState;
use crate::rules::notation::Notation;
use crate::rules::options::{OptionSpec, Options};
use crate::rules::play::Play;
use crate::rules::position::Position;
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text::Message;

/// The facts about a game on a grid.
pub trait GridGame: Clone + Copy + Debug + Send + Sync + 'static {
    /// The positions of the game.
    type Position: Board;
    /// The name in the command language.
    const NAME: &'static str;
    /// The name in sentences.
    const TITLE: &'static str;
    /// The designer and the year.
    const DESIGNER: &'static str;
    /// The usual number of cells a side.
    const SIZE: u16;
    /// The options of a challenge: at most a size.
    const OPTIONS: &'static [OptionSpec] = &[];
    /// The options that give the same board as no options.
    const BUILT_IN: &'static str = "";
    /// Whether a game can end in a draw.
    const HAS_DRAWS: bool;
    /// An example game: its options and its moves.
    const SAMPLE: (&'static str, &'static str);

    /// The game in a sentence or two.
    fn about() -> Message;
}

/// The positions of a kind of games on grids.
pub trait Board: Position {
    /// How players write moves.
    const NOTATION: Notation;

    /// The start on a board with this number of cells a side.
    fn start(size: u16) -> Self;
}

/// The option of a board's size, with its values in numbers and in words.
pub const fn size_option(numbers: &'static [u16], value: Message) -> OptionSpec {
    OptionSpec {
        name: "size",
        value: Some(value),
        numbers,
        about: Message::new("rules.option-size"),
        label: Message::new("rules.label-size"),
    }
}

impl<G: GridGame> Game for G {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn title(&self) -> &'static str {
        G::TITLE
    }

    fn designer(&self) -> &'static str {
        G::DESIGNER
    }

    fn notation(&self) -> Notation {
        G::Position::NOTATION
    }

    fn options(&self) -> &'static [OptionSpec] {
        G::OPTIONS
    }

    fn built_in(&self) -> &'static str {
        G::BUILT_IN
    }

    fn has_draws(&self) -> bool {
        G::HAS_DRAWS
    }

    fn about(&self) -> Message {
        G::about()
    }

    fn sample(&self) -> (&'static str, &'static str) {
        G::SAMPLE
    }

    fn start(&self, options: &Options) -> Result<Box<dyn Play>, Refusal> {
        Ok(Box::new(GameState::new(G::Position::start(size::<G>(options)?))))
    }
}

fn size<G: GridGame>(options: &Options) -> Result<u16, Refusal> {
    let Some((name, value)) = options.iter().next() else { return Ok(G::SIZE) };
    let value = value.unwrap_or_default();
    let option = G::OPTIONS.iter().find(|option| option.name == name);
    // The text is stored as it is, so a number must be written in one way.
    let known = option.and_then(|option| option.numbers.iter().find(|size| size.to_string() == value));
    known.copied().ok_or_else(|| {
        let sizes = option.and_then(|option| option.value.clone()).unwrap_or_default();
        let message = message!("rules.no-such-size", sizes, usual = G::SIZE);
        Refusal::new(RefusalKind::Options, format!("-{name}={value}"), message)
    })
}
