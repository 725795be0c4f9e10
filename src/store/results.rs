//! Players' results by opponent, and their rating history.

use chrono::{DateTime, Utc};

use super::sql::{Cells, Param, Time, all, params};
use super::{PlayerId, PlayerRef, Result, ShownTo, Transaction};

/// A player's results in one game against one opponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultCount {
    /// The game's name in the catalogue.
    pub game: String,
    /// The opponent.
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
    /// The game's name in the catalogue.
    pub game: String,
    /// The end of the board.
    pub ended_at: DateTime<Utc>,
    /// The rating.
    pub rating: f64,
    /// The rating's uncertainty.
    pub deviation: f64,
}

pub(crate) const DISTRIBUTION: &str =
    "SELECT low, players FROM rating_ranges WHERE game = ?1 AND players > 0 ORDER BY low";

/// Builds the query part for a player's newest boards (`?2` of them) that a reader (`?3`) may see: the player's seats
/// (`s`), the boards (`b`) and the other seats (`o`).
fn of_newest(shown_to: ShownTo, join: &str) -> String {
    let seen = match shown_to {
        ShownTo::Everybody => " AND NOT b.private",
        ShownTo::Player(_) => " AND (NOT b.private OR ?3 IN (s.player, o.player))",
        ShownTo::Administrator => "",
    };
    format!(
        "FROM seats s JOIN boards b ON b.number = s.board JOIN seats o ON o.board = s.board AND o.seat = 3 - s.seat {join} \
         WHERE s.player = ?1 AND o.player <> s.player AND s.board > coalesce(\
             (SELECT DISTINCT n.board FROM seats n WHERE n.player = ?1 ORDER BY n.board DESC LIMIT 1 OFFSET ?2), 0){seen}"
    )
}

/// Builds the statement for a player's results.
pub(crate) fn results_sql(shown_to: ShownTo) -> String {
    let of_newest = of_newest(shown_to, "JOIN players p ON p.id = o.player");
    format!(
        "SELECT b.game, o.player, p.userid, count(*) FILTER (WHERE b.winner = s.seat), \
         count(*) FILTER (WHERE b.winner = o.seat), count(*) FILTER (WHERE b.winner IS NULL) \
         {of_newest} AND b.ended_at IS NOT NULL AND b.no_result IS NULL \
         GROUP BY b.game, o.player, p.userid ORDER BY b.game, lower(p.userid)"
    )
}

/// Builds the statement for a player's ratings.
pub(crate) fn points_sql(shown_to: ShownTo) -> String {
    let of_newest = of_newest(shown_to, "JOIN rating_changes c ON c.board = s.board AND c.seat = s.seat");
    format!(
        "SELECT b.game, b.ended_at, c.rating_after, c.deviation_after {of_newest} AND b.rated_as IS NOT NULL \
         ORDER BY b.rated_as"
    )
}

/// Returns the parameters of both statements.
fn of<'p>(player: &'p PlayerId, most: &'p u32, shown_to: &'p ShownTo) -> Vec<&'p dyn Param> {
    let mut params: Vec<&dyn Param> = vec![&player.0, most];
    if let ShownTo::Player(reader) = shown_to {
        params.push(&reader.0);
    }
    params
}

/// Players' results. They include only the player's `most` newest boards, without private boards that the reader may
/// not see.
impl Transaction<'_> {
    /// Counts a player's results by game and opponent, without boards against oneself.
    pub fn results(&self, player: PlayerId, shown_to: ShownTo, most: u32) -> Result<Vec<ResultCount>> {
        all(self.db(), &results_sql(shown_to), &of(&player, &most, &shown_to), |row| {
            let mut cells = Cells::of(row);
            Ok(ResultCount {
                game: cells.take()?,
                opponent: cells.player()?,
                won: cells.take()?,
                lost: cells.take()?,
                drawn: cells.take()?,
            })
        })
    }

    /// Lists a player's ratings after each rated board, in the order of the boards' ends.
    pub fn rating_points(&self, player: PlayerId, shown_to: ShownTo, most: u32) -> Result<Vec<RatingPoint>> {
        all(self.db(), &points_sql(shown_to), &of(&player, &most, &shown_to), |row| {
            let Time(ended_at) = row.get(1)?;
            Ok(RatingPoint { game: row.get(0)?, ended_at, rating: row.get(2)?, deviation: row.get(3)? })
        })
    }

    /// Counts the ratings of current players of a game in ranges of [`RATING_RANGE`](super::RATING_RANGE) points.
    /// Returns the lower end and the count of each non-empty range.
    pub fn rating_distribution(&self, game: &str) -> Result<Vec<(i64, u32)>> {
        all(self.db(), DISTRIBUTION, params![game], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
