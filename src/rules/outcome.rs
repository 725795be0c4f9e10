//! How a game ends by its own rules.

use super::seat::Seat;

/// How a game ended by its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The seat that won; `None` is a draw.
    pub winner: Option<Seat>,
    /// What ended it.
    pub reason: EndReason,
}

/// What ended a game by its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EndReason {
    /// Marque: a chain occupies the formation.
    Formation,
    /// A position stood for the third time.
    Repetition,
    /// Nobody can move, or whoever cannot move has lost: the game's rules say which.
    NoMoves,
    /// Tessella: enough pieces were captured.
    Captures,
    /// Brique: a chain joins two opposite edges.
    Chain,
    /// Lazo: a loop of tiles around a space of level 1.
    SurfaceLoop,
    /// Lazo: a loop of tiles over two or more of the other player's.
    Arch,
    /// Lazo: the pyramid has no space left.
    PyramidFull,
    /// Lazo: both players have played all their tiles.
    TilesPlayed,
}

impl EndReason {
    /// The words that a board's record, the API and the templates have for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            EndReason::Formation => "formation",
            EndReason::Repetition => "repetition",
            EndReason::NoMoves => "no moves",
            EndReason::Captures => "captures",
            EndReason::Chain => "chain",
            EndReason::SurfaceLoop => "surface loop",
            EndReason::Arch => "arch",
            EndReason::PyramidFull => "pyramid full",
            EndReason::TilesPlayed => "tiles played",
        }
    }
}
