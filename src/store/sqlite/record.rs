//! The record of a board. What is out of order is refused by the triggers of the table.

use rusqlite::{Connection, params};

use super::column::{Cells, Name, Named, Side};
use super::query::{all, run_one};
use super::time::Time;
use crate::store::{Entry, EntryKind, Result, Seat};

pub(super) const ENTRIES: &str = "SELECT entry, kind, ply, seat, text, made_at, via, hash FROM moves \
     WHERE board = ?1 ORDER BY entry";

impl Named for EntryKind {
    const NAMES: &'static [(Self, &'static str)] = &[
        (EntryKind::Move, "move"),
        (EntryKind::Undo, "undo"),
        (EntryKind::Resign, "resign"),
        (EntryKind::Draw, "draw"),
        (EntryKind::Forfeit, "forfeit"),
        (EntryKind::Adjudge, "adjudge"),
    ];
}

pub(super) fn entries(db: &Connection, number: u32) -> Result<Vec<Entry>> {
    all(db, ENTRIES, [number], |row| {
        let mut cells = Cells::of(row);
        Ok(Entry {
            entry: cells.take()?,
            kind: cells.take::<Name<EntryKind>>()?.0,
            ply: cells.take()?,
            seat: cells.seat_if_any()?,
            text: cells.take()?,
            made_at: cells.time()?,
            via: cells.take()?,
            hash: cells.take()?,
        })
    })
}

pub(super) fn add(db: &Connection, number: u32, new: &Entry, to_move: Option<Seat>) -> Result<()> {
    let sql = "INSERT INTO moves (board, entry, kind, ply, seat, text, made_at, via, previous_hash, hash) \
         SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, head, ?9 FROM boards WHERE number = ?1";
    let Entry { entry, kind, ply, seat, text, made_at, via, hash } = new;
    let params = params![number, entry, Name(*kind), ply, seat.map(Side), text, Time(*made_at), via, hash];
    let nowhere = format!("there is no board {number}");
    run_one(db, sql, params, &nowhere)?;
    let turn = "UPDATE boards SET to_move = ?2 WHERE number = ?1";
    run_one(db, turn, params![number, to_move.map(Side)], &nowhere)
}
