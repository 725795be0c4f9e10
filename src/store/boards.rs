//! Boards, and what is arranged on them beside their records.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sql::numbers::{keep_number, next_board};
use super::sql::{
    Cells, Db, Name, Named, Param, Params, Row, Seconds, Side, Texts, Time, all, one, params, run, run_one,
};
use super::{BoardClock, PlayerId, PlayerRef, Result, ResultReason, Seat, Transaction, clocks};
use crate::clock::TimeControl;
use crate::numbers::{BoardNumber, EntryNumber, Ply};

/// A board to be added.
#[derive(Clone, Debug)]
pub struct NewBoard {
    /// Its number, when it has one already: that of an open challenge, or the one on the server it is imported from.
    pub number: Option<BoardNumber>,
    /// The catalogue's name of the game.
    pub game: String,
    /// Canonical options text, may be empty.
    pub options: String,
    /// The players of the first and the second seat.
    pub players: [PlayerId; 2],
    /// The seat that moves first.
    pub to_move: Seat,
    /// Who made the challenge (`None`: the administrator's shell).
    pub challenger: Option<PlayerId>,
    /// The board that it is a rematch of.
    pub rematch_of: Option<BoardNumber>,
    /// Whether its end changes ratings.
    pub rated: bool,
    /// Whether only its players see it.
    pub private: bool,
    /// Its time control.
    pub time_control: TimeControl,
    /// The hash to which the first entry is chained: [`chain::genesis`](super::chain::genesis).
    pub hash: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// A board's state beside its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its number.
    pub number: BoardNumber,
    /// The catalogue's name of the game.
    pub game: String,
    /// Canonical options text.
    pub options: String,
    /// The players of the first and the second seat.
    pub players: [PlayerRef; 2],
    /// The userids that the genesis is made of: those of its players when it began. `None`: the player was removed.
    pub began_as: [Option<String>; 2],
    /// The seat whose turn it is; `None` when the board is over.
    pub to_move: Option<Seat>,
    /// How many entries its record has.
    pub entries: EntryNumber,
    /// How many plies stand.
    pub plies: Ply,
    /// The hash to which the first entry is chained.
    pub genesis: String,
    /// The hash of the last entry, or the genesis.
    pub head: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When the last entry was made, or the board.
    pub moved_at: DateTime<Utc>,
    /// The result, when it is over.
    pub result: Option<BoardResult>,
    /// Why it ended without a result, if it did.
    pub no_result: Option<NoResult>,
    /// Who made the challenge (`None`: the administrator's shell).
    pub challenger: Option<PlayerId>,
    /// The board that it is a rematch of.
    pub rematch_of: Option<BoardNumber>,
    /// Whether its end changes ratings.
    pub rated: bool,
    /// Position among the rated boards in the order in which they ended, from 1.
    pub rated_as: Option<u32>,
    /// Whether only its players see it.
    pub private: bool,
    /// Its time control.
    pub time_control: TimeControl,
    /// The clock of the player to move, if it has one.
    pub clock: Option<BoardClock>,
    /// What is arranged at each seat.
    pub seats: [SeatState; 2],
    /// The open proposal.
    pub proposal: Option<Proposal>,
}

/// What is arranged at a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatState {
    /// Time used on earlier plies.
    pub used: TimeDelta,
    /// Conditional replies, canonical.
    pub plan: Option<String>,
    /// A move to be confirmed.
    pub submitted: Option<SubmittedMove>,
}

/// A move that its player has submitted and not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmittedMove {
    /// The canonical move text.
    pub text: String,
    /// The last entry of the record then.
    pub after: EntryNumber,
}

/// A proposal to the other player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// What is proposed.
    pub kind: ProposalKind,
    /// The seat of the proposer.
    pub by: Seat,
}

/// What can be proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProposalKind {
    /// To end the game as a draw.
    Draw,
    /// To take the proposer's last move back.
    Undo,
    /// To end the game without a result.
    Abandon,
}

impl Named for ProposalKind {
    const NAMES: &'static [(Self, &'static str)] =
        &[(ProposalKind::Draw, "draw"), (ProposalKind::Undo, "undo"), (ProposalKind::Abandon, "abandon")];
}

impl ProposalKind {
    /// Its name, as it is stored and as programs read it.
    pub fn name(self) -> &'static str {
        match self {
            ProposalKind::Draw => "draw",
            ProposalKind::Undo => "undo",
            ProposalKind::Abandon => "abandon",
        }
    }
}

/// How a board ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardResult {
    /// The seat that won; `None` is a draw.
    pub winner: Option<Seat>,
    /// What ended the game.
    pub reason: ResultReason,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
}

/// Why a board ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NoResult {
    /// A player declined the challenge.
    Declined,
    /// A player made no first move in time.
    Expired,
    /// The administrator voided the board.
    Void,
    /// The players agreed to abandon the game.
    Abandoned,
}

impl Named for NoResult {
    const NAMES: &'static [(Self, &'static str)] = &[
        (NoResult::Declined, NoResult::Declined.name()),
        (NoResult::Expired, NoResult::Expired.name()),
        (NoResult::Void, NoResult::Void.name()),
        (NoResult::Abandoned, NoResult::Abandoned.name()),
    ];
}

impl NoResult {
    /// Its name, as it is stored and as programs read it.
    pub const fn name(self) -> &'static str {
        match self {
            NoResult::Declined => "declined",
            NoResult::Expired => "expired",
            NoResult::Void => "void",
            NoResult::Abandoned => "abandoned",
        }
    }

    /// Whether the board is not listed and takes no more commands.
    pub const fn is_out_of_play(self) -> bool {
        !matches!(self, NoResult::Abandoned)
    }
}

/// Earlier versions kept a resignation out of turn in `resigns`; it is read as a plan.
pub(in crate::store) const COLUMNS: &str = "SELECT b.number, b.game, b.options, b.to_move, b.entries, b.plies, b.genesis, b.head, \
     b.created_at, b.moved_at, b.winner, b.reason, b.ended_at, b.no_result, b.challenger, b.rematch_of, \
     b.rated, b.rated_as, b.private, b.nag_days, b.forfeit_days, b.total_days, \
     b.clock_since, b.clock_thought - b.clock_given, b.clock_reminded, b.clock_due_at, b.proposal, b.proposed_by, \
     s1.player, p1.userid, s2.player, p2.userid, \
     nullif(coalesce(s1.began_as, p1.userid), ''), nullif(coalesce(s2.began_as, p2.userid), ''), \
     s1.used, CASE WHEN s1.resigns THEN 'else resign' ELSE s1.plan END, s1.submitted, s1.submitted_after, \
     s2.used, CASE WHEN s2.resigns THEN 'else resign' ELSE s2.plan END, s2.submitted, s2.submitted_after \
     FROM boards b \
     JOIN seats s1 ON s1.board = b.number AND s1.seat = 1 JOIN players p1 ON p1.id = s1.player \
     JOIN seats s2 ON s2.board = b.number AND s2.seat = 2 JOIN players p2 ON p2.id = s2.player";

pub(super) const REMATCH: &str = "SELECT max(number) FROM boards WHERE rematch_of = ?1 AND declined_at IS NULL";
const NUMBERS: &str = "SELECT number FROM boards UNION SELECT number FROM challenges ORDER BY number";
pub(super) const ACTIVE: &str =
    "SELECT count(*) FROM boards WHERE game = ?1 AND ended_at IS NULL AND declined_at IS NULL";
pub(super) const WAITING_FOR: &str = "SELECT number FROM boards WHERE player_to_move = ?1 ORDER BY number";
/// A board against oneself needs no answer. Kind 0 is a move.
pub(super) const UNANSWERED: &str = "SELECT \
     (SELECT count(*) FROM challenges WHERE challenger = ?1 AND closed_at IS NULL) + \
     (SELECT count(*) FROM boards b WHERE b.challenger = ?1 AND b.ended_at IS NULL AND b.declined_at IS NULL \
         AND EXISTS (SELECT 1 FROM seats s WHERE s.board = b.number AND s.player <> ?1) \
         AND NOT EXISTS (SELECT 1 FROM entries m JOIN seats s ON s.board = m.board AND s.seat = m.seat \
             WHERE m.board = b.number AND m.kind = 0 AND s.player <> ?1))";

pub(in crate::store) fn board(row: &Row<'_>) -> Result<Board> {
    let mut cells = Cells::of(row);
    let mut board = Board {
        number: cells.take()?,
        game: cells.take()?,
        options: cells.take()?,
        to_move: cells.seat_if_any()?,
        entries: cells.take()?,
        plies: cells.take()?,
        genesis: cells.take()?,
        head: cells.take()?,
        created_at: cells.time()?,
        moved_at: cells.time()?,
        result: result(&mut cells)?,
        no_result: cells.take::<Option<Name<NoResult>>>()?.map(|Name(why)| why),
        challenger: cells.take::<Option<i64>>()?.map(PlayerId),
        rematch_of: cells.take()?,
        rated: cells.take()?,
        rated_as: cells.take()?,
        private: cells.take()?,
        time_control: cells.time_control()?,
        clock: clocks::clock(&mut cells)?,
        proposal: proposal(&mut cells)?,
        players: [cells.player()?, cells.player()?],
        began_as: [cells.take()?, cells.take()?],
        seats: [seat_state(&mut cells)?, seat_state(&mut cells)?],
    };
    // An abandoned board has an end, and no result.
    if board.no_result.is_some() {
        board.result = None;
    }
    Ok(board)
}

fn result(cells: &mut Cells<'_>) -> Result<Option<BoardResult>> {
    let winner = cells.seat_if_any()?;
    let (reason, ended_at) = (cells.take::<Option<String>>()?, cells.time_if_any()?);
    Ok(reason.zip(ended_at).map(|(reason, ended_at)| BoardResult { winner, reason: reason.into(), ended_at }))
}

fn proposal(cells: &mut Cells<'_>) -> Result<Option<Proposal>> {
    let (kind, by) = (cells.take::<Option<Name<ProposalKind>>>()?, cells.seat_if_any()?);
    Ok(kind.zip(by).map(|(Name(kind), by)| Proposal { kind, by }))
}

fn seat_state(cells: &mut Cells<'_>) -> Result<SeatState> {
    let Seconds(used) = cells.take()?;
    let plan = cells.take()?;
    let (submitted, after) = (cells.take::<Option<String>>()?, cells.take::<Option<EntryNumber>>()?);
    let submitted = submitted.zip(after).map(|(text, after)| SubmittedMove { text, after });
    Ok(SeatState { used, plan, submitted })
}

/// The statement that finds one board.
pub(super) fn by_number_sql() -> String {
    format!("{COLUMNS} WHERE b.number = ?1")
}

/// The statement for the boards on which one of these players is to move or to answer a proposal.
pub(in crate::store) fn waiting_for_any_sql(db: Db<'_>) -> String {
    let userids = db.texts("?1");
    let players = format!("(SELECT id FROM players WHERE lower(userid) IN ({userids}))");
    format!(
        "SELECT number FROM boards WHERE player_to_move IN {players} UNION SELECT s.board FROM boards b CROSS JOIN seats s \
         WHERE b.proposal IS NOT NULL AND s.board = b.number AND s.seat <> b.proposed_by AND s.player IN {players} ORDER BY 1"
    )
}

/// The statement for one of the eight ways to list boards. It has a condition for each parameter that applies: one that a
/// parameter switches off would keep the indexes from being used. Which of a player's boards are in progress is read from
/// an index: most have ended, and each is on another page of the table.
pub(super) fn list_sql(game: bool, player: bool, active_only: bool) -> String {
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

/// The statement for boards after a number, of a game and of a player if they are named.
pub(super) fn after_sql(game: bool, player: bool) -> String {
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

/// Takes a board out of play, and clears what matters only in play; the time that was used stays.
fn close(db: Db<'_>, how: &str, end: &str, params: Params<'_>, number: BoardNumber) -> Result<()> {
    let sql = format!(
        "UPDATE boards SET to_move = NULL, player_to_move = NULL, clock_since = NULL, clock_thought = 0, clock_given = 0, clock_reminded = 0, \
         clock_due_at = NULL, proposal = NULL, proposed_by = NULL, {end} \
         WHERE number = ?1 AND ended_at IS NULL AND declined_at IS NULL"
    );
    run_one(db, &sql, params, &format!("the board to be {how} is over, declined or not there: {number}"))?;
    let seats = "UPDATE seats SET plan = NULL, submitted = NULL, submitted_after = NULL, resigns = false, \
         active = false, ended = (SELECT ended_at IS NOT NULL FROM boards WHERE number = ?1) WHERE board = ?1";
    run(db, seats, params![number])?;
    let search = "INSERT INTO puzzle_queue (board) \
         SELECT number FROM boards WHERE number = ?1 AND ended_at IS NOT NULL AND NOT private ON CONFLICT DO NOTHING";
    run(db, search, params![number])?;
    Ok(())
}

/// The parameters of a list of boards: `others`, then those of the game and of the player that are named.
fn of<'p>(game: &'p Option<&str>, player: &'p Option<PlayerId>, mut others: Vec<&'p dyn Param>) -> Vec<&'p dyn Param> {
    others.extend(game.iter().map(|game| game as &dyn Param));
    others.extend(player.iter().map(|player| &player.0 as &dyn Param));
    others
}

/// The boards, beside their records.
///
/// Needs: numbers are unique among boards and open challenges, except that the board which an open challenge becomes has
/// its number; a number is never drawn twice, and none is left out, also when a transaction that drew one is dropped.
/// What a writing transaction has read of a board stays true until it commits.
impl Transaction<'_> {
    /// Adds a board, and returns its number: the one it brings, else the next one of the sequence. Fails when the
    /// number is a board's already. The sequence goes on after the greatest number there ever was.
    pub fn add_board(&mut self, new: &NewBoard) -> Result<BoardNumber> {
        let db = self.writable()?;
        let number = match new.number {
            None => next_board(db)?,
            Some(number) => keep_number(db, "boards", number.0.into()).map(|()| number)?,
        };
        let sql = "INSERT INTO boards (number, game, options, challenger, to_move, player_to_move, genesis, head, \
             created_at, moved_at, rated, private, nag_days, forfeit_days, total_days, rematch_of) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?14, ?6, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
        let NewBoard { game, options, rated, private, time_control, hash, .. } = new;
        let (challenger, created_at) = (new.challenger.map(|id| id.0), Time(new.created_at));
        let (nag, forfeit, total) = (time_control.nag, time_control.forfeit, time_control.total);
        let (to_move, rematch_of) = (Side(new.to_move), new.rematch_of);
        let player_to_move = new.players[new.to_move.index()].0;
        let params = params![
            number,
            game,
            options,
            challenger,
            to_move,
            hash,
            created_at,
            rated,
            private,
            nag,
            forfeit,
            total,
            rematch_of,
            player_to_move
        ];
        run(db, sql, params)?;
        for seat in Seat::BOTH {
            let player = new.players[seat.index()].0;
            let sql = "INSERT INTO seats (board, seat, player) VALUES (?1, ?2, ?3)";
            run(db, sql, params![number, Side(seat), player])?;
        }
        Ok(number)
    }

    /// Finds the board of a number, also one that was declined.
    pub fn board(&self, number: BoardNumber) -> Result<Option<Board>> {
        self.known()
            .boards
            .get(|known: &Board| known.number == number, || one(self.db(), &by_number_sql(), params![number], board))
    }

    /// Lists boards of a game (or all), of a player (or all), in progress only or not, by number, without declined
    /// ones.
    pub fn boards(&self, game: Option<&str>, player: Option<PlayerId>, active_only: bool) -> Result<Vec<Board>> {
        let sql = list_sql(game.is_some(), player.is_some(), active_only);
        all(self.db(), &sql, &of(&game, &player, Vec::new()), board)
    }

    /// Lists boards of a game (or all), of a player (or all), whose numbers are greater than `after`, by number, at
    /// most `most`, without declined ones.
    pub fn boards_after(
        &self,
        game: Option<&str>,
        player: Option<PlayerId>,
        after: BoardNumber,
        most: u32,
    ) -> Result<Vec<Board>> {
        let sql = after_sql(game.is_some(), player.is_some());
        all(self.db(), &sql, &of(&game, &player, vec![&after, &most]), board)
    }

    /// Finds the newest rematch of a board, without declined ones.
    pub fn rematch(&self, number: BoardNumber) -> Result<Option<BoardNumber>> {
        Ok(one(self.db(), REMATCH, params![number], |row| row.get(0))?.flatten())
    }

    /// How many boards of a game are in progress.
    pub fn active_boards(&self, game: &str) -> Result<u32> {
        Ok(one(self.db(), ACTIVE, params![game], |row| row.get(0))?.unwrap_or(0))
    }

    /// Lists every number that is a board's or an open challenge's, also a declined or closed one's, in order. See
    /// [`numbered`](super::numbered()).
    pub fn numbers(&self) -> Result<Vec<BoardNumber>> {
        all(self.db(), NUMBERS, &[], |row| row.get(0))
    }

    /// Ends a board, after an entry to which it is nobody's turn, or without one. Clears its clock, its proposal and
    /// what is arranged at its seats. Fails when it is over or declined.
    pub fn end_board(&mut self, number: BoardNumber, result: &BoardResult) -> Result<()> {
        let end = "winner = ?2, reason = ?3, ended_at = ?4";
        close(
            self.writable()?,
            "ended",
            end,
            params![number, result.winner.map(Side), result.reason.to_string(), Time(result.ended_at)],
            number,
        )
    }

    /// Ends a board as [`Transaction::end_board`] does, but without a result. A board out of play is listed no more, and keeps
    /// its number. `by` is the player who declined it or made no first move; `None`: the administrator, or both players.
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
        close(self.writable()?, why.name(), end, params![number, by.map(|id| id.0), Time(now), why.name()], number)
    }

    /// Takes back the end of a board; then the next entry says whose turn it is. Deletes its analysis, since nobody gets
    /// help with a game in progress. Fails when it is in progress or has changed ratings.
    pub fn reopen_board(&mut self, number: BoardNumber) -> Result<()> {
        let db = self.writable()?;
        let sql = "UPDATE boards SET winner = NULL, reason = NULL, ended_at = NULL, declined_by = NULL, \
             declined_at = NULL, no_result = NULL \
             WHERE number = ?1 AND (ended_at IS NOT NULL OR declined_at IS NOT NULL) AND rated_as IS NULL";
        run_one(
            db,
            sql,
            params![number],
            &format!("the board to be reopened is in progress, rated or not there: {number}"),
        )?;
        run(db, "UPDATE seats SET active = true, ended = false WHERE board = ?1", params![number])?;
        for table in ["analyses", "puzzle_queue"] {
            run(db, &format!("DELETE FROM {table} WHERE board = ?1"), params![number])?;
        }
        Ok(())
    }

    /// Lists the numbers of the boards on which it is this player's turn, in order.
    pub fn waiting_for(&self, player: PlayerId) -> Result<Vec<BoardNumber>> {
        all(self.db(), WAITING_FOR, params![player.0], |row| row.get(0))
    }

    /// Lists the numbers of the boards on which it is the turn of one of these players, or something is proposed to one of
    /// them, in order. How many boards they have beside those makes no difference.
    pub fn waiting_for_any(&self, userids: &[String]) -> Result<Vec<BoardNumber>> {
        let userids = Texts(userids.iter().map(|userid| userid.to_ascii_lowercase()).collect());
        all(self.db(), &waiting_for_any_sql(self.db()), params![userids], |row| row.get(0))
    }

    /// How many challenges of this player are unanswered: open ones, and boards in progress on which no opponent has
    /// ever moved.
    pub fn unanswered(&self, challenger: PlayerId) -> Result<u32> {
        Ok(one(self.db(), UNANSWERED, params![challenger.0], |row| row.get(0))?.unwrap_or(0))
    }

    /// Sets [`Board::began_as`] of a board that is imported.
    pub fn set_began_as(&mut self, number: BoardNumber, began_as: &[Option<String>; 2]) -> Result<()> {
        let sql = "UPDATE seats SET began_as = ?3 WHERE board = ?1 AND seat = ?2";
        for seat in Seat::BOTH {
            let userid = began_as[seat.index()].as_deref().unwrap_or_default();
            run_one(
                self.writable()?,
                sql,
                params![number, Side(seat), userid],
                &format!("there is no board {number}"),
            )?;
        }
        Ok(())
    }

    /// Replaces what is arranged at a seat.
    pub fn set_seat(&mut self, number: BoardNumber, seat: Seat, state: &SeatState) -> Result<()> {
        let sql = "UPDATE seats SET used = ?3, plan = ?4, submitted = ?5, submitted_after = ?6, resigns = false \
             WHERE board = ?1 AND seat = ?2";
        let (submitted, after) = state.submitted.as_ref().map(|submitted| (&submitted.text, submitted.after)).unzip();
        let params = params![number, Side(seat), Seconds(state.used), state.plan, submitted, after];
        run_one(self.writable_board(number)?, sql, params, &format!("there is no board {number}"))
    }

    /// Opens a proposal, or clears it.
    pub fn set_proposal(&mut self, number: BoardNumber, proposal: Option<Proposal>) -> Result<()> {
        let sql = "UPDATE boards SET proposal = ?2, proposed_by = ?3 WHERE number = ?1";
        let (kind, by) = proposal.map(|proposal| (Name(proposal.kind), Side(proposal.by))).unzip();
        run_one(self.writable_board(number)?, sql, params![number, kind, by], &format!("there is no board {number}"))
    }
}
