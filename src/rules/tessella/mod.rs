//! Tessella (Michael Lefkowitz, 2019): on octagons and squares, one piece shoots another away to capture.

mod board;
mod moves;
mod position;
mod scene;

pub use position::{Move, Position};

use super::{Game, InPlay, OptionSpec, Options, Play, Refusal, Seat};

/// The game.
#[derive(Clone, Copy, Debug)]
pub struct Tessella;

impl Tessella {
    /// A board that begins at this position. For the rules' tests.
    pub fn start_at(&self, position: Position) -> Box<dyn Play> {
        Box::new(InPlay::new(position))
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

    fn options(&self) -> &'static [OptionSpec] {
        &[]
    }

    fn start(&self, _: &Options) -> Result<Box<dyn Play>, Refusal> {
        Ok(self.start_at(Position::default()))
    }
}

const fn mark(seat: Seat) -> char {
    match seat {
        Seat::First => 'c',
        Seat::Second => 'd',
    }
}

const fn side(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "Clear (c)",
        Seat::Second => "Dark (d)",
    }
}
