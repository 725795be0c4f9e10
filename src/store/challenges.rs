//! Open challenges, which anyone may accept.

use chrono::{DateTime, Utc};

use super::sql::numbers::next_board;
use super::sql::{Cells, Row, Side, Time, all, params, run, run_one};
use super::{PlayerRef, Result, Seat, Transaction};
use crate::clock::TimeControl;
use crate::numbers::BoardNumber;

/// An open challenge. Open challenges and boards draw their numbers from one sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenChallenge {
    /// Its number, and that of the board which it becomes; 0 until it is stored.
    pub number: BoardNumber,
    /// The catalogue's name of the game.
    pub game: String,
    /// Canonical options text.
    pub options: String,
    /// Who made it.
    pub challenger: PlayerRef,
    /// The challenger's seat.
    pub seat: Seat,
    /// Whether the board will be rated.
    pub rated: bool,
    /// Whether only its players will see the board.
    pub private: bool,
    /// The board's time control.
    pub time_control: TimeControl,
    /// The challenger's comment.
    pub comment: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was accepted or withdrawn.
    pub closed_at: Option<DateTime<Utc>>,
}

const COLUMNS: &str = "SELECT o.number, o.game, o.options, o.challenger, p.userid, o.seat, o.rated, o.private, \
     o.nag_days, o.forfeit_days, o.total_days, o.comment, o.created_at, o.closed_at \
     FROM challenges o JOIN players p ON p.id = o.challenger";

fn challenge(row: &Row<'_>) -> Result<OpenChallenge> {
    let mut cells = Cells::of(row);
    Ok(OpenChallenge {
        number: cells.take()?,
        game: cells.take()?,
        options: cells.take()?,
        challenger: cells.player()?,
        seat: cells.take::<Side>()?.0,
        rated: cells.take()?,
        private: cells.take()?,
        time_control: cells.time_control()?,
        comment: cells.take()?,
        created_at: cells.time()?,
        closed_at: cells.time_if_any()?,
    })
}

/// The statement that finds an open challenge.
pub(super) fn by_number_sql() -> String {
    format!("{COLUMNS} WHERE o.number = ?1")
}

/// The statement for challenges that are not closed, of a game or all.
pub(super) fn open_sql(game: bool) -> String {
    let condition = if game { " AND o.game = ?1" } else { " AND CAST(?1 AS TEXT) IS NULL" };
    format!("{COLUMNS} WHERE o.closed_at IS NULL{condition} ORDER BY o.number")
}

/// Open challenges.
///
/// Needs: a challenge is closed once, also when two players accept it at the same time.
impl Transaction<'_> {
    /// Adds an open challenge, and returns its number. The number and the closing time that the argument names are
    /// ignored.
    pub fn add_open_challenge(&mut self, new: &OpenChallenge) -> Result<BoardNumber> {
        let db = self.writable()?;
        let sql = "INSERT INTO challenges (number, game, options, challenger, seat, rated, private, nag_days, forfeit_days, \
             total_days, comment, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let OpenChallenge { game, options, challenger, rated, private, time_control, comment, .. } = new;
        let (seat, created_at) = (Side(new.seat), Time(new.created_at));
        let (nag, forfeit, total) = (time_control.nag, time_control.forfeit, time_control.total);
        let number = next_board(db)?;
        let params = params![
            number,
            game,
            options,
            challenger.id.0,
            seat,
            rated,
            private,
            nag,
            forfeit,
            total,
            comment,
            created_at
        ];
        run(db, sql, params)?;
        Ok(number)
    }

    /// Finds the open challenge of a number, also one that is closed.
    pub fn open_challenge(&self, number: BoardNumber) -> Result<Option<OpenChallenge>> {
        Ok(self.read_once(&by_number_sql(), params![number], challenge)?.pop())
    }

    /// Lists the challenges of a game (or all) that are not closed, by number.
    pub fn open_challenges(&self, game: Option<&str>) -> Result<Vec<OpenChallenge>> {
        all(self.db(), &open_sql(game.is_some()), params![game], challenge)
    }

    /// Closes a challenge that was accepted or withdrawn. Fails when it is closed already.
    pub fn close_open_challenge(&mut self, number: BoardNumber, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE challenges SET closed_at = ?2 WHERE number = ?1 AND closed_at IS NULL";
        run_one(self.writable()?, sql, params![number, Time(now)], &format!("there is no open challenge {number}"))
    }
}
