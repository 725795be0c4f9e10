//! Who follows which boards and games.

use super::{PlayerId, Result};
use crate::numbers::BoardNumber;

/// What can be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// A board.
    Board(BoardNumber),
    /// Every board of a game, by the catalogue's name.
    Game(String),
}

/// A player who follows a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follower {
    /// Who follows.
    pub player: PlayerId,
    /// Whether only the end is reported to them, and not every move.
    pub ends_only: bool,
}

/// Something that a player follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Following {
    /// The board or game.
    pub what: Followed,
    /// Whether only ends are reported, and not every move.
    pub ends_only: bool,
}

/// Followers of boards and games.
pub trait Followers {
    /// Follows a board or a game, for its ends only or for every move; `None` follows it no longer.
    fn follow(&mut self, player: PlayerId, what: &Followed, ends_only: Option<bool>) -> Result<()>;
    /// Lists who follows a board, or its game, without players who have left. A player who follows both is listed once,
    /// for every move if they asked for that in either place.
    fn followers(&self, number: BoardNumber) -> Result<Vec<Follower>>;
    /// Lists what a player follows.
    fn following(&self, player: PlayerId) -> Result<Vec<Following>>;
}
