//! Tessella (Michael Lefkowitz, 2019): pieces on octagons and squares capture along lines if another piece backs
//! them.

mod interface;
mod moves;
mod position;
mod scene;
mod spaces;

pub use position::{Move, Position};

use crate::rules::game::{GameInfo, Kind};
use crate::rules::game_state::GameState;
use crate::rules::play::Play;
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

impl GameInfo for Tessella {
    type Position = Position;
    const NAME: &'static str = "tessella";
    const TITLE: &'static str = "Tessella";
    const DESIGNER: &'static str = "Michael Lefkowitz, 2019";
    const KIND: Kind = Kind::Movement;
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("tessella.about");
    const SAMPLE: (&'static str, &'static str) = ("", "f2-e2 b6-a5 b4xa5 g7-f7 h4-g5 f7-g7");
}
