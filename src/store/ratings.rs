//! Ratings and their history, and players' results by opponent.

use chrono::{DateTime, Utc};

use super::sql::{Db, EpochSeconds, all, cell, from_fields, one, params, run, run_one};
use super::{PlayerId, PlayerRef, Result, Seat, ShownTo, Transaction};
use crate::clock::Span;
use crate::numbers::BoardNumber;
use crate::rating::Rating;

/// A player's rating in a game, with the results of rated boards.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The game's name in the catalogue.
    pub game: String,
    /// The player.
    pub player: PlayerRef,
    /// The player's rating.
    pub rating: Rating,
    /// Rated boards won.
    pub wins: u32,
    /// Rated boards lost.
    pub losses: u32,
    /// Rated boards drawn.
    pub draws: u32,
}

/// The size of a range in the distribution of ratings, in points.
pub const RATING_RANGE: u32 = 50;

/// The change of a player's rating after a rated board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingChange {
    /// The rating before the end of the board.
    pub before: Rating,
    /// The rating after the end of the board.
    pub after: Rating,
}

const COLUMNS: &str = "SELECT s.game, s.player, p.userid, s.rating, s.deviation, s.volatility, \
     s.wins, s.losses, s.draws FROM standings s JOIN players p ON p.id = s.player";

pub(crate) const CHANGES: &str = "SELECT rating_before, deviation_before, volatility_before, \
     rating_after, deviation_after, volatility_after FROM rating_changes WHERE board = ?1 ORDER BY seat";
pub(crate) const RATED_BOARDS: &str = "SELECT number FROM boards WHERE rated_as IS NOT NULL ORDER BY rated_as";
pub(crate) const RATE: &str = "UPDATE boards \
     SET rated_as = 1 + coalesce((SELECT max(rated_as) FROM boards WHERE rated_as IS NOT NULL), 0) \
     WHERE number = ?1 AND rated AND ended_at IS NOT NULL AND rated_as IS NULL";

const LAST_RATED_FORFEIT: &str = "SELECT max(b.ended_at) FROM seats s JOIN boards b ON b.number = s.board \
     WHERE s.player = ?1 AND s.ended AND b.number <> ?2 AND b.reason = 'time' AND b.winner = 3 - s.seat \
     AND b.rated_as IS NOT NULL AND b.ended_at > ?3 AND b.ended_at <= ?4";
const UNRATED_FORFEITS: &str = "SELECT b.number FROM seats s JOIN boards b ON b.number = s.board \
     WHERE s.player = ?1 AND s.ended AND b.number <> ?2 AND b.reason = 'time' AND b.winner = 3 - s.seat \
     AND b.rated AND b.rated_as IS NULL AND b.ended_at >= ?3 ORDER BY b.ended_at, b.number";
/// Ignores entries that are not a player's own acts: forfeits (kind 4), and entries by a plan or the clock (channels 5
/// and 6).
const ACTED_BETWEEN: &str = "SELECT 1 FROM seats s JOIN boards b ON b.number = s.board AND b.moved_at >= ?2 \
     JOIN entries m ON m.board = s.board AND m.seat = s.seat \
     WHERE s.player = ?1 AND m.made_at > ?3 AND m.made_at <= ?4 AND m.kind <> 4 AND m.via NOT IN (5, 6)";

/// Builds the query for the rating ranges of current players, with the columns `game`, `low` and `player`.
fn ranges_sql(db: Db<'_>) -> String {
    // On PostgreSQL, a cast to a whole number rounds, so `trunc` is necessary.
    let range = db.by_dialect(
        format!("CAST(s.rating / {RATING_RANGE} AS BIGINT)"),
        format!("CAST(trunc(s.rating / {RATING_RANGE}) AS BIGINT)"),
    );
    format!(
        "SELECT s.game, {range} * {RATING_RANGE} AS low, s.player \
         FROM standings s JOIN players p ON p.id = s.player WHERE p.left_at IS NULL"
    )
}

/// Builds the statement that adds `?3` to the number of ratings in the range of a player's rating.
pub(crate) fn count_sql(db: Db<'_>) -> String {
    format!(
        "INSERT INTO rating_ranges (game, low, players) \
         SELECT game, low, CAST(?3 AS BIGINT) FROM ({}) r WHERE game = ?1 AND player = ?2 \
         ON CONFLICT (game, low) DO UPDATE SET players = rating_ranges.players + excluded.players",
        ranges_sql(db)
    )
}

/// Builds the statement for [`Transaction::miscounted_ratings`].
fn miscounted_sql(db: Db<'_>) -> String {
    format!(
        "SELECT DISTINCT game FROM (SELECT game FROM (SELECT game, low, players FROM rating_ranges \
         UNION ALL SELECT game, low, -1 FROM ({}) r) c GROUP BY game, low HAVING sum(players) <> 0) d ORDER BY game",
        ranges_sql(db)
    )
}

pub(crate) fn standing_sql() -> String {
    format!("{COLUMNS} WHERE s.game = ?1 AND s.player = ?2")
}

pub(crate) fn of_game_sql() -> String {
    format!("{COLUMNS} WHERE s.game = ?1 ORDER BY s.rating DESC, lower(p.userid)")
}

/// Builds the statement for a page of standings, without former players.
pub(crate) fn page_sql() -> String {
    format!(
        "{COLUMNS} WHERE s.game = ?1 AND p.left_at IS NULL ORDER BY s.rating DESC, lower(p.userid) LIMIT ?3 OFFSET ?2"
    )
}

pub(crate) fn of_player_sql() -> String {
    format!("{COLUMNS} WHERE s.player = ?1 ORDER BY s.game")
}

from_fields!(Rating { rating, deviation, volatility });
from_fields!(Standing { game, player, rating, wins, losses, draws });
from_fields!(RatingChange { before, after });

/// The ratings of players.
///
/// Each rated board has a position in a sequence without gaps. Boards change the ratings in the order of their
/// positions.
impl Transaction<'_> {
    /// Returns a player's standing in a game, if they have finished a rated board.
    pub fn standing(&self, game: &str, player: PlayerId) -> Result<Option<Standing>> {
        one(self.db(), &standing_sql(), params![game, player])
    }

    /// Lists all standings in a game, best rating first.
    pub fn standings(&self, game: &str) -> Result<Vec<Standing>> {
        all(self.db(), &of_game_sql(), params![game])
    }

    /// Lists at most `most` standings in a game after the `skip` best, without former players.
    pub fn standings_page(&self, game: &str, skip: u32, most: u32) -> Result<Vec<Standing>> {
        all(self.db(), &page_sql(), params![game, skip, most])
    }

    /// Lists a player's standings in all games.
    pub fn standings_of(&self, player: PlayerId) -> Result<Vec<Standing>> {
        all(self.db(), &of_player_sql(), params![player])
    }

    /// Lists the games whose [`Transaction::rating_distribution`] differs from the standings.
    pub fn miscounted_ratings(&self) -> Result<Vec<String>> {
        let db = self.db();
        all(db, &miscounted_sql(db), &[])
    }

    /// Returns when a player last lost a rated board other than `board` on time in this time span.
    pub fn last_forfeit(&self, player: PlayerId, board: BoardNumber, within: &Span) -> Result<Option<DateTime<Utc>>> {
        cell(self.db(), LAST_RATED_FORFEIT, params![player, board, within.from, within.until])
    }

    /// Returns whether a player lost a rated board other than `board` on time in this time span, and has not acted on
    /// any board since.
    pub fn forfeited_before(&self, player: PlayerId, board: BoardNumber, within: &Span) -> Result<bool> {
        let Some(last) = self.last_forfeit(player, board, within)? else { return Ok(false) };
        let params = params![player, last, EpochSeconds(last), EpochSeconds(within.until)];
        Ok(one::<()>(self.db(), ACTED_BETWEEN, params)?.is_none())
    }

    /// Lists the rated boards other than `board` that a player lost on time since `from` and that changed no ratings,
    /// in the order of their ends.
    pub fn unrated_forfeits(
        &self,
        player: PlayerId,
        board: BoardNumber,
        from: DateTime<Utc>,
    ) -> Result<Vec<BoardNumber>> {
        all(self.db(), UNRATED_FORFEITS, params![player, board, from])
    }

    /// Adds or replaces a standing.
    pub fn set_standing(&mut self, standing: &Standing) -> Result<()> {
        let sql = "INSERT INTO standings (game, player, rating, deviation, volatility, wins, losses, draws) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
             ON CONFLICT (game, player) DO UPDATE SET rating = excluded.rating, deviation = excluded.deviation, \
             volatility = excluded.volatility, wins = excluded.wins, losses = excluded.losses, draws = excluded.draws";
        let Standing { game, player, rating, wins, losses, draws } = standing;
        let Rating { rating, deviation, volatility } = rating;
        self.count_rating(game, player.id, -1)?;
        run(self.writable()?, sql, params![game, player.id, rating, deviation, volatility, wins, losses, draws])?;
        self.count_rating(game, player.id, 1)
    }

    /// Adds `change` to the number of ratings in the range of a player's rating, unless the player has left or has no
    /// rating.
    pub(crate) fn count_rating(&mut self, game: &str, player: PlayerId, change: i64) -> Result<()> {
        let db = self.writable()?;
        run(db, &count_sql(db), params![game, player, change]).map(drop)
    }

    /// Stores the rating changes of an ended board, and assigns the board the next position among the rated boards.
    /// Fails if the board is not rated, has not ended, or already has a position.
    pub fn rate_board(&mut self, number: BoardNumber, changes: &[RatingChange; 2]) -> Result<()> {
        let db = self.writable()?;
        run_one(
            db,
            RATE,
            params![number],
            &format!("board {number} is not a rated board that has ended without changing ratings yet"),
        )?;
        let sql = "INSERT INTO rating_changes (board, seat, rating_before, deviation_before, volatility_before, \
             rating_after, deviation_after, volatility_after) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        for seat in Seat::BOTH {
            let RatingChange { before: b, after: a } = &changes[seat.index()];
            let params =
                params![number, seat, b.rating, b.deviation, b.volatility, a.rating, a.deviation, a.volatility];
            run(db, sql, params)?;
        }
        Ok(())
    }

    /// Removes a standing.
    pub fn remove_standing(&mut self, game: &str, player: PlayerId) -> Result<()> {
        self.count_rating(game, player, -1)?;
        let sql = "DELETE FROM standings WHERE game = ?1 AND player = ?2";
        run(self.writable()?, sql, params![game, player]).map(drop)
    }

    /// Removes the rating changes and the positions of all boards from this position on.
    pub fn unrate_from(&mut self, position: u32) -> Result<()> {
        let db = self.writable()?;
        let changes = "DELETE FROM rating_changes WHERE board IN (SELECT number FROM boards WHERE rated_as >= ?1)";
        run(db, changes, params![position])?;
        run(db, "UPDATE boards SET rated_as = NULL WHERE rated_as >= ?1", params![position]).map(drop)
    }

    /// Returns the rating changes of a board's two players; `None` if the board has not changed ratings.
    pub fn rating_changes(&self, number: BoardNumber) -> Result<Option<[RatingChange; 2]>> {
        Ok(all(self.db(), CHANGES, params![number])?.try_into().ok())
    }

    /// Lists the boards that changed ratings, by position.
    pub fn rated_boards(&self) -> Result<Vec<BoardNumber>> {
        all(self.db(), RATED_BOARDS, &[])
    }
}

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

/// Builds the part of a query that selects a player's newest boards (`?2` of them), without private boards that the
/// reader (`?3`) does not play. Ignores declined boards. The tables are the player's seats (`s`),
/// the boards (`b`) and the opponents' seats (`o`).
fn of_newest(join: &str) -> String {
    format!(
        "FROM seats s JOIN boards b ON b.number = s.board JOIN seats o ON o.board = s.board AND o.seat = 3 - s.seat {join} \
         WHERE s.player = ?1 AND o.player <> s.player AND s.board > coalesce(\
             (SELECT DISTINCT n.board FROM seats n WHERE n.player = ?1 AND (n.active OR n.ended) \
              ORDER BY n.board DESC LIMIT 1 OFFSET ?2), 0) \
         AND (NOT b.private OR ?3 IN (s.player, o.player))"
    )
}

pub(crate) fn results_sql() -> String {
    let of_newest = of_newest("JOIN players p ON p.id = o.player");
    format!(
        "SELECT b.game, o.player, p.userid, count(*) FILTER (WHERE b.winner = s.seat), \
         count(*) FILTER (WHERE b.winner = o.seat), count(*) FILTER (WHERE b.winner IS NULL) \
         {of_newest} AND b.ended_at IS NOT NULL AND b.no_result IS NULL \
         GROUP BY b.game, o.player, p.userid ORDER BY b.game, lower(p.userid)"
    )
}

pub(crate) fn points_sql() -> String {
    let of_newest = of_newest("JOIN rating_changes c ON c.board = s.board AND c.seat = s.seat");
    format!(
        "SELECT b.game, b.ended_at, c.rating_after, c.deviation_after {of_newest} AND b.rated_as IS NOT NULL \
         ORDER BY b.rated_as"
    )
}

/// Returns the reader as a player. The administrator sees all private boards of `player`, as `player` does.
fn reader(player: PlayerId, shown_to: ShownTo) -> Option<PlayerId> {
    match shown_to {
        ShownTo::Everybody => None,
        ShownTo::Player(reader) => Some(reader),
        ShownTo::Administrator => Some(player),
    }
}

from_fields!(ResultCount { game, opponent, won, lost, drawn });
from_fields!(RatingPoint { game, ended_at, rating, deviation });

/// Players' results. They include only the player's `most` newest boards, without private boards that the reader may
/// not see.
impl Transaction<'_> {
    /// Counts a player's results by game and opponent, without boards on which the player has both seats.
    pub fn results(&self, player: PlayerId, shown_to: ShownTo, most: u32) -> Result<Vec<ResultCount>> {
        all(self.db(), &results_sql(), params![player, most, reader(player, shown_to)])
    }

    /// Lists a player's ratings after each rated board, in the order of the boards' ends.
    pub fn rating_points(&self, player: PlayerId, shown_to: ShownTo, most: u32) -> Result<Vec<RatingPoint>> {
        all(self.db(), &points_sql(), params![player, most, reader(player, shown_to)])
    }

    /// Counts the ratings of current players of a game in ranges of [`RATING_RANGE`] points.
    /// Returns the lower end and the count of each non-empty range.
    pub fn rating_distribution(&self, game: &str) -> Result<Vec<(i64, u32)>> {
        all(self.db(), DISTRIBUTION, params![game])
    }
}
