//! Lists of boards that are read a page at a time, and the counts beside them.

use super::boards::{COLUMNS, board};
use super::{Db, Param, Row, Session, all, one, params};
use crate::store::{Board, BoardList, BoardLists, BoardsOf, Cursor, PlayerId, Result, ShownTo, Tally};

/// A board against oneself counts once. Each of a player's boards is on another page of the table, so those that have ended
/// are counted by their seats.
pub(super) fn tally_sql(db: Db<'_>) -> String {
    let next = db.by_dialect(
        "SELECT count(*) FROM boards WHERE mover = ?1",
        "SELECT count(*) FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat \
             WHERE s.player = ?1 AND s.active",
    );
    format!(
        "SELECT count(DISTINCT board) FILTER (WHERE active), ({next}), count(DISTINCT board) FILTER (WHERE ended) \
         FROM seats WHERE player = ?1"
    )
}

/// The statement for a page: the numbers are found by an index first, so that only the boards on the page are looked up.
/// On SQLite, `CROSS JOIN` and `INDEXED BY` make it begin with a player's seats, which are fewer than all boards in
/// progress. Its parameters are the game or the player, the length of the page, and those of [`others`].
pub(super) fn page_sql(db: Db<'_>, list: &BoardList<'_>, cursor: Cursor) -> String {
    let [seats, active_seats] = db.by_dialect(
        [
            "seats s CROSS JOIN boards b ON b.number = s.board",
            "seats s INDEXED BY seats_active CROSS JOIN boards b ON b.number = s.board",
        ],
        ["seats s JOIN boards b ON b.number = s.board"; 2],
    );
    let (number, from, of, state) = match (list.of, list.over) {
        (BoardsOf::Game(_), true) => ("b.number", "boards b", "b.game = ?1", "b.ended_at IS NOT NULL"),
        (BoardsOf::Game(_), false) => {
            ("b.number", "boards b", "b.game = ?1", "b.ended_at IS NULL AND b.declined_at IS NULL")
        }
        (BoardsOf::Player(..), true) => ("s.board", seats, "s.player = ?1", "s.ended"),
        (BoardsOf::Player(..), false) => ("s.board", active_seats, "s.player = ?1", "s.active"),
    };
    let mut placeholders = (3..).map(|n| format!("?{n}"));
    let mut next = || placeholders.next().unwrap_or_default();
    let seen = match list.shown_to {
        ShownTo::Everybody => " AND NOT b.private".to_owned(),
        ShownTo::Player(_) => {
            format!(" AND (NOT b.private OR {} IN (SELECT player FROM seats WHERE board = b.number))", next())
        }
        ShownTo::Administrator => String::new(),
    };
    let game = match list.of {
        BoardsOf::Player(_, Some(_)) => format!(" AND b.game = {}", next()),
        _ => String::new(),
    };
    let (range, order) = match cursor {
        Cursor::Newest => (String::new(), "DESC"),
        Cursor::Before(_) => (format!(" AND {number} < {}", next()), "DESC"),
        Cursor::After(_) => (format!(" AND {number} > {}", next()), "ASC"),
    };
    format!(
        "{COLUMNS} WHERE b.number IN (SELECT DISTINCT {number} FROM {from} \
         WHERE {of} AND {state}{seen}{game}{range} ORDER BY {number} {order} LIMIT ?2) ORDER BY b.number DESC"
    )
}

/// The parameters of [`page_sql`] from the third on.
fn others<'p>(list: &'p BoardList<'_>, cursor: &'p Cursor) -> Vec<&'p dyn Param> {
    let mut others: Vec<&dyn Param> = Vec::new();
    if let ShownTo::Player(reader) = &list.shown_to {
        others.push(&reader.0);
    }
    if let BoardsOf::Player(_, Some(game)) = &list.of {
        others.push(game);
    }
    if let Cursor::Before(number) | Cursor::After(number) = cursor {
        others.push(number);
    }
    others
}

impl<S: Session> BoardLists for S {
    fn board_page(&self, list: &BoardList<'_>, cursor: Cursor, most: u32) -> Result<Vec<Board>> {
        let db = self.db();
        let mut params: Vec<&dyn Param> = vec![
            match &list.of {
                BoardsOf::Game(game) => game,
                BoardsOf::Player(player, _) => &player.0,
            },
            &most,
        ];
        params.extend(others(list, &cursor));
        all(db, &page_sql(db, list, cursor), &params, board)
    }

    fn tally(&self, player: PlayerId) -> Result<Tally> {
        let counts = |row: &Row<'_>| Ok(Tally { active: row.get(0)?, next: row.get(1)?, finished: row.get(2)? });
        Ok(one(self.db(), &tally_sql(self.db()), params![player.0], counts)?.unwrap_or_default())
    }
}
