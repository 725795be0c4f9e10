//! Players' results.

use crate::store::sql::params;
use crate::store::sql::Cells;
use crate::store::sql::all;
use crate::store::sql::Time;
use super::transaction::PostgresTransaction;
use crate::store::sql::Session as _;
use crate::store::{PlayerId, RATING_RANGE, RatingPoint, Result, ResultCount, Results, ShownTo};

const DISTRIBUTION: &str = "SELECT trunc(s.rating / $2::bigint)::bigint * $2, count(*) \
     FROM standings s JOIN players p ON p.id = s.player WHERE s.game = $1 AND p.left_at IS NULL GROUP BY 1 ORDER BY 1";

/// A player's seats (`s`), the boards and the other seats (`o`), for the newest boards alone. The player's seats come
/// first (`CROSS JOIN` keeps that order), since they are the fewest.
fn newest(shown_to: ShownTo) -> String {
    let seen = match shown_to {
        ShownTo::Everybody => " AND NOT b.private",
        ShownTo::Player(_) => " AND (NOT b.private OR $2 IN (s.player, o.player))",
        ShownTo::Administrator => "",
    };
    format!(
        "FROM seats s JOIN boards b ON b.number = s.board \
         JOIN seats o ON o.board = s.board AND o.seat = 3 - s.seat \
         WHERE $2::bigint IS NOT DISTINCT FROM $2 AND s.player = $1 AND o.player <> s.player AND s.board > coalesce(\
             (SELECT DISTINCT n.board FROM seats n WHERE n.player = $1 ORDER BY n.board DESC LIMIT 1 OFFSET $3), 0){seen}"
    )
}

/// The statement for a player's results.
fn results_sql(shown_to: ShownTo) -> String {
    let from = newest(shown_to).replacen(" WHERE ", " JOIN players p ON p.id = o.player WHERE ", 1);
    format!(
        "SELECT b.game, o.player, p.userid, count(*) FILTER (WHERE b.winner = s.seat), \
         count(*) FILTER (WHERE b.winner = o.seat), count(*) FILTER (WHERE b.winner IS NULL) \
         {from} AND b.ended_at IS NOT NULL GROUP BY b.game, o.player, p.userid ORDER BY b.game, lower(p.userid)"
    )
}

/// The statement for a player's ratings.
fn points_sql(shown_to: ShownTo) -> String {
    // A rated board has two players.
    let from = newest(shown_to).replacen(
        " WHERE ",
        " JOIN rating_changes c ON c.board = s.board AND c.seat = s.seat WHERE ",
        1,
    );
    format!(
        "SELECT b.game, b.ended_at, c.rating_after, c.deviation_after {from} AND b.rated_as IS NOT NULL \
         ORDER BY b.rated_as"
    )
}

fn reader(shown_to: ShownTo) -> Option<i64> {
    if let ShownTo::Player(reader) = shown_to { Some(reader.0) } else { None }
}

impl Results for PostgresTransaction<'_> {
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
            let Time(ended_at) = row.get(1)?;
            Ok(RatingPoint { game: row.get(0)?, ended_at, rating: row.get(2)?, deviation: row.get(3)? })
        })
    }

    fn rating_distribution(&self, game: &str) -> Result<Vec<(i64, u32)>> {
        all(self.db(), DISTRIBUTION, params![game, RATING_RANGE], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
