//! Restores one board from a backup or an export: adds the entries after the stored ones.

use std::io::BufRead;

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::fault::{Fault, Read, fault};
use super::lines::{Lines, object};
use super::loader::Loader;
use super::{Result, boards};
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::board::record::{Record, record};
use crate::service::board::{check, clocks, rate};
use crate::store::{self, Board, Store, StoreError, Transaction};
use crate::text::Message;
use crate::world::World;

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
    // The rows of the board, in a database of their own.
    let mut store = store::in_memory(world)?;
    let mut tx = store.write()?;
    let mut at = 0;
    let mut lines = (1..).zip(lines.lines()).inspect(|(line, _)| at = *line);
    let found = tx.without_triggers(|tx| find_record(tx, number, &mut lines));
    let found = found.map_err(|fault| fault.in_line(at))?;
    let board = if found.is_none() { tx.board(number)? } else { None };
    Ok(found.or(board.map(|board| record(&tx, &board)).transpose()?))
}

/// Adds the rows of a board. Returns the record if a line contains it as a whole.
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
                if *table == "players" || row[of] == number.0 {
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

/// Adds the missing entries of a record to the stored board, and its end. A missing board is added completely. The
/// clock of the player to move starts at `now`, and an end changes ratings after those of all other boards. Returns
/// the reason if the records differ or there is nothing to add; the caller must then drop the transaction.
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
        Err(Fault::What(what)) => Ok(Err(what)),
        Err(Fault::Store(StoreError::Failed(what))) => Ok(Err(Message::verbatim(what))),
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
        None => boards::begin(tx, record)?,
    };
    boards::append(tx, &mut board, record, present)?;
    boards::close(tx, &board, record)?;
    let Some(mut board) = tx.board(number)? else { return fault(message!("import.board-number", board = number)) };
    rate::rate(tx, &board)?;
    clocks::start(tx, &mut board, now)?;
    if let Some(difference) = check::check_board(&*tx, &board)?.into_iter().next() {
        return fault(difference);
    }
    Ok(RestoredBoard { added: record.entries.len() - present, entries: board.entries })
}

/// Counts the entries of a stored board. The record must start with them and be longer.
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
