//! Boards, their seats, moves and comments.

use chrono::{DateTime, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, params};

use super::query::{all, one, run, run_one};
use super::time::Time;
use crate::clock::Limits;
use crate::store::{Board, BoardResult, Comment, NewBoard, PlayerId, Result, Seat, StoreError};

/// A seat in a column: 1 or 2, as a person counts.
struct Side(Seat);

impl ToSql for Side {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Seat::First => 1.into(),
            Seat::Second => 2.into(),
        })
    }
}

impl FromSql for Side {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_i64()? {
            1 => Ok(Side(Seat::First)),
            2 => Ok(Side(Seat::Second)),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

const COLUMNS: &str = "SELECT b.number, b.game, b.options, s1.player, p1.userid, s2.player, p2.userid, b.to_move, \
     b.plies, b.genesis, b.head, b.created_at, b.moved_at, b.winner, b.reason, b.ended_at, b.declined_at IS NOT NULL, b.challenger \
     FROM boards b \
     JOIN seats s1 ON s1.board = b.number AND s1.seat = 1 JOIN players p1 ON p1.id = s1.player \
     JOIN seats s2 ON s2.board = b.number AND s2.seat = 2 JOIN players p2 ON p2.id = s2.player";

pub(super) const MOVES: &str = "SELECT ply, seat, text, made_at, via, hash FROM moves WHERE board = ?1 ORDER BY ply";
pub(super) const COMMENTS: &str = "SELECT board, ply, player, text, said_at FROM comments WHERE board = ?1 ORDER BY id";

fn board(row: &Row<'_>) -> rusqlite::Result<Board> {
    let winner = row.get::<_, Option<Side>>(13)?.map(|side| side.0);
    let result = match (row.get::<_, Option<String>>(14)?, row.get::<_, Option<Time>>(15)?) {
        (Some(reason), Some(Time(ended_at))) => Some(BoardResult { winner, reason, ended_at }),
        _ => None,
    };
    Ok(Board {
        number: row.get(0)?,
        game: row.get(1)?,
        options: row.get(2)?,
        players: [(PlayerId(row.get(3)?), row.get(4)?), (PlayerId(row.get(5)?), row.get(6)?)],
        to_move: row.get::<_, Option<Side>>(7)?.map(|side| side.0),
        plies: row.get(8)?,
        genesis: row.get(9)?,
        head: row.get(10)?,
        created_at: row.get::<_, Time>(11)?.0,
        moved_at: row.get::<_, Time>(12)?.0,
        result,
        declined: row.get(16)?,
        challenger: row.get::<_, Option<i64>>(17)?.map(PlayerId),
        entries: row.get(8)?,
        rated: false,
        rated_as: None,
        private: false,
        limits: Limits::default(),
        clock: None,
        seats: Default::default(),
        proposal: None,
    })
}

pub(super) fn add(db: &Connection, new: &NewBoard) -> Result<u32> {
    let sql = "INSERT INTO boards (game, options, challenger, to_move, genesis, head, created_at, moved_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?6)";
    let challenger = new.challenger.map(|id| id.0);
    run(db, sql, params![new.game, new.options, challenger, Side(new.to_move), new.hash, Time(new.created_at)])?;
    let number = db.last_insert_rowid();
    for seat in Seat::BOTH {
        let player = new.players[seat.index()].0;
        run(db, "INSERT INTO seats (board, seat, player) VALUES (?1, ?2, ?3)", params![number, Side(seat), player])?;
    }
    u32::try_from(number).map_err(|_| StoreError::Failed("there are no board numbers left".to_owned()))
}

/// The statement that finds one board.
pub(super) fn by_number_sql() -> String {
    format!("{COLUMNS} WHERE b.number = ?1")
}

pub(super) fn by_number(db: &Connection, number: u32) -> Result<Option<Board>> {
    one(db, &by_number_sql(), [number], board)
}

/// The statement for one of the eight ways to list boards. Conditions that do not apply are left out instead of
/// switched off by a parameter, which would keep the indexes from being used.
pub(super) fn list_sql(game: bool, player: bool, active_only: bool) -> String {
    let mut sql = format!("{COLUMNS} WHERE b.declined_at IS NULL AND ?1 IS ?1 AND ?2 IS ?2");
    if active_only {
        sql.push_str(" AND b.ended_at IS NULL");
    }
    if game {
        sql.push_str(" AND b.game = ?1");
    }
    if player {
        sql.push_str(" AND b.number IN (SELECT board FROM seats WHERE player = ?2)");
    }
    sql.push_str(" ORDER BY b.number");
    sql
}

pub(super) fn list(
    db: &Connection,
    game: Option<&str>,
    player: Option<PlayerId>,
    active_only: bool,
) -> Result<Vec<Board>> {
    let sql = list_sql(game.is_some(), player.is_some(), active_only);
    all(db, &sql, params![game, player.map(|id| id.0)], board)
}

pub(super) fn end(db: &Connection, number: u32, result: &BoardResult) -> Result<()> {
    let sql = "UPDATE boards SET to_move = NULL, winner = ?2, reason = ?3, ended_at = ?4 \
         WHERE number = ?1 AND ended_at IS NULL AND declined_at IS NULL";
    let params = params![number, result.winner.map(Side), result.reason, Time(result.ended_at)];
    run_one(db, sql, params, "the board to be ended is over, declined or not there")
}

pub(super) fn decline(db: &Connection, number: u32, by: PlayerId, now: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE boards SET to_move = NULL, declined_by = ?2, declined_at = ?3 \
         WHERE number = ?1 AND ended_at IS NULL AND declined_at IS NULL";
    run_one(db, sql, params![number, by.0, Time(now)], "the board to be declined is over, declined or not there")
}

pub(super) fn add_comment(db: &Connection, comment: &Comment) -> Result<()> {
    run(
        db,
        "INSERT INTO comments (board, ply, player, text, said_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![comment.board, comment.entry, comment.player.0, comment.text, Time(comment.said_at)],
    )?;
    Ok(())
}

pub(super) fn comments(db: &Connection, number: u32) -> Result<Vec<Comment>> {
    all(db, COMMENTS, [number], |row| {
        Ok(Comment {
            board: row.get(0)?,
            entry: row.get(1)?,
            player: PlayerId(row.get(2)?),
            text: row.get(3)?,
            said_at: row.get::<_, Time>(4)?.0,
        })
    })
}
