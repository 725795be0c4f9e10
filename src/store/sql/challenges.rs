//! Open challenges. Their numbers and the boards' come from one sequence.

use chrono::{DateTime, Utc};

use super::numbers::next_board;
use super::{Cells, Row, Session, Side, Time, all, params, run, run_one};
use crate::numbers::BoardNumber;
use crate::store::{Challenges, OpenChallenge, Result};

const COLUMNS: &str = "SELECT o.number, o.game, o.options, o.challenger, p.userid, o.seat, o.rated, o.private, \
     o.nag_days, o.forfeit_days, o.total_days, o.comment, o.created_at, o.closed_at \
     FROM offers o JOIN players p ON p.id = o.challenger";

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

impl<S: Session> Challenges for S {
    fn add_open_challenge(&mut self, new: &OpenChallenge) -> Result<BoardNumber> {
        let db = self.writable()?;
        let sql = "INSERT INTO offers (number, game, options, challenger, seat, rated, private, nag_days, forfeit_days, \
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

    fn open_challenge(&self, number: BoardNumber) -> Result<Option<OpenChallenge>> {
        Ok(self.read_once(&by_number_sql(), params![number], challenge)?.pop())
    }

    fn open_challenges(&self, game: Option<&str>) -> Result<Vec<OpenChallenge>> {
        all(self.db(), &open_sql(game.is_some()), params![game], challenge)
    }

    fn close_open_challenge(&mut self, number: BoardNumber, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE offers SET closed_at = ?2 WHERE number = ?1 AND closed_at IS NULL";
        run_one(self.writable()?, sql, params![number, Time(now)], &format!("there is no open challenge {number}"))
    }
}
