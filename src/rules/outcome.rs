//! Outcomes of games.

use super::seat::Seat;

/// How a game ended by its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The seat that won; `None` is a draw.
    pub winner: Option<Seat>,
    /// The rule that ended the game.
    pub reason: EndReason,
}

/// The rule that ended a game, as a code: lower-case words such as `no moves`, which the record, the API and the
/// templates have for it. A game defines its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndReason(&'static str);

impl EndReason {
    /// A position stood for the third time.
    pub const REPETITION: EndReason = EndReason::new("repetition");
    /// A player, or both players, cannot move; the rules of the game decide what follows.
    pub const NO_MOVES: EndReason = EndReason::new("no moves");

    /// A reason of one game.
    pub const fn new(code: &'static str) -> EndReason {
        EndReason(code)
    }

    /// The code.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}
