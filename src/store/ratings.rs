//! Ratings.

use super::{PlayerId, PlayerRef, Result};
use crate::numbers::BoardNumber;
use crate::rating::Rating;

/// A player's rating in a game, and the rated boards behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The catalogue's name of the game.
    pub game: String,
    /// The player.
    pub player: PlayerRef,
    /// Their rating.
    pub rating: Rating,
    /// Rated boards won.
    pub wins: u32,
    /// Rated boards lost.
    pub losses: u32,
    /// Rated boards drawn.
    pub draws: u32,
}

/// What a rated board did to a rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingChange {
    /// The rating before the board's end.
    pub before: Rating,
    /// The rating after it.
    pub after: Rating,
}

/// The ratings of players.
///
/// Needs: boards change ratings one after the other, in the order of their positions; so transactions that rate boards
/// of one game are serialized, and positions have no gaps.
pub trait Ratings {
    /// A player's standing in a game, once a rated board of theirs has ended.
    fn standing(&self, game: &str, player: PlayerId) -> Result<Option<Standing>>;
    /// Lists all standings in a game, the best rating first.
    fn standings(&self, game: &str) -> Result<Vec<Standing>>;
    /// A page of the standings in a game: without players who have left and without the `skip` best, at most `most`.
    fn standings_page(&self, game: &str, skip: u32, most: u32) -> Result<Vec<Standing>>;
    /// Lists a player's standings in all games.
    fn standings_of(&self, player: PlayerId) -> Result<Vec<Standing>>;
    /// Replaces a standing.
    fn set_standing(&mut self, standing: &Standing) -> Result<()>;
    /// Stores what an ended board did to its players' ratings, and gives it the next position among the rated boards.
    /// Fails when the board is not rated, not over, or has a position.
    fn rate_board(&mut self, number: BoardNumber, changes: &[RatingChange; 2]) -> Result<()>;
    /// Removes a standing.
    fn remove_standing(&mut self, game: &str, player: PlayerId) -> Result<()>;
    /// Removes the rating changes and the positions of the boards from this position on.
    fn unrate_from(&mut self, position: u32) -> Result<()>;
    /// What a board did to its players' ratings.
    fn rating_changes(&self, number: BoardNumber) -> Result<Option<[RatingChange; 2]>>;
    /// Lists the boards that changed ratings, by position.
    fn rated_boards(&self) -> Result<Vec<BoardNumber>>;
}
