//! The boards of an edition: how they begin, and how they end without a move of their players.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::{Calendar, TimeControl, Zone};
use crate::command::EventKind;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::{Options, catalogue};
use crate::service::board::clocks;
use crate::service::board::open::{OpenBoard, Voiding};
use crate::service::context::Service;
use crate::service::notice::facts::BoardEvent;
use crate::service::notice::notices::Announcement;
use crate::service::notice::webhooks;
use crate::store::{
    self, Absence, Annulment, BoardPlace, Comment, Entrant, Event, EventBoard, NewBoard, PlayerRef, Seat, StoreError,
    Transaction, chain,
};

/// Days of a board's last reminders, and of their grace.
const REMINDERS: i64 = 4;

/// If each move adds time, an edition allows for this many moves of each player.
const MOVES: u32 = 50;
/// The time after which weekends and nights repeat.
const PERIOD: TimeDelta = TimeDelta::weeks(1);
/// The days of a week on which clocks run, unless a player has longer weekends or nights.
const RUNNING: TimeDelta = TimeDelta::days(5);

/// The limit for the time of a game. The terms of an old event may be longer than commands allow now, so that its end
/// might not be representable.
const LONGEST: TimeDelta = TimeDelta::days(36_525);

/// A board to create in an edition.
pub(crate) struct NewEventBoard<'a> {
    pub(crate) place: BoardPlace,
    /// The first one moves first.
    pub(crate) players: [&'a PlayerRef; 2],
    /// The challenger's comment; may be empty.
    pub(crate) comment: String,
}

/// Returns how long a game of an event can take, with its replay in a cup: the thinking time of both players, with the
/// weekends and nights of any of these players, and their vacations of a year.
pub(crate) fn longest_tie(
    service: &Service<'_>,
    tx: &Transaction<'_>,
    event: &Event,
    players: &[Entrant],
    now: DateTime<Utc>,
) -> store::Result<TimeDelta> {
    let mut running = RUNNING;
    for of in players {
        if let Some(player) = tx.player_by_id(of.player.id)? {
            // A change to or from daylight saving time is ignored.
            let calendar = Calendar { zone: Zone::UTC, ..clocks::weeks(&player) };
            running = running.min(calendar.counted(now, now + PERIOD));
        }
    }
    Ok(longest(service, event, running))
}

/// Returns how long a game of an event can take, with its replay in a cup, if no player has longer weekends and nights
/// than usual.
pub(crate) fn longest_tie_of_any(service: &Service<'_>, event: &Event) -> TimeDelta {
    longest(service, event, RUNNING)
}

/// `running` is the part of a week in which clocks run.
fn longest(service: &Service<'_>, event: &Event, running: TimeDelta) -> TimeDelta {
    let TimeControl { total, fischer, .. } = event.what.terms.time_control;
    let days = fischer.map_or(total, |fischer| fischer.start + fischer.plus * MOVES);
    let thinking = i64::from(days) * 2 * PERIOD.num_seconds() / running.num_seconds();
    let vacations = i64::from(service.policy.vacation_days) * 2;
    let games = if event.what.kind == EventKind::Cup { 2 } else { 1 };
    TimeDelta::days((thinking + REMINDERS) * games + vacations).min(LONGEST)
}

impl Service<'_> {
    /// Creates a board of an edition, and notifies its players. In a ladder, the challenged player moves first.
    pub(crate) fn begin_event_board(
        &self,
        tx: &mut Transaction<'_>,
        event: &Event,
        edition: u32,
        new: NewEventBoard<'_>,
        now: DateTime<Utc>,
    ) -> store::Result<BoardNumber> {
        let NewEventBoard { place, players: [first, second], comment } = new;
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
        if !comment.is_empty() {
            let entry = EntryNumber::START;
            tx.add_comment(&Comment { board: number, entry, player: second.id, text: comment, said_at: now })?;
        }
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

    /// Annuls a board of the withdrawn player at this seat: it has no result and changes no ratings.
    pub(crate) fn annul_event_board(
        &self,
        tx: &mut Transaction<'_>,
        event: &Event,
        board: &EventBoard,
        seat: Seat,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        // A board removed from play has no result.
        if board.no_result.is_some() {
            return Ok(());
        }
        let Some(mut open) = self.open_event_board(tx, board, now)? else { return Ok(()) };
        let player = board.players[seat.index()].id;
        let joined = tx.entrants(event.id)?.iter().any(|entrant| entrant.player.id == player);
        let absence = if joined { Absence::Time } else { Absence::Left };
        open.void(tx, Voiding::Annulment(Annulment { seat, absence, event: &event.what.name }))?;
        let facts = self.board_facts(tx, &open, now)?;
        self.announce(tx, None, &Announcement::of(&open.board, BoardEvent::Void, facts), now)?;
        Ok(())
    }
}

fn broken(event: &Event) -> StoreError {
    StoreError::Failed(format!("event {} has no valid game", event.what.name))
}
