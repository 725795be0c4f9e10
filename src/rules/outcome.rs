//! Outcomes of games.

use super::seat::Seat;

/// How a game ended by its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winning seat, or `None` for a draw.
    pub winner: Option<Seat>,
    /// The rule that ended the game.
    pub reason: EndReason,
}

/// The rule that ended a game, as a code of lower-case words such as `no moves`. The record, the API and the
/// templates use this code. Each game defines its own codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndReason(&'static str);

impl EndReason {
    /// A position occurred for the third time.
    pub const REPETITION: EndReason = EndReason::new("repetition");
    /// One or both players cannot move. The rules of the game decide the outcome.
    pub const NO_MOVES: EndReason = EndReason::new("no moves");
    /// No cell is empty.
    pub const BOARD_FULL: EndReason = EndReason::new("board full");

    /// Creates a reason of one game.
    pub const fn new(code: &'static str) -> EndReason {
        EndReason(code)
    }

    /// Returns the code.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}
