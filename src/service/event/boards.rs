//! The boards of an edition: how they begin, and how they end without a move of their players.

use chrono::{DateTime, TimeDelta, Utc};

use crate::command::EventKind;
use crate::numbers::BoardNumber;
use crate::rules::{Options, catalogue};
use crate::service::board::clocks;
use crate::service::board::open::OpenBoard;
use crate::service::context::Service;
use crate::service::notice::facts::BoardEvent;
use crate::service::notice::notices::Announcement;
use crate::service::notice::webhooks;
use crate::store::{self, BoardPlace, Event, EventBoard, NewBoard, PlayerRef, Seat, StoreError, Transaction, chain};

/// Days of a board's last reminders, and of their grace.
const REMINDERS: i64 = 4;

/// Returns how long a board of an event can take: the thinking time of both players, with weekends and the vacations
/// of a year.
pub(crate) fn longest_game(service: &Service<'_>, event: &Event) -> TimeDelta {
    let thinking = i64::from(event.what.terms.time_control.total) * 2;
    let vacations = i64::from(service.policy.vacation_days) * 2;
    TimeDelta::days((thinking * 7).div_euclid(5) + vacations + REMINDERS)
}

impl Service<'_> {
    /// Creates a board of an edition, and notifies its players. In a ladder, the challenged player moves first.
    pub(crate) fn begin_event_board(
        &self,
        tx: &mut Transaction<'_>,
        event: &Event,
        edition: u32,
        (place, [first, second]): (BoardPlace, [&PlayerRef; 2]),
        now: DateTime<Utc>,
    ) -> store::Result<BoardNumber> {
        let game = catalogue::find(&event.what.game).ok_or_else(|| broken(event))?;
        let start = game.start(&Options::from_canonical(&event.what.options)).map_err(|_| broken(event))?;
        let options = event.what.options.clone();
        let number = tx.add_board(&NewBoard {
            number: None,
            game: game.name().to_owned(),
            hash: chain::genesis(game.name(), &options, [&first.userid, &second.userid]),
            options,
            terms: event.what.terms,
            players: [first.id, second.id],
            to_move: start.to_move().ok_or_else(|| broken(event))?,
            challenger: (event.what.kind == EventKind::Ladder).then_some(second.id),
            rematch_of: None,
            created_at: now,
        })?;
        tx.add_event_board(event.id, edition, place, number)?;
        let mut board = tx.board(number)?.ok_or_else(|| broken(event))?;
        clocks::start(tx, &mut board, now)?;
        let open = OpenBoard::open(tx, board, now)?;
        webhooks::turn_came(tx, &open.board, now)?;
        let facts = self.board_facts(tx, &open, now)?;
        self.announce(tx, None, &Announcement::of(&open.board, BoardEvent::Challenge, facts), now)?;
        Ok(number)
    }

    /// Opens a board of an edition to end it.
    fn open_event_board(
        &self,
        tx: &Transaction<'_>,
        board: &EventBoard,
        now: DateTime<Utc>,
    ) -> store::Result<Option<OpenBoard>> {
        tx.board(board.number)?.map(|board| OpenBoard::open(tx, board, now)).transpose()
    }

    /// Ends a board in progress: this seat loses on time.
    pub(crate) fn lose_event_board(
        &self,
        tx: &mut Transaction<'_>,
        board: &EventBoard,
        seat: Seat,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        if let Some(open) = self.open_event_board(tx, board, now)?.filter(|open| !open.is_over()) {
            self.time_is_up(tx, open, seat, now)?;
        }
        Ok(())
    }

    /// Annuls a board: it has no result and changes no ratings.
    pub(crate) fn annul_event_board(
        &self,
        tx: &mut Transaction<'_>,
        event: &Event,
        board: &EventBoard,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        // A board that was removed from play has no result.
        if board.no_result.is_some() {
            return Ok(());
        }
        let Some(mut open) = self.open_event_board(tx, board, now)? else { return Ok(()) };
        open.void(tx, &event.what.name)?;
        let facts = self.board_facts(tx, &open, now)?;
        self.announce(tx, None, &Announcement::of(&open.board, BoardEvent::Void, facts), now)?;
        Ok(())
    }
}

fn broken(event: &Event) -> StoreError {
    StoreError::Failed(format!("event {} has no valid game", event.what.name))
}
