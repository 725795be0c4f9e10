//! Boards, and what is arranged at their seats.

use chrono::{DateTime, Utc};

use super::clocks;
use super::numbers::{keep_number, next_board};
use super::{Cells, Db, Name, Param, Params, Row, Seconds, Session, Side, Texts, Time, all, one, params, run, run_one};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::store::{
    Board, BoardResult, Boards, NewBoard, NoResult, PlayerId, Proposal, ProposalKind, Result, Seat, SeatState,
    SubmittedMove,
};

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
const NUMBERS: &str = "SELECT number FROM boards UNION SELECT number FROM offers ORDER BY number";
pub(super) const ACTIVE: &str =
    "SELECT count(*) FROM boards WHERE game = ?1 AND ended_at IS NULL AND declined_at IS NULL";
pub(super) const WAITING_FOR: [&str; 2] = [
    "SELECT number FROM boards WHERE mover = ?1 ORDER BY number",
    "SELECT s.board FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat \
         WHERE s.player = ?1 AND s.active ORDER BY s.board",
];
/// A board against oneself needs no answer. Kind 0 is a move.
pub(super) const UNANSWERED: &str = "SELECT \
     (SELECT count(*) FROM offers WHERE challenger = ?1 AND closed_at IS NULL) + \
     (SELECT count(*) FROM boards b WHERE b.challenger = ?1 AND b.ended_at IS NULL AND b.declined_at IS NULL \
         AND EXISTS (SELECT 1 FROM seats s WHERE s.board = b.number AND s.player <> ?1) \
         AND NOT EXISTS (SELECT 1 FROM moves m JOIN seats s ON s.board = m.board AND s.seat = m.seat \
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
    let waiting = db.by_dialect(
        "SELECT number FROM boards WHERE mover IN ",
        "SELECT s.board FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat \
             WHERE s.active AND s.player IN ",
    );
    format!(
        "{waiting}{players} UNION SELECT s.board FROM boards b CROSS JOIN seats s \
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
        "UPDATE boards SET to_move = NULL, clock_since = NULL, clock_thought = 0, clock_given = 0, clock_reminded = 0, \
         clock_due_at = NULL, proposal = NULL, proposed_by = NULL, {end} \
         WHERE number = ?1 AND ended_at IS NULL AND declined_at IS NULL"
    );
    run_one(db, &sql, params, &format!("the board to be {how} is over, declined or not there: {number}"))?;
    let seats =
        "UPDATE seats SET plan = NULL, submitted = NULL, submitted_after = NULL, resigns = false WHERE board = ?1";
    run(db, seats, params![number])?;
    Ok(())
}

/// The parameters of a list of boards: `others`, then those of the game and of the player that are named.
fn of<'p>(game: &'p Option<&str>, player: &'p Option<PlayerId>, mut others: Vec<&'p dyn Param>) -> Vec<&'p dyn Param> {
    others.extend(game.iter().map(|game| game as &dyn Param));
    others.extend(player.iter().map(|player| &player.0 as &dyn Param));
    others
}

impl<S: Session> Boards for S {
    fn add_board(&mut self, new: &NewBoard) -> Result<BoardNumber> {
        let db = self.writable()?;
        let number = match new.number {
            None => next_board(db)?,
            Some(number) => keep_number(db, "boards", number.0.into()).map(|()| number)?,
        };
        let sql = "INSERT INTO boards (number, game, options, challenger, to_move, genesis, head, created_at, moved_at, \
             rated, private, nag_days, forfeit_days, total_days, rematch_of) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
        let NewBoard { game, options, rated, private, time_control, hash, .. } = new;
        let (challenger, created_at) = (new.challenger.map(|id| id.0), Time(new.created_at));
        let (nag, forfeit, total) = (time_control.nag, time_control.forfeit, time_control.total);
        let (to_move, rematch_of) = (Side(new.to_move), new.rematch_of);
        let params = params![
            number, game, options, challenger, to_move, hash, created_at, rated, private, nag, forfeit, total,
            rematch_of
        ];
        run(db, sql, params)?;
        for seat in Seat::BOTH {
            let player = new.players[seat.index()].0;
            let sql = "INSERT INTO seats (board, seat, player) VALUES (?1, ?2, ?3)";
            run(db, sql, params![number, Side(seat), player])?;
        }
        Ok(number)
    }

    fn board(&self, number: BoardNumber) -> Result<Option<Board>> {
        self.known()
            .boards
            .get(|known| known.number == number, || one(self.db(), &by_number_sql(), params![number], board))
    }

    fn boards(&self, game: Option<&str>, player: Option<PlayerId>, active_only: bool) -> Result<Vec<Board>> {
        let sql = list_sql(game.is_some(), player.is_some(), active_only);
        all(self.db(), &sql, &of(&game, &player, Vec::new()), board)
    }

    fn boards_after(
        &self,
        game: Option<&str>,
        player: Option<PlayerId>,
        after: BoardNumber,
        most: u32,
    ) -> Result<Vec<Board>> {
        let sql = after_sql(game.is_some(), player.is_some());
        all(self.db(), &sql, &of(&game, &player, vec![&after, &most]), board)
    }

    fn rematch(&self, number: BoardNumber) -> Result<Option<BoardNumber>> {
        Ok(one(self.db(), REMATCH, params![number], |row| row.get(0))?.flatten())
    }

    fn active_boards(&self, game: &str) -> Result<u32> {
        Ok(one(self.db(), ACTIVE, params![game], |row| row.get(0))?.unwrap_or(0))
    }

    fn numbers(&self) -> Result<Vec<BoardNumber>> {
        all(self.db(), NUMBERS, &[], |row| row.get(0))
    }

    fn end_board(&mut self, number: BoardNumber, result: &BoardResult) -> Result<()> {
        let end = "winner = ?2, reason = ?3, ended_at = ?4";
        close(
            self.writable()?,
            "ended",
            end,
            params![number, result.winner.map(Side), result.reason.to_string(), Time(result.ended_at)],
            number,
        )
    }

    fn end_without_result(
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

    fn reopen_board(&mut self, number: BoardNumber) -> Result<()> {
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
        let acted_at = db.by_dialect("", ", acted_at = NULL");
        let seats = format!("UPDATE seats SET active = true, ended = false{acted_at} WHERE board = ?1");
        run(db, &seats, params![number])?;
        for table in
            db.by_dialect(&["analyses", "unsearched_boards", "results"][..], &["analyses", "unsearched_boards"])
        {
            run(db, &format!("DELETE FROM {table} WHERE board = ?1"), params![number])?;
        }
        Ok(())
    }

    fn waiting_for(&self, player: PlayerId) -> Result<Vec<BoardNumber>> {
        let [sqlite, postgres] = WAITING_FOR;
        all(self.db(), self.db().by_dialect(sqlite, postgres), params![player.0], |row| row.get(0))
    }

    fn waiting_for_any(&self, userids: &[String]) -> Result<Vec<BoardNumber>> {
        let userids = Texts(userids.iter().map(|userid| userid.to_ascii_lowercase()).collect());
        all(self.db(), &waiting_for_any_sql(self.db()), params![userids], |row| row.get(0))
    }

    fn unanswered(&self, challenger: PlayerId) -> Result<u32> {
        Ok(one(self.db(), UNANSWERED, params![challenger.0], |row| row.get(0))?.unwrap_or(0))
    }

    fn set_began_as(&mut self, number: BoardNumber, began_as: &[Option<String>; 2]) -> Result<()> {
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

    fn set_seat(&mut self, number: BoardNumber, seat: Seat, state: &SeatState) -> Result<()> {
        let sql = "UPDATE seats SET used = ?3, plan = ?4, submitted = ?5, submitted_after = ?6, resigns = false \
             WHERE board = ?1 AND seat = ?2";
        let (submitted, after) = state.submitted.as_ref().map(|submitted| (&submitted.text, submitted.after)).unzip();
        let params = params![number, Side(seat), Seconds(state.used), state.plan, submitted, after];
        run_one(self.writable_board(number)?, sql, params, &format!("there is no board {number}"))
    }

    fn set_proposal(&mut self, number: BoardNumber, proposal: Option<Proposal>) -> Result<()> {
        let sql = "UPDATE boards SET proposal = ?2, proposed_by = ?3 WHERE number = ?1";
        let (kind, by) = proposal.map(|proposal| (Name(proposal.kind), Side(proposal.by))).unzip();
        run_one(self.writable_board(number)?, sql, params![number, kind, by], &format!("there is no board {number}"))
    }
}
