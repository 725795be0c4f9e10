//! Players' results: against whom, and how their ratings went.

use chrono::{DateTime, Utc};

use super::{PlayerId, PlayerRef, Result, ShownTo};

/// The points of a range in which ratings are counted together. The triggers of SQLite's migration 32 count in ranges of the
/// same width.
pub const RATING_RANGE: u32 = 50;

/// A player's results in one game against one opponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultCount {
    /// The catalogue's name of the game.
    pub game: String,
    /// The other player.
    pub opponent: PlayerRef,
    /// Boards won.
    pub won: u32,
    /// Boards lost.
    pub lost: u32,
    /// Boards drawn.
    pub drawn: u32,
}

/// A player's rating after a rated board.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingPoint {
    /// The catalogue's name of the game.
    pub game: String,
    /// When the board ended.
    pub ended_at: DateTime<Utc>,
    /// The rating.
    pub rating: f64,
    /// How uncertain it was.
    pub deviation: f64,
}

/// Players' results. Of a player, only the `most` newest boards are looked at, and no private board that the reader may
/// not see.
pub trait Results {
    /// Counts a player's results by game and opponent, without boards against oneself.
    fn results(&self, player: PlayerId, shown_to: ShownTo, most: u32) -> Result<Vec<ResultCount>>;
    /// Lists a player's ratings after each rated board, in the order in which the boards ended.
    fn rating_points(&self, player: PlayerId, shown_to: ShownTo, most: u32) -> Result<Vec<RatingPoint>>;
    /// Counts the ratings in a game of players who have not left: the lower end of each range of [`RATING_RANGE`] points in
    /// which there is one, and how many there are.
    fn rating_distribution(&self, game: &str) -> Result<Vec<(i64, u32)>>;
}
