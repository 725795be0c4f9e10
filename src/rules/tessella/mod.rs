//! Tessella (Michael Lefkowitz, 2019): pieces on octagons and squares capture along lines if another piece backs
//! them.

mod interface;
mod moves;
mod position;
mod scene;
mod sides;
mod spaces;

pub use position::{Move, Position};

use crate::message;
use crate::rules::game::Game;
use crate::rules::game_state::GameState;
use crate::rules::notation::Notation;
use crate::rules::options::{OptionSpec, Options};
use crate::rules::play::Play;
use crate::rules::refusal::Refusal;
use crate::text::Message;

/// The game Tessella.
#[derive(Clone, Copy, Debug)]
pub struct Tessella;

impl Tessella {
    /// Starts a board from this position. For the rules' tests.
    pub fn start_at(&self, position: Position) -> Box<dyn Play> {
        Box::new(GameState::new(position))
    }
}

impl Game for Tessella {
    fn name(&self) -> &'static str {
        "tessella"
    }

    fn title(&self) -> &'static str {
        "Tessella"
    }

    fn designer(&self) -> &'static str {
        "Michael Lefkowitz, 2019"
    }

    fn notation(&self) -> Notation {
        Notation { ordered: &moves::SEPARATORS, words: &[] }
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[]
    }

    fn built_in(&self) -> &'static str {
        ""
    }

    fn about(&self) -> Message {
        message!("tessella.about")
    }

    fn sample(&self) -> (&'static str, &'static str) {
        ("", "f2-e2 b6-a5 b4xa5 g7-f7 h4-g5 f7-g7")
    }

    fn start(&self, _: &Options) -> Result<Box<dyn Play>, Refusal> {
        Ok(self.start_at(Position::default()))
    }
}
