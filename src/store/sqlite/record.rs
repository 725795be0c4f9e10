//! The records of boards. The triggers of the table check again that an entry is the next one.

use rusqlite::{Row, params};

use super::column::{Cells, Name, Named, Side};
use super::query::{all, one, run_one};
use super::time::Time;
use super::transaction::SqliteTransaction;
use crate::numbers::BoardNumber;
use crate::store::{Entry, EntryKind, RecordState, Records, Result, Seat, StoreError, Via};

pub(super) const ENTRIES: &str = "SELECT entry, kind, ply, seat, text, made_at, via, hash FROM moves \
     WHERE board = ?1 ORDER BY entry";

pub(super) const STATE: &str = "SELECT entries, plies, to_move, head, ended_at IS NOT NULL OR declined_at IS NOT NULL \
     FROM boards WHERE number = ?1";

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

impl Named for Via {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Via::Mail, "mail"),
        (Via::Shell, "shell"),
        (Via::Web, "web"),
        (Via::Api, "api"),
        (Via::Visitor, "visitor"),
        (Via::Plan, "plan"),
        (Via::Clock, "clock"),
        (Via::Administrator, "administrator"),
    ];
}

fn state(row: &Row<'_>) -> rusqlite::Result<RecordState> {
    let mut cells = Cells::of(row);
    Ok(RecordState {
        entries: cells.take()?,
        plies: cells.take()?,
        to_move: cells.seat_if_any()?,
        head: cells.take()?,
        closed: cells.take()?,
    })
}

impl Records for SqliteTransaction<'_> {
    fn entries(&self, number: BoardNumber) -> Result<Vec<Entry>> {
        all(self.db(), ENTRIES, [number], |row| {
            let mut cells = Cells::of(row);
            Ok(Entry {
                entry: cells.take()?,
                kind: cells.take::<Name<EntryKind>>()?.0,
                ply: cells.take()?,
                seat: cells.seat_if_any()?,
                text: cells.take()?,
                made_at: cells.time()?,
                via: cells.take::<Name<Via>>()?.0,
                hash: cells.take()?,
            })
        })
    }

    fn add_entry(&mut self, number: BoardNumber, new: &Entry, to_move: Option<Seat>) -> Result<()> {
        let db = self.writable()?;
        let nowhere = format!("there is no board {number}");
        let state = one(db, STATE, [number], state)?.ok_or_else(|| StoreError::Failed(nowhere.clone()))?;
        state.check_append(new)?;
        let sql = "INSERT INTO moves (board, entry, kind, ply, seat, text, made_at, via, previous_hash, hash) \
             SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, head, ?9 FROM boards WHERE number = ?1";
        let Entry { entry, kind, ply, seat, text, made_at, via, hash } = new;
        let params = params![number, entry, Name(*kind), ply, seat.map(Side), text, Time(*made_at), Name(*via), hash];
        run_one(db, sql, params, &nowhere)?;
        let turn = "UPDATE boards SET to_move = ?2 WHERE number = ?1";
        run_one(db, turn, params![number, to_move.map(Side)], &nowhere)
    }
}
