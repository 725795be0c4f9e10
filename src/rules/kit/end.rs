//! How a move ends a game.

use crate::rules::outcome::{EndReason, Outcome};
use crate::rules::seat::Seat;

/// How a move ends the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The player who moved wins.
    Won(EndReason),
    /// The player who moved loses.
    Lost(EndReason),
    /// Neither player wins.
    Drawn(EndReason),
}

impl End {
    pub(crate) fn outcome(self, mover: Seat) -> Outcome {
        match self {
            End::Won(reason) => Outcome { winner: Some(mover), reason },
            End::Lost(reason) => Outcome { winner: Some(mover.other()), reason },
            End::Drawn(reason) => Outcome { winner: None, reason },
        }
    }
}
