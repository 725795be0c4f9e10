//! Lazo (David J. Bush): stack hexagonal tiles like cannonballs. A loop of one colour wins.

mod interface;
mod legal;
mod loops;
mod moves;
mod position;
mod pyramid;
mod scene;
mod sides;
mod threats;
mod tiles;
mod winning;

pub use position::{ARCH, Position, SURFACE_LOOP};
pub use pyramid::Stack;

use crate::message;
use crate::rules::game::Game;
use crate::rules::game_state::GameState;
use crate::rules::notation::Notation;
use crate::rules::options::{OptionSpec, Options};
use crate::rules::play::Play;
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text::Message;
use pyramid::{PYRAMIDS, Pyramid};

/// The game Lazo.
#[derive(Clone, Copy, Debug)]
pub struct Lazo;

impl Lazo {
    /// Returns the starting position, without tiles, on the board that the options choose.
    ///
    /// # Errors
    /// Those of [`Game::start`].
    pub fn position(&self, options: &Options) -> Result<Position, Refusal> {
        pyramid(options).map(Position::new)
    }
}

/// The options of a challenge.
const OPTIONS: &[OptionSpec] = &[OptionSpec {
    name: "size",
    value: Some(Message::new("lazo.sizes")),
    numbers: &pyramid::SIZES,
    about: Message::new("lazo.option-size"),
    label: Message::new("lazo.label-size"),
}];

impl Game for Lazo {
    fn name(&self) -> &'static str {
        "lazo"
    }

    fn title(&self) -> &'static str {
        "Lazo"
    }

    fn designer(&self) -> &'static str {
        "David J. Bush"
    }

    fn notation(&self) -> Notation {
        Notation::default()
    }

    fn options(&self) -> &'static [OptionSpec] {
        OPTIONS
    }

    fn built_in(&self) -> &'static str {
        "-size=145"
    }

    fn about(&self) -> Message {
        message!("lazo.about")
    }

    fn sample(&self) -> (&'static str, &'static str) {
        ("-size=26", "d8 d7 d6 d5 d4 d3 d2 d1 b5 c7 c7 c3 c3 c6 b6 c6 a5 b6 b6 a5")
    }

    fn start(&self, options: &Options) -> Result<Box<dyn Play>, Refusal> {
        Ok(Box::new(GameState::new(self.position(options)?)))
    }
}

/// Returns the board of the chosen size, or the default board if the options name none.
fn pyramid(options: &Options) -> Result<&'static Pyramid, Refusal> {
    let Some((_, size)) = options.iter().next() else { return Ok(&PYRAMIDS[0]) };
    let size = size.unwrap_or_default();
    let pyramid = PYRAMIDS.iter().find(|pyramid| pyramid.holes.to_string() == size);
    pyramid.ok_or_else(|| {
        let message = message!("lazo.no-such-size", size);
        Refusal::new(RefusalKind::Options, format!("-size={size}"), message)
    })
}
