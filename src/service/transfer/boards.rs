//! Rebuilds boards from their records, and adds entries to one board from a backup.

use std::io::BufRead;

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::Result;
use super::loader::Loader;
use super::tables::{Fault, Lines, Read, fault, object};
use crate::command::Terms;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::{Game, Options, Seat, catalogue};
use crate::service::board::record::{Record, RecordComment, record, seat};
use crate::service::board::replay::ReplayedBoard;
use crate::service::board::{check, clocks, rate};
use crate::service::notice::webhooks;
use crate::store::{
    self, Board, BoardResult, Comment, Entry, NewBoard, NoResult, PlayerId, StoreError, Transaction, genesis_hash,
    next_hash,
};
use crate::text::Message;
use crate::world::World;

/// Creates the board of a record, without its entries.
pub(crate) fn begin(tx: &mut Transaction<'_>, record: &Record) -> Read<Board> {
    let number = record.board;
    let game = known_game(&record.game)?;
    let start = game.start(&Options::from_canonical(&record.options));
    let Some(to_move) = start.ok().and_then(|play| play.to_move()) else {
        return fault(message!("import.no-options", board = number, game = &record.game, options = &record.options));
    };
    let players = [known(&*tx, &record.players[0])?, known(&*tx, &record.players[1])?];
    let challenger = record.challenger.as_ref().map(|userid| known(&*tx, userid)).transpose()?;
    if challenger.is_some_and(|challenger| !players.contains(&challenger)) {
        return fault(message!("import.challenger", board = number));
    }
    let [first, second] = &record.players;
    // If a player was removed, the original userids are unknown.
    let began_as = record.began_as.clone().unwrap_or([Some(first.clone()), Some(second.clone())]);
    let genesis = |[first, second]: [&str; 2]| genesis_hash(&record.game, &record.options, [first, second]);
    if let [Some(first), Some(second)] = &began_as
        && record.genesis != genesis([first, second])
    {
        return fault(message!("import.genesis", board = number));
    }
    let given = tx.add_board(&NewBoard {
        number: Some(number),
        game: record.game.clone(),
        options: record.options.clone(),
        terms: Terms { time_control: record.limits, flags: record.flags },
        players,
        to_move,
        challenger,
        rematch_of: record.rematch_of,
        hash: record.genesis.clone(),
        created_at: record.created_at,
    })?;
    if record.began_as.is_some() {
        tx.set_began_as(given, &began_as)?;
    }
    match tx.board(given)? {
        Some(board) if given == number => Ok(board),
        _ => fault(message!("import.board-number", board = number, given)),
    }
}

/// Adds the entries and comments of a record to a board that has the first `present` entries. Recomputes each hash
/// and plays each move.
pub(crate) fn append(tx: &mut Transaction<'_>, board: &mut Board, record: &Record, present: usize) -> Read<()> {
    let mut replayed = ReplayedBoard::after(board, &tx.entries(board.number)?)?;
    let mut head = board.head.clone();
    for line in record.entries.iter().skip(present) {
        let (number, place) = (record.board, line.entry);
        if line.hash != next_hash(&head, line.ply, &line.text) {
            return fault(message!("import.entry-hash", board = number, entry = place));
        }
        let entry = Entry {
            entry: line.entry,
            kind: line.kind,
            ply: line.ply,
            seat: line.seat.map(a_seat).transpose()?,
            text: line.text.clone(),
            made_at: line.made_at,
            via: line.via,
            hash: line.hash.clone(),
        };
        let fault = |error| match error {
            StoreError::WrongRecord(why) => Fault::What(message!("import.entry", board = number, entry = place, why)),
            StoreError::Record(why) => {
                let why = Message::verbatim(why.to_string());
                Fault::What(message!("import.entry", board = number, entry = place, why))
            }
            error => Fault::Store(error),
        };
        replayed.append(&entry).map_err(fault)?;
        let to_move = replayed.position().to_move().filter(|_| entry.kind.continues());
        tx.add_entry(record.board, &entry, to_move).map_err(fault)?;
        head.clone_from(&line.hash);
        (board.to_move, board.moved_at) = (to_move, line.made_at);
    }
    let is_new = |said: &&RecordComment| present == 0 || said.entry.0 as usize > present;
    for said in record.comments.iter().filter(is_new) {
        let player = known(&*tx, &said.player)?;
        let comment =
            Comment { board: record.board, entry: said.entry, player, text: said.text.clone(), said_at: said.said_at };
        if board.players.iter().all(|seated| seated.id != player) || said.entry.0 as usize > record.entries.len() {
            return fault(message!("import.comment", board = record.board));
        }
        tx.add_comment(&comment)?;
    }
    Ok(())
}

/// Ends a board if its record has an end, with or without a result.
pub(crate) fn close(tx: &mut Transaction<'_>, board: &Board, record: &Record) -> Read<()> {
    if let Some(result) = &record.result {
        let winner = result.winner.map(a_seat).transpose()?;
        let result = BoardResult { winner, reason: result.reason.clone(), ended_at: result.ended_at };
        tx.end_board(board.number, &result)?;
    }
    if let Some(why) = record.no_result {
        // A record does not say who declined. This fact is not shown, so use the player to move.
        let by = board.to_move.map_or(board.players[1].id, |seat| board.players[seat.index()].id);
        let by = Some(by).filter(|_| matches!(why, NoResult::Declined | NoResult::Expired));
        tx.end_without_result(board.number, why, by, board.moved_at)?;
    }
    Ok(())
}

/// Finds a player by userid. Fails if the userid does not exist or differs in case.
pub(crate) fn known(tx: &Transaction<'_>, userid: &str) -> Read<PlayerId> {
    match tx.player(userid)? {
        Some(player) if player.userid == userid => Ok(player.id),
        _ => fault(message!("import.no-player", userid)),
    }
}

pub(crate) fn known_game(name: &str) -> Read<&'static dyn Game> {
    catalogue::find(name).map_or_else(|| fault(message!("import.no-game", name)), Ok)
}

/// Returns the seat with the number 1 or 2 in a record.
pub(crate) fn a_seat(number: u8) -> Read<Seat> {
    seat(number).map_or_else(|| fault(message!("import.no-seat", number)), Ok)
}

/// A restored board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestoredBoard {
    /// The number of added entries.
    pub added: usize,
    /// The total number of entries.
    pub entries: EntryNumber,
}

/// The tables that contain the record of a board.
const OF_A_RECORD: [&str; 5] = ["players", "boards", "seats", "entries", "comments"];

/// Finds the record of a board in the export of a server or of a player.
///
/// # Errors
/// [`super::TransferError::Io`]; [`super::TransferError::Line`] if a line about the board cannot be read.
pub fn record_in_export(number: BoardNumber, world: World, lines: impl BufRead) -> Result<Option<Record>> {
    // Collect the rows of the board in a database in memory.
    let mut store = store::in_memory(world)?;
    let mut tx = store.write()?;
    let mut at = 0;
    let mut lines = (1..).zip(lines.lines()).inspect(|(line, _)| at = *line);
    let found = tx.without_triggers(|tx| find_record(tx, number, &mut lines));
    let found = found.map_err(|fault| fault.in_line(at))?;
    let board = if found.is_none() { tx.board(number)? } else { None };
    Ok(found.or(board.map(|board| record(&tx, &board)).transpose()?))
}

/// Adds the rows of a board to the database. If one line contains the complete record, as in the export of a player,
/// returns the record.
fn find_record(tx: &mut Transaction<'_>, number: BoardNumber, lines: Lines<'_>) -> Read<Option<Record>> {
    let mut loader = Loader::new(tx, None)?;
    for (line, text) in lines {
        let text = text?;
        let table = OF_A_RECORD.iter().find(|table| text.starts_with(&format!("{{\"table\":\"{table}\",")));
        if table.is_none() && !text.starts_with("{\"board\"") {
            continue;
        }
        let mut row = object(&text)?;
        match (row.remove("table"), table) {
            (Some(_), Some(table)) => {
                let of = if *table == "boards" { "number" } else { "board" };
                if *table == "players" || row.get(of).is_some_and(|of| *of == number.0) {
                    loader.add(tx, line, table, &row)?;
                }
            }
            _ if row["board"]["record"]["board"] == number.0 => {
                let record = Record::deserialize(&row["board"]["record"]);
                let record =
                    record.or_else(|error| fault(message!("import.no-line", what = error.to_string(), column = 1)));
                return record.map(Some);
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Adds the missing entries of a record, and its end, to the stored board. A missing board is added completely. The
/// clock of the player to move starts at `now`. An added end changes ratings as if the board had ended after all
/// others. Returns the reason if the records differ or there is nothing to add; the caller must then drop the
/// transaction.
///
/// # Errors
/// If the store fails.
pub fn restore_board(
    tx: &mut Transaction<'_>,
    record: &Record,
    now: DateTime<Utc>,
) -> Result<std::result::Result<RestoredBoard, Message>> {
    match restore(tx, record, now) {
        Ok(restored) => Ok(Ok(restored)),
        Err(Fault::Store(StoreError::Failed(what))) => Ok(Err(Message::verbatim(what))),
        Err(Fault::What(what) | Fault::Store(StoreError::WrongRecord(what))) => Ok(Err(what)),
        Err(Fault::Store(error)) => Err(error.into()),
        Err(Fault::Io(error)) => Err(error.into()),
    }
}

fn restore(tx: &mut Transaction<'_>, record: &Record, now: DateTime<Utc>) -> Read<RestoredBoard> {
    let number = record.board;
    let stored = tx.board(number)?;
    let present = match &stored {
        Some(board) => common_entries(tx, board, record)?,
        None => 0,
    };
    let mut board = match stored {
        Some(board) => reopened(tx, board)?,
        None => begin(tx, record)?,
    };
    append(tx, &mut board, record, present)?;
    close(tx, &board, record)?;
    let Some(mut board) = tx.board(number)? else { return fault(message!("import.board-number", board = number)) };
    if !rate::is_resigned_unanswered(tx, &board)? {
        rate::rate(tx, &board)?;
    }
    clocks::start(tx, &mut board, now)?;
    webhooks::turn_came(tx, &board, now)?;
    if let Some(difference) = check::check_board(&*tx, &board)?.into_iter().next() {
        return fault(difference);
    }
    Ok(RestoredBoard { added: record.entries.len() - present, entries: board.entries })
}

/// Returns the number of entries of a stored board. Refuses a record that does not start with these entries, and a
/// record that adds nothing to the board.
fn common_entries(tx: &Transaction<'_>, board: &Board, record: &Record) -> Read<usize> {
    let number = board.number;
    let stored = tx.entries(number)?;
    if board.genesis != record.genesis {
        return fault(message!("import.another-board", number));
    }
    let differs = stored.iter().zip(&record.entries).find(|(stored, line)| stored.hash != line.hash);
    if let Some((stored, _)) = differs {
        return fault(message!("import.another-record", number, entry = stored.entry));
    }
    let is_over = board.result.is_some() || board.no_result.is_some();
    let ends = record.result.is_some() || record.no_result.is_some();
    if stored.len() > record.entries.len() || stored.len() == record.entries.len() && (is_over || !ends) {
        return fault(message!("import.nothing-to-add", number, entries = stored.len(), record = record.entries.len()));
    }
    Ok(stored.len())
}

/// Returns the board in progress, after reverting its end if it has one.
fn reopened(tx: &mut Transaction<'_>, board: Board) -> Read<Board> {
    if board.result.is_none() && board.no_result.is_none() {
        return Ok(board);
    }
    rate::take_back(tx, &board)?;
    tx.reopen_board(board.number)?;
    Ok(tx.board(board.number)?.unwrap_or(board))
}
