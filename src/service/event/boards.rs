//! The boards of an edition: how they begin, and how the event ends them if a player is late or leaves.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::{Calendar, TimeControl, Zone};
use crate::command::EventKind;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::{Options, catalogue};
use crate::service::board::clocks;
use crate::service::board::open::{Ending, OpenBoard, Voiding};
use crate::service::context::Service;
use crate::service::notice::facts::BoardEvent;
use crate::service::notice::notices::Announcement;
use crate::service::notice::webhooks;
use crate::store::{
    self, Absence, BoardPlace, Channel, Comment, Departure, Entrant, Event, EventBoard, NewBoard, NoResult, PlayerId,
    PlayerRef, Seat, StoreError, Transaction, genesis_hash,
};

/// The days that an edition adds to the thinking time of a game, for the last reminder and the delay until the
/// forfeit.
const REMINDERS: i64 = 4;

/// With a Fischer clock, an edition allows for this many moves of each player.
const MOVES: u32 = 50;
/// The time after which weekends and nights repeat.
const PERIOD: TimeDelta = TimeDelta::weeks(1);
/// The time in a week in which clocks run, unless a player has longer weekends or nights.
const RUNNING: TimeDelta = TimeDelta::days(5);

/// The maximum duration of a game. The time control of an old event may be longer than commands allow now, and the end
/// of its games might not be representable.
const LONGEST: TimeDelta = TimeDelta::days(36_525);

/// A board to create in an edition.
pub(crate) struct NewEventBoard<'a> {
    pub(crate) place: BoardPlace,
    /// The player to move first, and the opponent.
    pub(crate) players: [&'a PlayerRef; 2],
    /// The challenger's comment; may be empty.
    pub(crate) comment: String,
}

/// The context for processing one event: starting and ending its editions and boards.
pub(crate) struct Organizer<'a, 't> {
    pub(crate) service: Service<'a>,
    pub(crate) tx: &'a mut Transaction<'t>,
    pub(crate) event: &'a Event,
    pub(crate) now: DateTime<Utc>,
}

impl Organizer<'_, '_> {
    /// Returns how long a game of the event can take, including the replay in a cup. This includes the thinking time of
    /// both players, the longest weekends and nights of `players`, and the vacations of both players in a year.
    pub(crate) fn longest_tie(&self, players: &[Entrant]) -> store::Result<TimeDelta> {
        let mut running = RUNNING;
        for of in players {
            if let Some(player) = self.tx.player_by_id(of.player.id)? {
                // A change to or from daylight saving time is ignored.
                let calendar = Calendar { zone: Zone::UTC, ..clocks::weeks(&player) };
                running = running.min(calendar.counted(self.now, self.now + PERIOD));
            }
        }
        Ok(self.longest(running))
    }

    /// Returns how long a game of the event can take, including the replay in a cup, if no player has longer weekends
    /// and nights than usual.
    pub(crate) fn longest_tie_of_any(&self) -> TimeDelta {
        self.longest(RUNNING)
    }

    /// Computes [`Organizer::longest_tie`]. `running` is the part of a week in which clocks run.
    fn longest(&self, running: TimeDelta) -> TimeDelta {
        let TimeControl { total, fischer, .. } = self.event.what.terms.time_control;
        let days = fischer.map_or(total, |fischer| fischer.start + fischer.plus * MOVES);
        let thinking = i64::from(days) * 2 * PERIOD.num_seconds() / running.num_seconds();
        let vacations = i64::from(self.service.policy.vacation_days) * 2;
        let games = if self.event.what.kind == EventKind::Cup { 2 } else { 1 };
        TimeDelta::days((thinking + REMINDERS) * games + vacations).min(LONGEST)
    }

    /// Creates a board of an edition, and notifies its players. In a ladder, the challenged player moves first.
    pub(crate) fn begin_event_board(&mut self, edition: u32, new: NewEventBoard<'_>) -> store::Result<BoardNumber> {
        let NewEventBoard { place, players: [first, second], comment } = new;
        let game = catalogue::find(&self.event.what.game).ok_or_else(|| broken(self.event))?;
        let start = game.start(&Options::from_canonical(&self.event.what.options)).map_err(|_| broken(self.event))?;
        let options = self.event.what.options.clone();
        let number = self.tx.add_board(&NewBoard {
            number: None,
            game: game.name().to_owned(),
            hash: genesis_hash(game.name(), &options, [&first.userid, &second.userid]),
            options,
            terms: self.event.what.terms,
            players: [first.id, second.id],
            to_move: start.to_move().ok_or_else(|| broken(self.event))?,
            challenger: (self.event.what.kind == EventKind::Ladder).then_some(second.id),
            rematch_of: None,
            created_at: self.now,
        })?;
        self.tx.add_event_board(self.event.id, edition, place, number)?;
        if !comment.is_empty() {
            let entry = EntryNumber::START;
            let (player, said_at) = (second.id, self.now);
            self.tx.add_comment(&Comment { board: number, entry, player, text: comment, said_at })?;
        }
        let mut board = self.tx.board(number)?.ok_or_else(|| broken(self.event))?;
        clocks::start(self.tx, &mut board, self.now)?;
        let open = OpenBoard::open(self.tx, board, self.now)?;
        webhooks::turn_came(self.tx, &open.board, self.now)?;
        let facts = self.service.board_facts(self.tx, &open, self.now)?;
        self.service.announce(self.tx, None, &Announcement::of(&open.board, BoardEvent::Challenge, facts), self.now)?;
        Ok(number)
    }

    /// Opens a board of an edition to end it.
    fn open_event_board(&self, board: &EventBoard) -> store::Result<Option<OpenBoard>> {
        self.tx.board(board.number)?.map(|board| OpenBoard::open(self.tx, board, self.now)).transpose()
    }

    /// Returns why a player no longer plays in the event; [`Absence::Time`] if they have not left.
    pub(crate) fn absence_of(&self, player: PlayerId) -> store::Result<Absence> {
        if self.tx.entrants(self.event.id)?.iter().any(|entrant| entrant.player.id == player) {
            return Ok(Absence::Time);
        }
        let blocked = self.tx.player_by_id(player)?.is_some_and(|player| player.blocked_at.is_some());
        Ok(if blocked { Absence::Withdrawn } else { Absence::Left })
    }

    /// Ends a board in progress with a loss for the player at this seat. A player who has left loses as if they had
    /// resigned.
    pub(crate) fn lose_event_board(&mut self, board: &EventBoard, seat: Seat, absence: Absence) -> store::Result<()> {
        let Some(mut open) = self.open_event_board(board)?.filter(|open| !open.is_over()) else { return Ok(()) };
        if absence == Absence::Time {
            self.service.time_is_up(self.tx, open, seat, self.now)?;
            return Ok(());
        }
        let departure = Departure { seat, absence, event: &self.event.what.name };
        open.end(self.tx, Ending::Departure(departure), Channel::Clock)?;
        self.announce_end(&open, BoardEvent::End)
    }

    fn announce_end(&mut self, open: &OpenBoard, event: BoardEvent) -> store::Result<()> {
        let facts = self.service.board_facts(self.tx, open, self.now)?;
        self.service.announce(self.tx, None, &Announcement::of(&open.board, event, facts), self.now)?;
        Ok(())
    }

    /// Annuls a board of the withdrawn player at this seat: it has no result and changes no ratings. A game that a
    /// player won because their opponent did not move is annulled, too.
    pub(crate) fn annul_event_board(&mut self, board: &EventBoard, seat: Seat) -> store::Result<()> {
        if board.no_result == Some(NoResult::Void) {
            return Ok(());
        }
        let Some(mut open) = self.open_event_board(board)? else { return Ok(()) };
        let absence = self.absence_of(board.players[seat.index()].id)?;
        open.void(self.tx, Voiding::Annulment(Departure { seat, absence, event: &self.event.what.name }))?;
        self.announce_end(&open, BoardEvent::Void)
    }
}

fn broken(event: &Event) -> StoreError {
    StoreError::Failed(format!("event {} has no valid game", event.what.name))
}
