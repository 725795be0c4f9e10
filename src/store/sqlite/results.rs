//! Players' results.

use rusqlite::params;

use super::column::Cells;
use super::query::all;
use super::time::EpochSeconds;
use super::transaction::SqliteTransaction;
use crate::store::{PlayerId, RatingPoint, Result, ResultCount, Results, ShownTo};

pub(super) const DISTRIBUTION: &str =
    "SELECT low, players FROM rating_ranges WHERE game = ?1 AND players > 0 ORDER BY low";

/// What is asked of a player's newest boards alone.
fn of_newest(shown_to: ShownTo) -> String {
    let seen = match shown_to {
        ShownTo::Everybody => " AND private = 0",
        ShownTo::Player(_) => " AND (private = 0 OR ?2 IN (player, opponent))",
        ShownTo::Administrator => "",
    };
    format!(
        "FROM results WHERE ?2 IS ?2 AND player = ?1 AND board > coalesce(\
             (SELECT DISTINCT n.board FROM seats n WHERE n.player = ?1 ORDER BY n.board DESC LIMIT 1 OFFSET ?3), 0){seen}"
    )
}

/// The statement for a player's results.
pub(super) fn results_sql(shown_to: ShownTo) -> String {
    let of_newest = of_newest(shown_to);
    format!(
        "SELECT game, opponent, userid, count(*) FILTER (WHERE score = 1), count(*) FILTER (WHERE score = -1), \
         count(*) FILTER (WHERE score = 0) {of_newest} GROUP BY game, opponent ORDER BY game, userid"
    )
}

/// The statement for a player's ratings.
pub(super) fn points_sql(shown_to: ShownTo) -> String {
    let of_newest = of_newest(shown_to);
    format!("SELECT game, ended_at, rating, deviation {of_newest} AND rated_as IS NOT NULL ORDER BY rated_as")
}

fn reader(shown_to: ShownTo) -> Option<i64> {
    if let ShownTo::Player(reader) = shown_to { Some(reader.0) } else { None }
}

impl Results for SqliteTransaction<'_> {
    fn results(&self, player: PlayerId, shown_to: ShownTo, most: u32) -> Result<Vec<ResultCount>> {
        all(self.db(), &results_sql(shown_to), params![player.0, reader(shown_to), most], |row| {
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

    fn rating_points(&self, player: PlayerId, shown_to: ShownTo, most: u32) -> Result<Vec<RatingPoint>> {
        all(self.db(), &points_sql(shown_to), params![player.0, reader(shown_to), most], |row| {
            let EpochSeconds(ended_at) = row.get(1)?;
            Ok(RatingPoint { game: row.get(0)?, ended_at, rating: row.get(2)?, deviation: row.get(3)? })
        })
    }

    fn rating_distribution(&self, game: &str) -> Result<Vec<(i64, u32)>> {
        all(self.db(), DISTRIBUTION, [game], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
