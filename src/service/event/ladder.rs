//! Ladders: one endless edition, in which players challenge those above them.

use chrono::{DateTime, TimeDelta, Utc};

use super::advance::{EXAMINE_AGAIN, Latest, WEEK};
use super::boards::Organizer;
use super::views::{PlaceView, half_points, seat_of};
use crate::command::EventKind;
use crate::event::{in_reach, sink, take_place};
use crate::rules::Seat;
use crate::store::{
    self, Edition, Entrant, Event, EventBoard, Participant, PlayerId, PlayerRef, Transaction, Withdrawal,
};

/// The time without a game after which a player sinks.
const IDLE: TimeDelta = TimeDelta::days(30);
/// The division number of all players of a ladder.
pub(crate) const ONLY: u32 = 1;

/// The players and the recent boards of a ladder.
pub(crate) struct Ladder {
    /// The players in the order of their places.
    pub(crate) players: Vec<PlayerRef>,
    /// The boards in progress, and those that ended recently.
    pub(crate) boards: Vec<EventBoard>,
    entrants: Vec<Entrant>,
    /// Players without a game since this time sink at the end of the week.
    active_since: DateTime<Utc>,
}

impl Ladder {
    pub(crate) fn read(tx: &Transaction<'_>, event: &Event, edition: &Edition) -> store::Result<Ladder> {
        let active_since = edition.reported_at + WEEK - IDLE;
        let players = tx.participants(event.id, edition.number)?.into_iter();
        Ok(Ladder {
            players: players.filter(|of| of.withdrawn.is_none()).map(|of| of.player).collect(),
            boards: tx.recent_event_boards(event.id, edition.number, active_since)?,
            entrants: tx.entrants(event.id)?,
            active_since,
        })
    }

    /// Returns a player's place as an index.
    pub(crate) fn place(&self, player: PlayerId) -> Option<usize> {
        self.players.iter().position(|of| of.id == player)
    }

    /// Returns a player's board in progress.
    pub(crate) fn playing(&self, player: PlayerId) -> Option<&EventBoard> {
        self.boards.iter().find(|board| board.ended_at.is_none() && seat_of(board, player).is_some())
    }

    fn has_left(&self, player: PlayerId) -> bool {
        !self.entrants.iter().any(|of| of.player.id == player)
    }

    fn is_idle(&self, player: PlayerId) -> bool {
        let joined = self.entrants.iter().find(|of| of.player.id == player).map(|of| of.joined_at);
        joined.is_none_or(|joined| joined <= self.active_since)
            && !self.boards.iter().any(|board| seat_of(board, player).is_some())
    }

    /// Returns the places from the first one down.
    pub(crate) fn places(&self) -> Vec<PlaceView> {
        let free = |at: &usize| self.playing(self.players[*at].id).is_none();
        let userid = |of: &PlayerRef| of.userid.clone();
        let view = |(at, player): (usize, &PlayerRef)| {
            let board = self.playing(player.id);
            PlaceView {
                place: at + 1,
                userid: player.userid.clone(),
                board: board.map(|board| board.number),
                opponent: board.and_then(|board| board.players.iter().find(|of| of.id != player.id)).map(userid),
                to_move: board.and_then(|board| Some(userid(&board.players[board.to_move?.index()]))),
                sinks: self.is_idle(player.id) && self.players[at + 1..].iter().any(|below| !self.is_idle(below.id)),
                may_challenge: in_reach(at)
                    .filter(|above| free(&at) && free(above))
                    .map(|above| self.players[above].userid.clone())
                    .collect(),
            }
        };
        self.players.iter().enumerate().map(view).collect()
    }
}

/// Returns the boards of an edition. For a ladder, returns only the recent boards, and the places.
pub(crate) fn boards_and_places(
    tx: &Transaction<'_>,
    event: &Event,
    edition: &Edition,
) -> store::Result<(Vec<EventBoard>, Vec<PlaceView>)> {
    if event.what.kind != EventKind::Ladder {
        return Ok((tx.event_boards(event.id, edition.number)?, Vec::new()));
    }
    let ladder = Ladder::read(tx, event, edition)?;
    let places = ladder.places();
    Ok((ladder.boards, places))
}

impl Organizer<'_, '_> {
    /// Ends overdue games and those of players who have left. Updates the places of a ladder from its results, removes
    /// the players who have left, and adds new ones at the bottom. Once a week, idle players sink, and letters report
    /// results and places.
    pub(crate) fn advance_ladder(&mut self, mut edition: Edition) -> store::Result<()> {
        let latest = Latest::new(self.tx, self.longest_tie_of_any())?;
        let end = |board: &EventBoard| latest.end(std::slice::from_ref(board));
        let before = Ladder::read(self.tx, self.event, &edition)?;
        for board in before.boards.iter().filter(|board| board.ended_at.is_none()) {
            let left = Seat::BOTH.into_iter().find(|seat| before.has_left(board.players[seat.index()].id));
            let overdue = board.to_move.filter(|_| end(board).is_some_and(|end| end <= self.now));
            if let Some(seat) = left.or(overdue) {
                let absence = self.absence_of(board.players[seat.index()].id)?;
                self.lose_event_board(board, seat, absence)?;
            }
        }
        let ladder = Ladder::read(self.tx, self.event, &edition)?;
        let mut players = ladder.players.clone();
        apply_results(self.tx, &ladder.boards, &mut players)?;
        for player in players.extract_if(.., |player| ladder.has_left(player.id)) {
            // Remove the player even if they are only blocked: they are still signed up, and could be unblocked later.
            self.tx.leave_event(self.event.id, player.id)?;
            let withdrawn = Some(Withdrawal::Lost);
            let of = Participant { player, division: ONLY, place: 1, withdrawn, rank: None };
            self.tx.set_participant(self.event.id, edition.number, &of)?;
        }
        let new = ladder.entrants.iter().filter(|of| ladder.place(of.player.id).is_none());
        players.extend(new.map(|of| of.player.clone()));
        let is_week_over = edition.reported_at + WEEK <= self.now;
        if is_week_over {
            sink(&mut players, |player| ladder.is_idle(player.id));
        }
        for (at, player) in players.into_iter().enumerate().filter(|(at, player)| ladder.place(player.id) != Some(*at))
        {
            let of = Participant { player, division: ONLY, place: at as u32 + 1, withdrawn: None, rank: None };
            self.tx.set_participant(self.event.id, edition.number, &of)?;
        }
        if is_week_over {
            self.write_report(&edition)?;
            edition.reported_at = self.now;
            self.tx.set_edition(self.event.id, &edition)?;
        }
        let running = ladder.boards.iter().filter(|board| board.ended_at.is_none());
        let overdue = running.map(|board| end(board).unwrap_or(self.now + EXAMINE_AGAIN));
        let next = overdue.chain([edition.reported_at + WEEK]).min();
        self.tx.set_event_due(self.event.id, next)
    }
}

/// Lets the winners of ended boards take the places of their opponents.
fn apply_results(tx: &mut Transaction<'_>, boards: &[EventBoard], players: &mut [PlayerRef]) -> store::Result<()> {
    let new = boards.iter().filter(|of| !of.settled);
    let mut ended: Vec<(DateTime<Utc>, &EventBoard)> = new.filter_map(|board| Some((board.ended_at?, board))).collect();
    ended.sort_by_key(|(ended_at, board)| (*ended_at, board.number.0));
    for (ended_at, board) in ended {
        let [first, second] = &board.players;
        match half_points(board) {
            Some(2) => take_place(players, first, second),
            Some(0) => take_place(players, second, first),
            _ => {}
        }
        tx.settle_event_board(board.number, ended_at)?;
    }
    Ok(())
}
