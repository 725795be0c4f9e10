//! The records of boards. The triggers of the table check again that an entry is the next one.

use crate::store::sql::params;
use crate::store::sql::{Cells, Code, Hash, Side};
use crate::store::sql::{Row, all, one, run_one};
use crate::store::sql::EpochSeconds;
use super::transaction::PostgresTransaction;
use crate::store::sql::Session as _;
use crate::numbers::BoardNumber;
use crate::store::{Entry, EntryKind, RecordState, Records, Result, Seat, StoreError, Via};

const ENTRIES: &str = "SELECT entry, kind, ply, seat, text, made_at, via, hash FROM moves \
     WHERE board = $1 ORDER BY entry";

const STATE: &str = "SELECT entries, plies, to_move, head, ended_at IS NOT NULL OR declined_at IS NOT NULL \
     FROM boards WHERE number = $1";

fn state(row: &Row<'_>) -> Result<RecordState> {
    let mut cells = Cells::of(row);
    Ok(RecordState {
        entries: cells.take()?,
        plies: cells.take()?,
        to_move: cells.seat_if_any()?,
        head: cells.take()?,
        closed: cells.take()?,
    })
}

impl Records for PostgresTransaction<'_> {
    fn entries(&self, number: BoardNumber) -> Result<Vec<Entry>> {
        all(self.db(), ENTRIES, params![number], |row| {
            let mut cells = Cells::of(row);
            Ok(Entry {
                entry: cells.take()?,
                kind: cells.take::<Code<EntryKind>>()?.0,
                ply: cells.take()?,
                seat: cells.seat_if_any()?,
                text: cells.take()?,
                made_at: cells.take::<EpochSeconds>()?.0,
                via: cells.take::<Code<Via>>()?.0,
                hash: cells.take::<Hash<String>>()?.0,
            })
        })
    }

    fn add_entry(&mut self, number: BoardNumber, new: &Entry, to_move: Option<Seat>) -> Result<()> {
        let db = self.writable_board(number)?;
        let nowhere = format!("there is no board {number}");
        let state = one(db, STATE, params![number], state)?.ok_or_else(|| StoreError::Failed(nowhere.clone()))?;
        state.check_append(new)?;
        let sql = "INSERT INTO moves (board, entry, kind, ply, seat, text, made_at, via, hash) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        let Entry { entry, kind, ply, seat, text, made_at, via, hash } = new;
        let (made_at, seat) = (EpochSeconds(*made_at), seat.map(Side));
        let params = params![number, entry, Code(*kind), ply, seat, text, made_at, Code(*via), Hash(hash)];
        run_one(db, sql, params, &nowhere)?;
        let turn = "UPDATE boards SET to_move = $2 WHERE number = $1";
        run_one(db, turn, params![number, to_move.map(Side)], &nowhere)?;
        if *kind == EntryKind::Move {
            self.count_turn(number);
        }
        Ok(())
    }
}
