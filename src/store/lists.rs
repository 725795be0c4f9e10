//! Lists of boards: pages, all boards by number, and changed boards.

use super::boards::COLUMNS;
use super::sql::{Db, Param, all, cell, from_fields, one, params};
use super::{Board, OpenChallenge, PlayerId, Result, Transaction};
use crate::numbers::BoardNumber;

/// A list of boards, newest first (by number), without declined boards.
#[derive(Clone, Copy, Debug)]
pub struct BoardList<'a> {
    /// The game or player of the boards.
    pub of: BoardsOf<'a>,
    /// True for finished boards, false for boards in progress.
    pub over: bool,
    /// The reader of the list.
    pub shown_to: ShownTo,
}

/// The game or player whose boards are listed.
#[derive(Clone, Copy, Debug)]
pub enum BoardsOf<'a> {
    /// The game, by its name in the catalogue.
    Game(&'a str),
    /// A player, and optionally a game.
    Player(PlayerId, Option<&'a str>),
}

/// The reader of a list. Determines which private boards are visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownTo {
    /// The public, who sees no private boards.
    Everybody,
    /// A player, who also sees their own private boards.
    Player(PlayerId),
    /// The administrator, who sees all boards.
    Administrator,
}

/// The place in a list at which a page starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// The page contains the newest boards.
    Newest,
    /// The page contains the newest of the boards with lower numbers than this.
    Before(BoardNumber),
    /// The page contains the oldest of the boards with higher numbers than this.
    After(BoardNumber),
}

/// How many boards a player has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Boards in progress.
    pub active: u32,
    /// Boards in progress on which it is the player's turn.
    pub next: u32,
    /// Finished boards.
    pub finished: u32,
}

/// Counts a board once if the player has both seats. Counts finished boards by the rows of `seats`, because each
/// board's own row is on another page of the file.
pub(crate) const TALLY: &str = "SELECT count(DISTINCT board) FILTER (WHERE active), \
     (SELECT count(*) FROM boards WHERE player_to_move = ?1), count(DISTINCT board) FILTER (WHERE ended) \
     FROM seats WHERE player = ?1";

/// Builds the statement for a page. It first finds the numbers in an index, to read only the boards on the page. On
/// SQLite, `CROSS JOIN` and `INDEXED BY` force it to start with the player's seats, which are fewer than all boards in
/// progress. Returns the statement with its parameters.
pub(crate) fn page<'p>(
    db: Db<'_>,
    list: &'p BoardList<'_>,
    cursor: &'p Cursor,
    most: &'p u32,
) -> (String, Vec<&'p dyn Param>) {
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
    let mut params: Vec<&dyn Param> = vec![
        match &list.of {
            BoardsOf::Game(game) => game,
            BoardsOf::Player(player, _) => player,
        },
        most,
    ];
    let mut and = |condition: &str, param: &'p dyn Param| {
        params.push(param);
        format!(" AND {}", condition.replace('?', &format!("?{}", params.len())))
    };
    let seen = match &list.shown_to {
        ShownTo::Everybody => " AND NOT b.private".to_owned(),
        ShownTo::Player(reader) => {
            and("(NOT b.private OR ? IN (SELECT player FROM seats WHERE board = b.number))", reader)
        }
        ShownTo::Administrator => String::new(),
    };
    let game = match &list.of {
        BoardsOf::Player(_, Some(game)) => and("b.game = ?", game),
        _ => String::new(),
    };
    let (range, order) = match cursor {
        Cursor::Newest => (String::new(), "DESC"),
        Cursor::Before(than) => (and(&format!("{number} < ?"), than), "DESC"),
        Cursor::After(than) => (and(&format!("{number} > ?"), than), "ASC"),
    };
    let sql = format!(
        "{COLUMNS} WHERE b.number IN (SELECT DISTINCT {number} FROM {from} \
         WHERE {of} AND {state}{seen}{game}{range} ORDER BY {number} {order} LIMIT ?2) ORDER BY b.number DESC"
    );
    (sql, params)
}

from_fields!(Tally { active, next, finished });

/// Lists of boards, and their counts. A board on which a player has both seats is counted once.
impl Transaction<'_> {
    /// Returns a page with at most `most` boards.
    pub fn board_page(&self, list: &BoardList<'_>, cursor: Cursor, most: u32) -> Result<Vec<Board>> {
        let db = self.db();
        let (sql, params) = page(db, list, &cursor, &most);
        all(db, &sql, &params)
    }

    /// Counts a player's boards.
    pub fn tally(&self, player: PlayerId) -> Result<Tally> {
        cell(self.db(), TALLY, params![player])
    }
}

/// A number, and the open challenge and the board that have this number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The number of the challenge and the board.
    pub number: BoardNumber,
    /// The open challenge, even if it was accepted or withdrawn.
    pub challenge: Option<OpenChallenge>,
    /// The board, even if it was declined.
    pub board: Option<Board>,
}

/// Iterates over all boards and open challenges by number, including declined boards, and challenges that were accepted
/// or withdrawn. Only one board is in memory at a time.
///
/// # Errors
/// If the store fails in this call, or when the iterator reads an item.
pub fn numbered(tx: &Transaction<'_>) -> Result<impl Iterator<Item = Result<Numbered>>> {
    let look = move |number| Ok(Numbered { number, challenge: tx.open_challenge(number)?, board: tx.board(number)? });
    Ok(tx.numbers()?.into_iter().map(look))
}

/// The latest change of a board or open challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardChange {
    /// The position in the sequence of all changes.
    pub seq: i64,
    /// The board or open challenge.
    pub board: BoardNumber,
}

pub(crate) const LAST_CHANGE: &str = "SELECT coalesce(max(seq), 0) FROM changes";
pub(crate) const CHANGES_SINCE: &str = "SELECT seq, board FROM changes WHERE seq > ?1 ORDER BY seq LIMIT ?2";
pub(crate) const CHANGES_OF_PLAYER: &str = "SELECT seq, board FROM changes \
     WHERE board IN (SELECT board FROM seats WHERE player = ?1) AND seq > ?2 ORDER BY seq";
pub(crate) const CHANGE_OF_BOARD: &str = "SELECT seq FROM changes WHERE board = ?1";

from_fields!(BoardChange { seq, board });

/// The sequence of changes. A board or open challenge gets the next number of the sequence when anything changes that
/// its page shows. Only its last number is stored.
///
/// Numbers become visible in ascending order: after a reader has seen number n, no smaller number appears.
impl Transaction<'_> {
    /// Returns the number of the last change; 0 if there is none.
    pub fn last_change(&self) -> Result<i64> {
        cell(self.db(), LAST_CHANGE, &[])
    }

    /// Lists at most `most` changes with numbers greater than `seq`, in order.
    pub fn changes_since(&self, seq: i64, most: u32) -> Result<Vec<BoardChange>> {
        all(self.db(), CHANGES_SINCE, params![seq, most])
    }

    /// Lists the changes of a player's current and former boards with numbers greater than `seq`, in order.
    pub fn changes_for(&self, player: PlayerId, seq: i64) -> Result<Vec<BoardChange>> {
        all(self.db(), CHANGES_OF_PLAYER, params![player, seq])
    }

    /// Returns the number of a board's last change; 0 if it has none.
    pub fn change_of(&self, number: BoardNumber) -> Result<i64> {
        Ok(one(self.db(), CHANGE_OF_BOARD, params![number])?.unwrap_or(0))
    }
}
