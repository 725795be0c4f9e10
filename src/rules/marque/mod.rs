//! Marque (Cameron Browne, 2008): capture as in Go on a tiling of triangles and squares, and occupy bases with one
//! chain.

mod bases;
mod formation;
mod interface;
mod moves;
mod position;
mod rings;
mod scene;
mod stones;
mod tiling;

pub use bases::Bases;
pub use formation::Formation;
pub use position::{Move, Position};
pub use stones::{Chain, Stones};

use crate::rules::game::{GameInfo, Kind};
use crate::rules::game_state::GameState;
use crate::rules::options::{OptionSpec, Options};
use crate::rules::play::Play;
use crate::rules::refusal::Refusal;
use crate::rules::seat::Seat;
use crate::text::Message;

/// The game Marque.
#[derive(Clone, Copy, Debug)]
pub struct Marque;

impl Marque {
    /// Starts a board with these stones and `mover` to play. The restriction of the first move applies only to an
    /// empty board.
    ///
    /// For the rules' tests, with [`Stones::from_names`]. A formation in the initial position does not end the game,
    /// because only the player who moves can win.
    ///
    /// # Errors
    /// Those of [`Game::start`](crate::rules::Game::start).
    pub fn start_at(&self, stones: Stones, mover: Seat, options: &Options) -> Result<Box<dyn Play>, Refusal> {
        Ok(Box::new(GameState::new(Position::new(Formation::of(options)?, stones, mover))))
    }
}

impl GameInfo for Marque {
    type Position = Position;
    const NAME: &'static str = "marque";
    const TITLE: &'static str = "Marque";
    const DESIGNER: &'static str = "Cameron Browne, 2008";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] = formation::OPTIONS;
    const BUILT_IN: &'static str = "-y";
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("marque.about");
    const SAMPLE: (&'static str, &'static str) =
        ("", "s3 e2 q5,r3 k5,l3 f2 k2 p2,q3 d1 p1 p4,q6 e6,f4 e7 d3 k9 k4 h1 o2 l6 h2 s1 j2,k3 r4 t2 q4");
}
