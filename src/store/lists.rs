//! Lists of boards that are read a page at a time.

use super::boards::{COLUMNS, board};
use super::sql::{Db, Param, Row, all, one, params};
use super::{Board, PlayerId, Result, Transaction};
use crate::numbers::BoardNumber;

/// A list of boards, the newest (that is the greatest number) first, without those that were declined.
#[derive(Clone, Copy, Debug)]
pub struct BoardList<'a> {
    /// What the boards have in common.
    pub of: BoardsOf<'a>,
    /// Whether it lists boards that ended, or those in progress.
    pub over: bool,
    /// Who looks at it.
    pub shown_to: ShownTo,
}

/// What boards have in common.
#[derive(Clone, Copy, Debug)]
pub enum BoardsOf<'a> {
    /// The game, by the catalogue's name.
    Game(&'a str),
    /// A player, and the game if one is named.
    Player(PlayerId, Option<&'a str>),
}

/// Who looks at a list, which decides about private boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownTo {
    /// Anybody, who sees no private board.
    Everybody,
    /// This player, who sees their own private boards.
    Player(PlayerId),
    /// The administrator, who sees every board.
    Administrator,
}

/// Where a page of a list begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// With the newest boards.
    Newest,
    /// With the boards older than this number.
    Before(BoardNumber),
    /// With the boards just newer than this number, at which it ends.
    After(BoardNumber),
}

/// How many boards a player has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Boards in progress.
    pub active: u32,
    /// Of those, boards on which it is their turn.
    pub next: u32,
    /// Boards that ended.
    pub finished: u32,
}

/// A board against oneself counts once. Each of a player's boards is on another page of the table, so those that have ended
/// are counted by their seats.
pub(super) const TALLY: &str = "SELECT count(DISTINCT board) FILTER (WHERE active), \
     (SELECT count(*) FROM boards WHERE player_to_move = ?1), count(DISTINCT board) FILTER (WHERE ended) \
     FROM seats WHERE player = ?1";

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

/// Lists of boards and the counts beside them. A board against oneself counts once.
impl Transaction<'_> {
    /// A page of a list of boards, at most `most`.
    pub fn board_page(&self, list: &BoardList<'_>, cursor: Cursor, most: u32) -> Result<Vec<Board>> {
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

    /// How many boards a player has.
    pub fn tally(&self, player: PlayerId) -> Result<Tally> {
        let counts = |row: &Row<'_>| Ok(Tally { active: row.get(0)?, next: row.get(1)?, finished: row.get(2)? });
        Ok(one(self.db(), TALLY, params![player.0], counts)?.unwrap_or_default())
    }
}
