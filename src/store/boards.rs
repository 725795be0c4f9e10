//! Boards: their players, terms and state. Their records are in `records.rs`.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sql::{
    Cells, Db, FromCells, Param, Params, Texts, all, cell, from_fields, keep_number, next_board, one, params, run,
    run_one, stored_as_name,
};
use super::{BoardClock, PlayerId, PlayerRef, Result, ResultReason, Seat, SeatState, Transaction, seats};
use crate::command::Terms;
use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::text;

/// A board to add.
#[derive(Clone, Debug)]
pub struct NewBoard {
    /// The number, if the board already has one from an open challenge or an import.
    pub number: Option<BoardNumber>,
    /// The game's name in the catalogue.
    pub game: String,
    /// The options in canonical form; may be empty.
    pub options: String,
    /// The terms of the board.
    pub terms: Terms,
    /// The players of the first and the second seat.
    pub players: [PlayerId; 2],
    /// The seat that moves first.
    pub to_move: Seat,
    /// The player who made the challenge; `None` if the administrator created the board in the shell, or if the board
    /// belongs to a league or cup.
    pub challenger: Option<PlayerId>,
    /// The earlier board, if this board is a rematch.
    pub rematch_of: Option<BoardNumber>,
    /// The initial hash of the record: [`genesis_hash`](super::genesis_hash).
    pub hash: String,
    /// The time of creation.
    pub created_at: DateTime<Utc>,
}

/// The state of a board, without its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The board's number.
    pub number: BoardNumber,
    /// The game's name in the catalogue.
    pub game: String,
    /// The options in canonical form.
    pub options: String,
    /// The terms of the board.
    pub terms: Terms,
    /// The players of the first and the second seat.
    pub players: [PlayerRef; 2],
    /// The players' userids when the board began; the initial hash of the record depends on them. `None` for a removed
    /// player.
    pub began_as: [Option<String>; 2],
    /// The seat to move; `None` if the board has ended.
    pub to_move: Option<Seat>,
    /// The number of entries in the record.
    pub entries: EntryNumber,
    /// The current number of plies.
    pub plies: Ply,
    /// The initial hash of the record.
    pub genesis: String,
    /// The hash of the last entry, or the initial hash.
    pub head: String,
    /// The time of creation.
    pub created_at: DateTime<Utc>,
    /// The time of the last entry, or of the board's creation.
    pub moved_at: DateTime<Utc>,
    /// The result; `None` if the board is in progress, or ended without a result.
    pub result: Option<BoardResult>,
    /// The reason why the board ended without a result.
    pub no_result: Option<NoResult>,
    /// The player who declined the board, or made no first move in time.
    pub declined_by: Option<PlayerId>,
    /// The player who made the challenge; `None` if the administrator created the board in the shell, or if the board
    /// belongs to a league or cup.
    pub challenger: Option<PlayerId>,
    /// The earlier board, if this board is a rematch.
    pub rematch_of: Option<BoardNumber>,
    /// The edition of an event to which the board belongs.
    pub event: Option<EditionRef>,
    /// The position of the board in the order in which the rated boards ended; the first has position 1.
    pub rated_as: Option<u32>,
    /// The clock of the player to move, if the board has a clock.
    pub clock: Option<BoardClock>,
    /// The state of each seat: its plan, its submitted move and its thinking time.
    pub seats: [SeatState; 2],
    /// The open proposal.
    pub proposal: Option<Proposal>,
}

impl Board {
    /// Returns whether a player plays on the board.
    pub fn plays(&self, player: PlayerId) -> bool {
        self.players.iter().any(|seated| seated.id == player)
    }

    /// Returns whether one player plays against themselves.
    pub fn is_alone(&self) -> bool {
        self.players[0].id == self.players[1].id
    }

    /// Returns the seats of a player: both if they play against themselves.
    pub fn seats_of(&self, player: PlayerId) -> Vec<Seat> {
        Seat::BOTH.into_iter().filter(|seat| self.players[seat.index()].id == player).collect()
    }
}

/// An edition of an event, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EditionRef {
    /// The name of the event.
    pub name: String,
    /// The number of the edition.
    pub edition: u32,
}

/// A proposal to the other player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The kind.
    pub kind: ProposalKind,
    /// The seat of the proposer.
    pub by: Seat,
}

/// The kind of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProposalKind {
    /// A draw.
    Draw,
    /// Taking back the proposer's last move.
    Undo,
    /// Ending the board without a result.
    Abandon,
}

/// The result of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardResult {
    /// The winner's seat; `None` for a draw.
    pub winner: Option<Seat>,
    /// The reason for the end.
    pub reason: ResultReason,
    /// The time of the end.
    pub ended_at: DateTime<Utc>,
}

/// The reason why the board ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NoResult {
    /// A player declined the challenge, or left the server before their first move.
    Declined,
    /// A player made no first move before the deadline.
    Expired,
    /// The administrator made the board void, or a player was withdrawn from the board's event.
    Void,
    /// The players agreed to abandon the game.
    Abandoned,
}

impl NoResult {
    /// Returns whether lists omit the board and the board accepts no commands.
    pub const fn is_out_of_play(self) -> bool {
        !matches!(self, NoResult::Abandoned)
    }
}

/// An abandoned board has no result, although the database contains the time and the reason of its end.
///
/// Earlier versions stored a resignation out of turn in the column `resigns`. The query converts it to a plan.
pub(crate) const COLUMNS: &str = "SELECT b.number, b.game, b.options, b.terms, b.to_move, b.entries, b.plies, b.genesis, b.head, \
     b.created_at, b.moved_at, b.winner, CASE WHEN b.no_result IS NULL THEN b.reason END, b.ended_at, b.no_result, \
     b.declined_by, b.challenger, b.rematch_of, b.rated_as, (SELECT v.name FROM event_boards x JOIN events v ON v.id = x.event WHERE x.board = b.number), \
     (SELECT x.edition FROM event_boards x WHERE x.board = b.number), b.clock_since, b.clock_thought - b.clock_given, b.clock_reminded, b.clock_due_at, b.proposal, b.proposed_by, \
     s1.player, p1.userid, s2.player, p2.userid, \
     nullif(coalesce(s1.began_as, p1.userid), ''), nullif(coalesce(s2.began_as, p2.userid), ''), \
     s1.used, s1.credit, CASE WHEN s1.resigns THEN 'else resign' ELSE s1.plan END, s1.submitted, s1.submitted_after, \
     s2.used, s2.credit, CASE WHEN s2.resigns THEN 'else resign' ELSE s2.plan END, s2.submitted, s2.submitted_after \
     FROM boards b \
     JOIN seats s1 ON s1.board = b.number AND s1.seat = 1 JOIN players p1 ON p1.id = s1.player \
     JOIN seats s2 ON s2.board = b.number AND s2.seat = 2 JOIN players p2 ON p2.id = s2.player";

/// Makes an event due, so that the server acts on it, after a board of its current edition has ended.
pub(crate) const EVENT_OF_ENDED: &str = "UPDATE events SET due_at = ?2 \
     WHERE due_at > ?2 AND id = (SELECT x.event FROM event_boards x \
         JOIN editions d ON d.event = x.event AND d.edition = x.edition WHERE x.board = ?1 AND d.ended_at IS NULL)";
pub(crate) const REMATCH: &str = "SELECT max(number) FROM boards WHERE rematch_of = ?1 AND declined_at IS NULL";
const NUMBERS: &str = "SELECT number FROM boards UNION SELECT number FROM challenges ORDER BY number";
pub(crate) const ACTIVE: &str =
    "SELECT count(*) FROM boards WHERE game = ?1 AND ended_at IS NULL AND declined_at IS NULL";
pub(crate) const WAITING_FOR: &str = "SELECT number FROM boards WHERE player_to_move = ?1 ORDER BY number";
/// Ignores boards on which the player plays against themselves. Entries of kind 0 are moves.
pub(crate) const UNANSWERED: &str = "SELECT \
     (SELECT count(*) FROM challenges WHERE challenger = ?1 AND closed_at IS NULL) + \
     (SELECT count(*) FROM boards b WHERE b.challenger = ?1 AND b.ended_at IS NULL AND b.declined_at IS NULL \
         AND EXISTS (SELECT 1 FROM seats s WHERE s.board = b.number AND s.player <> ?1) \
         AND NOT EXISTS (SELECT 1 FROM entries m JOIN seats s ON s.board = m.board AND s.seat = m.seat \
             WHERE m.board = b.number AND m.kind = 0 AND s.player <> ?1))";

from_fields! {
    Board {
        number, game, options, terms, to_move, entries, plies, genesis, head, created_at, moved_at, result, no_result,
        declined_by, challenger, rematch_of, rated_as, event, clock, proposal, players, began_as, seats
    }
}

impl FromCells for Option<BoardResult> {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        let winner = cells.take()?;
        let ended = cells.take::<Option<_>>()?.zip(cells.take()?);
        Ok(ended.map(|(reason, ended_at)| BoardResult { winner, reason, ended_at }))
    }
}
stored_as_name!(NoResult, ProposalKind);
from_fields!(Option<EditionRef { name, edition }>);
from_fields!(Option<Proposal { kind, by }>);

pub(crate) fn by_number_sql() -> String {
    format!("{COLUMNS} WHERE b.number = ?1")
}

/// Builds the statement for the boards on which one of these players must move or answer a proposal.
pub(crate) fn waiting_for_any_sql(db: Db<'_>) -> String {
    let userids = db.texts("?1");
    let players = format!("(SELECT id FROM players WHERE lower(userid) IN ({userids}))");
    format!(
        "SELECT number FROM boards WHERE player_to_move IN {players} UNION SELECT s.board FROM boards b CROSS JOIN seats s \
         WHERE b.proposal IS NOT NULL AND s.board = b.number AND s.seat <> b.proposed_by AND s.player IN {players} ORDER BY 1"
    )
}

/// Builds the statement that lists boards: of a game, of a player, or only boards in progress. Each condition is added
/// only if needed, because a condition such as `?1 IS NULL OR …` would prevent the use of indexes. A player's boards in
/// progress are found in an index, because reading the player's ended boards, one page of the table each, would be
/// slow.
pub(crate) fn list_sql(game: bool, player: bool, active_only: bool) -> String {
    let mut sql = format!("{COLUMNS} WHERE b.declined_at IS NULL");
    if active_only {
        sql.push_str(" AND b.ended_at IS NULL");
    }
    if game {
        sql.push_str(" AND b.game = ?1");
    }
    if player {
        let player = if game { "?2" } else { "?1" };
        let active = if active_only { " AND active" } else { "" };
        sql += &format!(" AND b.number IN (SELECT board FROM seats WHERE player = {player}{active})");
    }
    sql + " ORDER BY b.number"
}

/// Builds the statement that lists boards with greater numbers than `?1`, optionally only those of a game or a player.
pub(crate) fn after_sql(game: bool, player: bool) -> String {
    let mut sql = format!("{COLUMNS} WHERE b.declined_at IS NULL AND b.number > ?1");
    if game {
        sql.push_str(" AND b.game = ?3");
    }
    if player {
        let player = if game { "?4" } else { "?3" };
        sql += &format!(" AND b.number IN (SELECT board FROM seats WHERE player = {player} AND board > ?1)");
    }
    sql + " ORDER BY b.number LIMIT ?2"
}

/// Ends a board, and clears the state that only matters during play. The used thinking time remains stored.
fn close(
    db: Db<'_>,
    how: &str,
    end: &str,
    params: Params<'_>,
    (number, at): (BoardNumber, DateTime<Utc>),
) -> Result<()> {
    let sql = format!(
        "UPDATE boards SET to_move = NULL, player_to_move = NULL, clock_since = NULL, clock_thought = 0, clock_given = 0, clock_reminded = 0, \
         clock_due_at = NULL, proposal = NULL, proposed_by = NULL, {end} \
         WHERE number = ?1 AND ended_at IS NULL AND declined_at IS NULL"
    );
    run_one(
        db,
        &sql,
        params,
        &format!("board {number} cannot be marked as {how}: it has ended, was declined or does not exist"),
    )?;
    seats::close(db, number)?;
    let search = "INSERT INTO puzzle_queue (board) \
         SELECT number FROM boards WHERE number = ?1 AND ended_at IS NOT NULL AND NOT private ON CONFLICT DO NOTHING";
    run(db, search, params![number])?;
    run(db, EVENT_OF_ENDED, params![number, at]).map(drop)
}

/// Returns the parameters for a list of boards: `others`, followed by the game and the player, if given.
fn of<'p>(game: &'p Option<&str>, player: &'p Option<PlayerId>, mut others: Vec<&'p dyn Param>) -> Vec<&'p dyn Param> {
    others.extend(game.iter().map(|game| game as &dyn Param));
    others.extend(player.iter().map(|player| player as &dyn Param));
    others
}

/// The boards, without their records.
///
/// Numbers are unique among boards and open challenges, except that an accepted challenge and its board share a number.
/// Numbers are never reused, and there are no gaps, even after a rollback. Expired and void boards are stored like
/// declined ones, so *declined* includes them here.
impl Transaction<'_> {
    /// Adds a board and returns its number: the given one, or the next one. Fails if another board has the number. New
    /// numbers continue after the greatest number ever used.
    pub fn add_board(&mut self, new: &NewBoard) -> Result<BoardNumber> {
        let db = self.writable()?;
        let number = match new.number {
            None => next_board(db)?,
            Some(number) => keep_number(db, "boards", number.0.into()).map(|()| number)?,
        };
        let sql = "INSERT INTO boards (number, game, options, terms, challenger, to_move, player_to_move, genesis, head, \
             created_at, moved_at, rematch_of) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?9, ?10)";
        let NewBoard { game, options, terms, challenger, to_move, hash, created_at, rematch_of, .. } = new;
        let player_to_move = new.players[to_move.index()];
        let params =
            params![number, game, options, terms, challenger, to_move, player_to_move, hash, created_at, rematch_of];
        run(db, sql, params)?;
        seats::add(db, number, new.players)?;
        self.note_action("board", Some(number), "?3")?;
        Ok(number)
    }

    /// Finds a board by its number, even if it was declined.
    pub fn board(&self, number: BoardNumber) -> Result<Option<Board>> {
        let read = || one(self.db(), &by_number_sql(), params![number]);
        let found = self.known().boards.get(|known: &Board| known.number == number, read)?;
        let in_progress = found.iter().filter(|board| board.to_move.is_some()).map(|board| board.number);
        self.known().in_progress.borrow_mut().extend(in_progress);
        Ok(found)
    }

    /// Lists boards by number, without declined ones. The arguments restrict the list to a game, to a player, or to
    /// boards in progress.
    pub fn boards(&self, game: Option<&str>, player: Option<PlayerId>, active_only: bool) -> Result<Vec<Board>> {
        let sql = list_sql(game.is_some(), player.is_some(), active_only);
        all(self.db(), &sql, &of(&game, &player, Vec::new()))
    }

    /// Lists at most `most` boards with numbers greater than `after`, by number, without declined ones. If a game or a
    /// player is given, lists only their boards.
    pub fn boards_after(
        &self,
        game: Option<&str>,
        player: Option<PlayerId>,
        after: BoardNumber,
        most: u32,
    ) -> Result<Vec<Board>> {
        let sql = after_sql(game.is_some(), player.is_some());
        all(self.db(), &sql, &of(&game, &player, vec![&after, &most]))
    }

    /// Finds the newest rematch of a board, ignoring declined ones.
    pub fn rematch(&self, number: BoardNumber) -> Result<Option<BoardNumber>> {
        cell(self.db(), REMATCH, params![number])
    }

    /// Counts a game's boards in progress.
    pub fn active_boards(&self, game: &str) -> Result<u32> {
        cell(self.db(), ACTIVE, params![game])
    }

    /// Lists the numbers of all boards and open challenges in ascending order, including those of declined boards, and
    /// of challenges that were accepted or withdrawn. See [`numbered`](super::lists::numbered()).
    pub fn numbers(&self) -> Result<Vec<BoardNumber>> {
        all(self.db(), NUMBERS, &[])
    }

    /// Ends a board with a result. If an entry of the record ended the board, append that entry first. Clears the
    /// board's clock, its proposal, and the plans and submitted moves of its seats. Fails if the board has already
    /// ended.
    pub fn end_board(&mut self, number: BoardNumber, result: &BoardResult) -> Result<()> {
        let end = "winner = ?2, reason = ?3, ended_at = ?4";
        close(
            self.writable()?,
            "ended",
            end,
            params![number, result.winner, result.reason, result.ended_at],
            (number, result.ended_at),
        )
    }

    /// Ends a board like [`Transaction::end_board`], but without a result. Unless the players abandoned the game, the
    /// board is no longer listed. It keeps its number. `by` is the player who declined the board or made no first move;
    /// `None` if the administrator or both players ended the board.
    pub fn end_without_result(
        &mut self,
        number: BoardNumber,
        why: NoResult,
        by: Option<PlayerId>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let end = match why.is_out_of_play() {
            true => "declined_by = ?2, declined_at = ?3, no_result = ?4",
            false => "declined_by = ?2, ended_at = ?3, reason = ?4, no_result = ?4",
        };
        let params = params![number, by, now, why];
        close(self.writable()?, &text::word(&why), end, params, (number, now))
    }

    /// Reverses the end of a board. The next entry must set the seat to move. Deletes the board's analysis and
    /// withdraws its puzzles, because they would help the players. If the board belongs to a ladder, the places are
    /// updated again when it ends again. Fails if the board is in progress or has changed ratings.
    pub fn reopen_board(&mut self, number: BoardNumber) -> Result<()> {
        let db = self.writable()?;
        let sql = "UPDATE boards SET winner = NULL, reason = NULL, ended_at = NULL, declined_by = NULL, \
             declined_at = NULL, no_result = NULL \
             WHERE number = ?1 AND (ended_at IS NOT NULL OR declined_at IS NOT NULL) AND rated_as IS NULL";
        run_one(
            db,
            sql,
            params![number],
            &format!("board {number} cannot be reopened: it is in progress, is rated or does not exist"),
        )?;
        seats::reopen(db, number)?;
        for table in ["analyses", "puzzle_queue"] {
            run(db, &format!("DELETE FROM {table} WHERE board = ?1"), params![number])?;
        }
        run(db, "UPDATE event_boards SET settled_at = NULL WHERE board = ?1", params![number])?;
        self.withdraw_puzzles(number)
    }

    /// Lists the boards on which it is this player's turn, by number.
    pub fn waiting_for(&self, player: PlayerId) -> Result<Vec<BoardNumber>> {
        all(self.db(), WAITING_FOR, params![player])
    }

    /// Lists the boards on which one of these players must move or answer a proposal, by number. The cost does not
    /// depend on the number of the players' other boards.
    pub fn waiting_for_any(&self, userids: &[String]) -> Result<Vec<BoardNumber>> {
        let userids = Texts(userids.iter().map(|userid| userid.to_ascii_lowercase()).collect());
        all(self.db(), &waiting_for_any_sql(self.db()), params![userids])
    }

    /// Counts a player's unanswered challenges: open ones, and boards in progress on which no opponent has moved.
    pub fn unanswered(&self, challenger: PlayerId) -> Result<u32> {
        cell(self.db(), UNANSWERED, params![challenger])
    }

    /// Stores the open proposal of a board; `None` removes it.
    pub fn set_proposal(&mut self, number: BoardNumber, proposal: Option<Proposal>) -> Result<()> {
        let sql = "UPDATE boards SET proposal = ?2, proposed_by = ?3 WHERE number = ?1";
        let (kind, by) = proposal.map(|Proposal { kind, by }| (kind, by)).unzip();
        run_one(self.writable_board()?, sql, params![number, kind, by], &format!("there is no board {number}"))
    }
}
