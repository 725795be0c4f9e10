//! The two sides of each board.

use chrono::TimeDelta;

use super::sql::{Cells, Db, Seconds, Side, params, run, run_later, run_one};
use super::{PlayerId, Result, Seat, Transaction};
use crate::numbers::{BoardNumber, EntryNumber};

/// The state of a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatState {
    /// The thinking time for earlier plies.
    pub used: TimeDelta,
    /// The conditional replies, in canonical form.
    pub plan: Option<String>,
    /// A move awaiting confirmation.
    pub submitted: Option<SubmittedMove>,
}

/// A submitted move that its player has not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmittedMove {
    /// The canonical move text.
    pub text: String,
    /// The last entry of the record before the submission.
    pub after: EntryNumber,
}

/// Reads the cells `used`, `plan`, `submitted` and `submitted_after`.
pub(crate) fn state(cells: &mut Cells<'_>) -> Result<SeatState> {
    let Seconds(used) = cells.take()?;
    let plan = cells.take()?;
    let (submitted, after) = (cells.take::<Option<String>>()?, cells.take::<Option<EntryNumber>>()?);
    let submitted = submitted.zip(after).map(|(text, after)| SubmittedMove { text, after });
    Ok(SeatState { used, plan, submitted })
}

/// Adds the seats of a new board.
pub(crate) fn add(db: Db<'_>, board: BoardNumber, players: [PlayerId; 2]) -> Result<()> {
    for (seat, player) in Seat::BOTH.into_iter().zip(players) {
        let sql = "INSERT INTO seats (board, seat, player) VALUES (?1, ?2, ?3)";
        run(db, sql, params![board, Side(seat), player.0])?;
    }
    Ok(())
}

/// Clears the seats of a board that has ended or was declined. The used time remains.
pub(crate) fn close(db: Db<'_>, board: BoardNumber) -> Result<()> {
    let sql = "UPDATE seats SET plan = NULL, submitted = NULL, submitted_after = NULL, resigns = false, \
         active = false, ended = (SELECT ended_at IS NOT NULL FROM boards WHERE number = ?1) WHERE board = ?1";
    run(db, sql, params![board])?;
    Ok(())
}

/// Reopens the seats of a board.
pub(crate) fn reopen(db: Db<'_>, board: BoardNumber) -> Result<()> {
    run(db, "UPDATE seats SET active = true, ended = false WHERE board = ?1", params![board])?;
    Ok(())
}

/// The seats of boards.
impl Transaction<'_> {
    /// Replaces the state of a seat.
    pub fn set_seat(&mut self, number: BoardNumber, seat: Seat, state: &SeatState) -> Result<()> {
        let sql = "UPDATE seats SET used = ?3, plan = ?4, submitted = ?5, submitted_after = ?6, resigns = false \
             WHERE board = ?1 AND seat = ?2";
        let (submitted, after) = state.submitted.as_ref().map(|submitted| (&submitted.text, submitted.after)).unzip();
        let params = params![number, Side(seat), Seconds(state.used), state.plan, submitted, after];
        let db = self.writable_board()?;
        if self.known().in_progress.borrow().contains(&number) {
            return run_later(db, sql, params);
        }
        run_one(db, sql, params, &format!("there is no board {number}"))
    }

    /// Sets [`Board::began_as`](super::Board::began_as) of an imported board.
    pub fn set_began_as(&mut self, number: BoardNumber, began_as: &[Option<String>; 2]) -> Result<()> {
        let sql = "UPDATE seats SET began_as = ?3 WHERE board = ?1 AND seat = ?2";
        let db = self.writable()?;
        for (seat, userid) in Seat::BOTH.into_iter().zip(began_as) {
            let userid = userid.as_deref().unwrap_or_default();
            run_one(db, sql, params![number, Side(seat), userid], &format!("there is no board {number}"))?;
        }
        Ok(())
    }
}
