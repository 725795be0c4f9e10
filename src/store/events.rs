//! Events: leagues, cups and ladders, with their entrants, editions and boards.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sql::{Nocase, all, cell, from_fields, one, params, run, stored_as, stored_as_name};
use super::{EditionRef, NoResult, PlayerId, PlayerRef, Result, ResultReason, Seat, Transaction};
use crate::command::{EventKind, Terms};
use crate::numbers::{BoardNumber, Ply};

/// The key of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventId(pub i64);

/// The fixed properties of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// The name, unique without regard to case.
    pub name: String,
    /// The kind.
    pub kind: EventKind,
    /// The game's name in the catalogue.
    pub game: String,
    /// The options of the event's boards in canonical form.
    pub options: String,
    /// The terms of the event's boards.
    pub terms: Terms,
    /// The maximum number of players of a division.
    pub size: u32,
    /// Whether two players of a division play two games against each other.
    pub twice: bool,
    /// Whether the event has only one edition.
    pub once: bool,
    /// The time of creation.
    pub created_at: DateTime<Utc>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The event's key.
    pub id: EventId,
    /// The fixed properties.
    pub what: NewEvent,
    /// When the server must next act on the event; `None` after its last edition.
    pub due_at: Option<DateTime<Utc>>,
}

/// A player who takes part in each edition until they leave the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The player.
    pub player: PlayerRef,
    /// When the player joined.
    pub joined_at: DateTime<Utc>,
    /// Whether the player was withdrawn from an edition, and has not joined the event again since.
    pub absent: bool,
}

/// An edition of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edition {
    /// The edition's number, from 1.
    pub number: u32,
    /// When the edition began.
    pub started_at: DateTime<Utc>,
    /// Results up to this time have been reported to the players.
    pub reported_at: DateTime<Utc>,
    /// The time by which the edition ends; `None` for a ladder.
    pub latest_at: Option<DateTime<Utc>>,
    /// When the edition ended.
    pub ended_at: Option<DateTime<Utc>>,
}

/// The outcome of the games of a withdrawn player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Withdrawal {
    /// All games of the player were annulled.
    Annulled,
    /// The player lost the remaining games.
    Lost,
}

/// A player of an edition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The player.
    pub player: PlayerRef,
    /// The division, from 1.
    pub division: u32,
    /// In a league, the position in the order of sign-up; in a cup, the seed; in a ladder, the place. The first is 1.
    pub place: u32,
    /// Whether and how the player was withdrawn.
    pub withdrawn: Option<Withdrawal>,
    /// The final rank in the division.
    pub rank: Option<u32>,
}

/// The place of a board in an edition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardPlace {
    /// The division, from 1.
    pub division: u32,
    /// The round, from 1. In a cup, the bronze game has the round of the final.
    pub round: u32,
    /// The place in the round, or the challenged place of a ladder, from 1.
    pub slot: u32,
}

/// A board of an edition with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventBoard {
    /// The board's number.
    pub number: BoardNumber,
    /// The board's place.
    pub place: BoardPlace,
    /// The players.
    pub players: [PlayerRef; 2],
    /// The thinking time of both sides in earlier turns, in seconds.
    pub used: [i64; 2],
    /// The seat to move; `None` if the board has ended.
    pub to_move: Option<Seat>,
    /// The number of the board's moves.
    pub plies: Ply,
    /// When the board began.
    pub created_at: DateTime<Utc>,
    /// How much longer than planned the board may last, because an administrator gave a player extra time or reopened
    /// the board.
    pub postponed: TimeDelta,
    /// When the board ended, with or without a result.
    pub ended_at: Option<DateTime<Utc>>,
    /// The winner's seat, if the game has a result.
    pub winner: Option<Seat>,
    /// The reason for the result.
    pub reason: Option<ResultReason>,
    /// Why the board ended without a result.
    pub no_result: Option<NoResult>,
    /// The player who declined the board or made no first move.
    pub declined_by: Option<PlayerId>,
    /// Whether the places of a ladder reflect the board's result.
    pub settled: bool,
}

const COLUMNS: &str = "SELECT id, name, kind, game, options, terms, size, twice, once, created_at, due_at FROM events";
pub(crate) const DUE: &str = "SELECT id FROM events WHERE due_at <= ?1 ORDER BY due_at, id LIMIT ?2";
pub(crate) const OF_BOARD: &str = "SELECT event, edition FROM event_boards WHERE board = ?1";
/// Builds a statement that lists boards of an edition.
macro_rules! boards_where {
    ($condition:literal) => {
        concat!(
            "SELECT e.board, e.division, e.round, e.slot, s1.player, p1.userid, s2.player, p2.userid, \
     s1.used, s2.used, b.to_move, b.plies, b.created_at, e.postponed, coalesce(b.ended_at, b.declined_at), b.winner, b.reason, \
     b.no_result, b.declined_by, e.settled_at IS NOT NULL FROM event_boards e JOIN boards b ON b.number = e.board \
     JOIN seats s1 ON s1.board = e.board AND s1.seat = 1 JOIN players p1 ON p1.id = s1.player \
     JOIN seats s2 ON s2.board = e.board AND s2.seat = 2 JOIN players p2 ON p2.id = s2.player \
     WHERE e.event = ?1 AND e.edition = ?2",
            $condition,
            " ORDER BY e.division, e.round, e.slot, e.board"
        )
    };
}

pub(crate) const BOARDS: &str = boards_where!("");
pub(crate) const RECENT_BOARDS: &str = boards_where!(" AND (e.settled_at IS NULL OR e.settled_at > ?3)");
pub(crate) const PARTICIPANTS: &str = "SELECT a.player, p.userid, a.division, a.place, a.withdrawn, a.final_rank \
     FROM participants a JOIN players p ON p.id = a.player WHERE a.event = ?1 AND a.edition = ?2 \
     ORDER BY a.division, a.place";
pub(crate) const ENTRANTS: &str = "SELECT n.player, p.userid, n.joined_at, n.absent FROM entrants n \
     JOIN players p ON p.id = n.player WHERE n.event = ?1 AND p.left_at IS NULL AND p.blocked_at IS NULL \
     ORDER BY n.joined_at, n.player";
pub(crate) const TITLES: &str = "SELECT e.name, a.edition FROM participants a JOIN events e ON e.id = a.event \
     WHERE a.player = ?1 AND a.division = 1 AND a.final_rank = 1 ORDER BY e.id, a.edition";
pub(crate) const WINNERS: &str = "SELECT a.edition, p.userid FROM participants a JOIN players p ON p.id = a.player \
     WHERE a.event = ?1 AND a.division = 1 AND a.final_rank = 1";
pub(crate) const COUNTS: &str = "SELECT n.event, count(*) FROM entrants n JOIN players p ON p.id = n.player \
     WHERE n.absent = false AND p.left_at IS NULL AND p.blocked_at IS NULL GROUP BY n.event";
pub(crate) const LAST_EDITIONS: &str = "SELECT event, edition, started_at, reported_at, latest_at, ended_at \
     FROM editions e WHERE edition = (SELECT max(edition) FROM editions WHERE event = e.event)";
/// Ignores ladders that either player has left.
const OF_BOTH: &str = "SELECT e.name, a.edition FROM participants a \
     JOIN participants o ON o.event = a.event AND o.edition = a.edition AND o.player = ?2 \
     JOIN events e ON e.id = a.event AND (e.kind <> 'ladder' OR a.withdrawn IS NULL AND o.withdrawn IS NULL) \
     WHERE a.player = ?1 ORDER BY e.id, a.edition";
const EDITIONS: &str = "SELECT edition, started_at, reported_at, latest_at, ended_at FROM editions WHERE event = ?1 \
     ORDER BY edition";

stored_as!(i64: EventId);
stored_as_name!(Withdrawal);
from_fields!(Edition { number, started_at, reported_at, latest_at, ended_at });
from_fields!(EditionRef { name, edition });

pub(crate) fn by_name_sql() -> String {
    format!("{COLUMNS} WHERE lower(name) = ?1")
}

from_fields!(NewEvent { name, kind, game, options, terms, size, twice, once, created_at });
from_fields!(Event { id, what, due_at });
from_fields!(BoardPlace { division, round, slot });
from_fields! {
    EventBoard {
        number, place, players, used, to_move, plies, created_at, postponed, ended_at, winner, reason, no_result, declined_by,
        settled
    }
}
from_fields!(Entrant { player, joined_at, absent });
from_fields!(Participant { player, division, place, withdrawn, rank });

/// Events and their editions.
impl Transaction<'_> {
    /// Adds an event. The server first acts on it at `due_at`. Fails if the name exists.
    pub fn add_event(&mut self, new: &NewEvent, due_at: DateTime<Utc>) -> Result<EventId> {
        let sql = "INSERT INTO events (name, kind, game, options, terms, size, twice, once, created_at, due_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING id";
        let NewEvent { name, kind, game, options, terms, size, twice, once, created_at } = new;
        let params = params![name, kind, game, options, terms, size, twice, once, created_at, due_at];
        cell(self.writable()?, sql, params)
    }

    /// Finds an event by its name.
    pub fn event(&self, name: &str) -> Result<Option<Event>> {
        one(self.db(), &by_name_sql(), params![Nocase(name)])
    }

    /// Finds an event by its key.
    pub fn event_by_id(&self, id: EventId) -> Result<Option<Event>> {
        one(self.db(), &format!("{COLUMNS} WHERE id = ?1"), params![id])
    }

    /// Lists all events, the newest first.
    pub fn events(&self) -> Result<Vec<Event>> {
        all(self.db(), &format!("{COLUMNS} ORDER BY id DESC"), &[])
    }

    /// Lists at most `most` events that are due at `now`.
    pub fn due_events(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<EventId>> {
        all(self.db(), DUE, params![now, most])
    }

    /// Sets when the server must next act on an event.
    pub fn set_event_due(&mut self, id: EventId, due_at: Option<DateTime<Utc>>) -> Result<()> {
        run(self.writable()?, "UPDATE events SET due_at = ?2 WHERE id = ?1", params![id, due_at]).map(drop)
    }

    /// Adds a player to an event, or ends the player's absence.
    pub fn join_event(&mut self, event: EventId, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO entrants (event, player, joined_at) VALUES (?1, ?2, ?3) \
             ON CONFLICT (event, player) DO UPDATE SET absent = false";
        run(self.writable()?, sql, params![event, player, now]).map(drop)
    }

    /// Removes a player from an event. Returns whether they had joined it.
    pub fn leave_event(&mut self, event: EventId, player: PlayerId) -> Result<bool> {
        let sql = "DELETE FROM entrants WHERE event = ?1 AND player = ?2";
        Ok(run(self.writable()?, sql, params![event, player])? > 0)
    }

    /// Marks a player as absent. The player does not take part in further editions until they join again.
    pub fn set_absent(&mut self, event: EventId, player: PlayerId) -> Result<()> {
        let sql = "UPDATE entrants SET absent = true WHERE event = ?1 AND player = ?2";
        run(self.writable()?, sql, params![event, player]).map(drop)
    }

    /// Lists the players who have joined an event, in the order of their sign-ups, without former and blocked players.
    pub fn entrants(&self, event: EventId) -> Result<Vec<Entrant>> {
        all(self.db(), ENTRANTS, params![event])
    }

    /// Lists the editions of an event, by number.
    pub fn editions(&self, event: EventId) -> Result<Vec<Edition>> {
        all(self.db(), EDITIONS, params![event])
    }

    /// Lists the last edition of each event that has one.
    pub fn last_editions(&self) -> Result<Vec<(EventId, Edition)>> {
        all(self.db(), LAST_EDITIONS, &[])
    }

    /// Lists the events in whose next edition at least one player takes part, with the number of these players.
    pub fn entrant_counts(&self) -> Result<Vec<(EventId, u32)>> {
        all(self.db(), COUNTS, &[])
    }

    /// Lists the winners of the ended editions of an event, with the numbers of these editions.
    pub fn winners(&self, event: EventId) -> Result<Vec<(u32, String)>> {
        all(self.db(), WINNERS, params![event])
    }

    /// Adds an edition, or replaces its `reported_at` and `ended_at`.
    pub fn set_edition(&mut self, event: EventId, edition: &Edition) -> Result<()> {
        let sql = "INSERT INTO editions (event, edition, started_at, reported_at, latest_at, ended_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (event, edition) DO UPDATE SET \
             reported_at = excluded.reported_at, ended_at = excluded.ended_at";
        let Edition { number, started_at, reported_at, latest_at, ended_at } = edition;
        run(self.writable()?, sql, params![event, number, started_at, reported_at, latest_at, ended_at]).map(drop)
    }

    /// Adds a player to an edition, or replaces their place, withdrawal and rank.
    pub fn set_participant(&mut self, event: EventId, edition: u32, of: &Participant) -> Result<()> {
        let sql = "INSERT INTO participants (event, edition, player, division, place, withdrawn, final_rank) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (event, edition, player) DO UPDATE SET \
             place = excluded.place, withdrawn = excluded.withdrawn, final_rank = excluded.final_rank";
        let Participant { player, division, place, withdrawn, rank } = of;
        let params = params![event, edition, player.id, division, place, withdrawn, rank];
        run(self.writable()?, sql, params).map(drop)
    }

    /// Lists the players of an edition, by division and place.
    pub fn participants(&self, event: EventId, edition: u32) -> Result<Vec<Participant>> {
        all(self.db(), PARTICIPANTS, params![event, edition])
    }

    /// Adds a board to an edition.
    pub fn add_event_board(
        &mut self,
        event: EventId,
        edition: u32,
        place: BoardPlace,
        board: BoardNumber,
    ) -> Result<()> {
        let sql = "INSERT INTO event_boards (board, event, edition, division, round, slot) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let BoardPlace { division, round, slot } = place;
        run(self.writable()?, sql, params![board, event, edition, division, round, slot]).map(drop)
    }

    /// Lists the boards of an edition, by division and round.
    pub fn event_boards(&self, event: EventId, edition: u32) -> Result<Vec<EventBoard>> {
        all(self.db(), BOARDS, params![event, edition])
    }

    /// Lists the boards of a ladder that are in progress, those whose results its places do not reflect yet, and those
    /// that ended after `since`.
    pub fn recent_event_boards(&self, event: EventId, edition: u32, since: DateTime<Utc>) -> Result<Vec<EventBoard>> {
        all(self.db(), RECENT_BOARDS, params![event, edition, since])
    }

    /// Records that the places of a ladder reflect the result of a board that ended at this time.
    pub fn settle_event_board(&mut self, board: BoardNumber, ended_at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE event_boards SET settled_at = ?2 WHERE board = ?1";
        run(self.writable()?, sql, params![board, ended_at]).map(drop)
    }

    /// Extends the time that a board of an event may last.
    pub fn postpone_event_board(&mut self, board: BoardNumber, by: TimeDelta) -> Result<()> {
        let sql = "UPDATE event_boards SET postponed = postponed + ?2 WHERE board = ?1";
        run(self.writable()?, sql, params![board, by])?;
        Ok(())
    }

    /// Returns the event and the edition of a board.
    pub fn event_of_board(&self, board: BoardNumber) -> Result<Option<(EventId, u32)>> {
        one(self.db(), OF_BOARD, params![board])
    }

    /// Lists the editions that a player has won.
    pub fn titles(&self, player: PlayerId) -> Result<Vec<EditionRef>> {
        all(self.db(), TITLES, params![player])
    }

    /// Returns an edition in which both players take or took part.
    pub fn edition_of_both(&self, one: PlayerId, other: PlayerId) -> Result<Option<EditionRef>> {
        Ok(all(self.db(), OF_BOTH, params![one, other])?.into_iter().next())
    }
}
