//! Lazo (David J. Bush): hexagonal tiles stacked like cannonballs, and a loop of one's own colour.

mod board;
mod loops;
mod moves;
mod position;
mod scene;
mod tiles;

pub use board::Stack;
pub use position::Position;

use super::{Game, InPlay, OptionSpec, Options, Play, Refusal, RefusalKind, Seat};
use board::{BOARDS, Board};

/// The game.
#[derive(Clone, Copy, Debug)]
pub struct Lazo;

impl Lazo {
    /// The position without a tile, on the board that the options choose.
    ///
    /// # Errors
    /// Those of [`Game::start`].
    pub fn position(&self, options: &Options) -> Result<Position, Refusal> {
        board(options).map(Position::new)
    }
}

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

    fn options(&self) -> &'static [OptionSpec] {
        &[OptionSpec { name: "size", value: Some("145, 57 or 26"), about: "the number of holes (145 without it)" }]
    }

    fn start(&self, options: &Options) -> Result<Box<dyn Play>, Refusal> {
        Ok(Box::new(InPlay::new(self.position(options)?)))
    }
}

/// The board of this size; the default one when the options name none.
fn board(options: &Options) -> Result<&'static Board, Refusal> {
    let Some((_, size)) = options.iter().next() else { return Ok(&BOARDS[0]) };
    let size = size.unwrap_or_default();
    let board = BOARDS.iter().find(|board| board.holes.to_string() == size);
    board.ok_or_else(|| {
        let message = format!("Lazo has boards of 145, 57 and 26 holes, and none of \"{size}\".");
        Refusal::new(RefusalKind::Options, format!("-size={size}"), message)
    })
}

const fn mark(seat: Seat) -> char {
    match seat {
        Seat::First => 'b',
        Seat::Second => 'w',
    }
}

const fn side(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "Black (b)",
        Seat::Second => "White (w)",
    }
}
