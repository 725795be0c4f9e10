//! Brique (Luis Bolaños Mures, 2012): build a chain across a checkered board. A player who holds both escorts of a
//! square also gets that square.

mod cells;
mod chain;
mod colour;
mod interface;
mod moves;
mod position;
mod scene;

pub use cells::Cell;
pub use position::{Move, Position};

use crate::message;
use crate::rules::game::Game;
use crate::rules::game_state::GameState;
use crate::rules::notation::Notation;
use crate::rules::options::{OptionSpec, Options};
use crate::rules::play::Play;
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text::Message;

/// The game Brique.
#[derive(Clone, Copy, Debug)]
pub struct Brique;

/// The options of a challenge.
const OPTIONS: &[OptionSpec] = &[OptionSpec {
    name: "size",
    value: Some(Message::new("brique.sizes")),
    numbers: &cells::SIZES,
    about: Message::new("brique.option-size"),
    label: Message::new("brique.label-size"),
}];

impl Game for Brique {
    fn name(&self) -> &'static str {
        "brique"
    }

    fn title(&self) -> &'static str {
        "Brique"
    }

    fn designer(&self) -> &'static str {
        "Luis Bolaños Mures, 2012"
    }

    fn notation(&self) -> Notation {
        Notation { ordered: &[], words: &[moves::SWAP] }
    }

    fn options(&self) -> &'static [OptionSpec] {
        OPTIONS
    }

    fn built_in(&self) -> &'static str {
        "-size=15"
    }

    fn has_draws(&self) -> bool {
        false
    }

    fn about(&self) -> Message {
        message!("brique.about")
    }

    fn sample(&self) -> (&'static str, &'static str) {
        ("-size=9", "e5 swap e4 f4 d6 d5 f6 g5 c4 c6")
    }

    fn start(&self, options: &Options) -> Result<Box<dyn Play>, Refusal> {
        Ok(Box::new(GameState::new(Position::new(size(options)?))))
    }
}

fn size(options: &Options) -> Result<u16, Refusal> {
    let Some((name, value)) = options.iter().next() else { return Ok(cells::USUAL) };
    let value = value.unwrap_or_default();
    // The text is stored unchanged, so each number must have one spelling.
    let known = cells::SIZES.into_iter().find(|size| name == "size" && size.to_string() == value);
    known.ok_or_else(|| {
        let message = message!("brique.no-such-size");
        Refusal::new(RefusalKind::Options, format!("-{name}={value}"), message)
    })
}
