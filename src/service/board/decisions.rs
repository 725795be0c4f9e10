//! The administrator's decisions about a board: ending it, reverting its end, and voiding it.

use chrono::{DateTime, TimeDelta, Utc};

use crate::numbers::BoardNumber;
use crate::rules::Seat;
use crate::store::{self, Transaction, Via};

use crate::service::board::open::{Ending, OpenBoard};
use crate::service::board::standstills;
use crate::service::comment;
use crate::service::context::Service;
use crate::service::notice::facts::BoardEvent;
use crate::service::notice::notices::Announcement;

/// A decision about a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The board in progress ends: this seat wins, or the game is drawn.
    Adjudicate(Option<Seat>),
    /// The end of the board and its rating changes are reverted.
    Reopen {
        /// The minimum number of days for the player to move; `None` for the time before a first reminder, or a day.
        days: Option<u32>,
    },
    /// The board ends without a result, or loses its result and its rating changes.
    Void,
}

/// Why a decision is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDecided {
    /// The board does not exist.
    NoBoard,
    /// It is in progress.
    InProgress,
    /// It has ended.
    Over,
    /// The rules ended it.
    ByRules,
    /// One of its players has left.
    PlayerLeft,
}

impl Service<'_> {
    /// Decides about a board, and notifies its players and followers, with the reason.
    ///
    /// # Errors
    /// If the store fails.
    pub fn decide(
        &self,
        tx: &mut Transaction<'_>,
        number: BoardNumber,
        decision: Decision,
        reason: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Result<(), NotDecided>> {
        let Some(board) = tx.board(number)? else { return Ok(Err(NotDecided::NoBoard)) };
        let mut open = OpenBoard::open(tx, board, now)?;
        if let Some(why) = obstacle(tx, &open, decision)? {
            return Ok(Err(why));
        }
        let reason = comment::clean(reason).replace('\n', " ");
        let event = match decision {
            Decision::Adjudicate(winner) => {
                open.end(tx, Ending::Adjudication { winner, reason }, Via::Administrator)?;
                BoardEvent::End
            }
            Decision::Reopen { days } => {
                open.reopen(tx, &reason)?;
                let days = days.unwrap_or(open.board.terms.time_control.nag.max(1));
                standstills::leave_time(tx, &mut open.board, TimeDelta::days(days.into()), now)?;
                BoardEvent::Reopen
            }
            Decision::Void => {
                open.void(tx, &reason)?;
                BoardEvent::Void
            }
        };
        let facts = self.board_facts(tx, &open, now)?;
        self.announce(tx, None, &Announcement::of(&open.board, event, facts), now)?;
        Ok(Ok(()))
    }
}

/// Returns why a decision is not possible; `None` if it is.
fn obstacle(tx: &Transaction<'_>, open: &OpenBoard, decision: Decision) -> store::Result<Option<NotDecided>> {
    let is_over = open.is_over();
    Ok(match decision {
        Decision::Adjudicate(_) => is_over.then_some(NotDecided::Over),
        // A board without a result cannot be voided.
        Decision::Void => open.board.no_result.map(|_| NotDecided::Over),
        Decision::Reopen { .. } if !is_over => Some(NotDecided::InProgress),
        Decision::Reopen { .. } if open.replayed.position().to_move().is_none() => Some(NotDecided::ByRules),
        Decision::Reopen { .. } => {
            for player in &open.board.players {
                if tx.player_by_id(player.id)?.is_none_or(|player| player.left_at.is_some()) {
                    return Ok(Some(NotDecided::PlayerLeft));
                }
            }
            None
        }
    })
}
