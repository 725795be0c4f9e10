//! Open challenges, which anyone may accept.

use chrono::{DateTime, Utc};

use super::{PlayerRef, Result, Seat};
use crate::clock::TimeControl;
use crate::numbers::BoardNumber;

/// An open challenge. Open challenges and boards draw their numbers from one sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenChallenge {
    /// Its number, and that of the board which it becomes; 0 until it is stored.
    pub number: BoardNumber,
    /// The catalogue's name of the game.
    pub game: String,
    /// Canonical options text.
    pub options: String,
    /// Who made it.
    pub challenger: PlayerRef,
    /// The challenger's seat.
    pub seat: Seat,
    /// Whether the board will be rated.
    pub rated: bool,
    /// Whether only its players will see the board.
    pub private: bool,
    /// The board's time control.
    pub time_control: TimeControl,
    /// The challenger's comment.
    pub comment: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was accepted or withdrawn.
    pub closed_at: Option<DateTime<Utc>>,
}

/// Open challenges.
///
/// Needs: a challenge is closed once, also when two players accept it at the same time.
pub trait Challenges {
    /// Adds an open challenge, and returns its number. The number and the closing time that the argument names are
    /// ignored.
    fn add_open_challenge(&mut self, challenge: &OpenChallenge) -> Result<BoardNumber>;
    /// Finds the open challenge of a number, also one that is closed.
    fn open_challenge(&self, number: BoardNumber) -> Result<Option<OpenChallenge>>;
    /// Lists the challenges of a game (or all) that are not closed, by number.
    fn open_challenges(&self, game: Option<&str>) -> Result<Vec<OpenChallenge>>;
    /// Closes a challenge that was accepted or withdrawn. Fails when it is closed already.
    fn close_open_challenge(&mut self, number: BoardNumber, now: DateTime<Utc>) -> Result<()>;
}
