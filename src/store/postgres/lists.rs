//! Lists of boards that are read a page at a time, and the counts beside them.

use super::boards::{COLUMNS, board};
use crate::store::sql::params;
use crate::store::sql::{Row, all, one};
use super::transaction::PostgresTransaction;
use crate::store::sql::Session as _;
use crate::store::{Board, BoardList, BoardLists, BoardsOf, Cursor, PlayerId, Result, ShownTo, Tally};

/// A board against oneself counts once.
const TALLY: &str = "SELECT count(DISTINCT board) FILTER (WHERE active), \
     (SELECT count(*) FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat \
         WHERE s.player = $1 AND s.active), \
     count(DISTINCT board) FILTER (WHERE ended) FROM seats WHERE player = $1";

/// The statement for a page: the numbers are found by an index first, so that only what is shown is looked up. A
/// player's seats come before the boards (`CROSS JOIN` keeps that order), since they are fewer than all boards in
/// progress.
fn page_sql(list: &BoardList<'_>, cursor: Cursor) -> String {
    let (number, from, of) = match (list.of, list.over) {
        (BoardsOf::Game(_), _) => ("b.number", "boards b", "b.game = $1"),
        (BoardsOf::Player(..), _) => ("s.board", "seats s JOIN boards b ON b.number = s.board", "s.player = $1"),
    };
    let state = match (list.of, list.over) {
        (BoardsOf::Game(_), true) => "b.ended_at IS NOT NULL",
        (BoardsOf::Game(_), false) => "b.ended_at IS NULL AND b.declined_at IS NULL",
        (BoardsOf::Player(..), true) => "s.ended",
        (BoardsOf::Player(..), false) => "s.active",
    };
    let game = if let BoardsOf::Player(_, Some(_)) = list.of { " AND b.game = $5" } else { "" };
    let seen = match list.shown_to {
        ShownTo::Everybody => " AND NOT b.private",
        ShownTo::Player(_) => " AND (NOT b.private OR $2 IN (SELECT player FROM seats WHERE board = b.number))",
        ShownTo::Administrator => "",
    };
    let (range, order) = match cursor {
        Cursor::Newest => ("$3::bigint IS NOT DISTINCT FROM $3".to_owned(), "DESC"),
        Cursor::Before(_) => (format!("{number} < $3"), "DESC"),
        Cursor::After(_) => (format!("{number} > $3"), "ASC"),
    };
    format!(
        "{COLUMNS} WHERE $2::bigint IS NOT DISTINCT FROM $2 AND b.number IN (SELECT DISTINCT {number} FROM {from} \
         WHERE {of} AND {state}{game}{seen} AND {range} ORDER BY {number} {order} LIMIT $4) ORDER BY b.number DESC"
    )
}

impl BoardLists for PostgresTransaction<'_> {
    fn board_page(&self, list: &BoardList<'_>, cursor: Cursor, most: u32) -> Result<Vec<Board>> {
        let db = self.db();
        let sql = page_sql(list, cursor);
        let reader = if let ShownTo::Player(reader) = list.shown_to { Some(reader.0) } else { None };
        let number = match cursor {
            Cursor::Newest => None,
            Cursor::Before(number) | Cursor::After(number) => Some(number),
        };
        match list.of {
            BoardsOf::Game(game) => all(db, &sql, params![game, reader, number, most], board),
            BoardsOf::Player(player, None) => all(db, &sql, params![player.0, reader, number, most], board),
            BoardsOf::Player(player, Some(game)) => all(db, &sql, params![player.0, reader, number, most, game], board),
        }
    }

    fn tally(&self, player: PlayerId) -> Result<Tally> {
        let counts = |row: &Row<'_>| Ok(Tally { active: row.get(0)?, next: row.get(1)?, finished: row.get(2)? });
        Ok(one(self.db(), TALLY, params![player.0], counts)?.unwrap_or_default())
    }
}
