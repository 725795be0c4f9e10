//! The stored records of boards.

use super::sql::{
    Cells, Code, EpochSeconds, FromCells, Hash, Numbered, all, from_fields, one, params, run_later, stored_as_name,
};
use super::{Channel, Entry, EntryKind, RecordState, Result, ResultReason, Seat, StoreError, Transaction};
use crate::numbers::BoardNumber;

pub(crate) const ENTRIES: &str = "SELECT entry, kind, ply, seat, text, made_at, via, hash FROM entries \
     WHERE board = ?1 ORDER BY entry";

pub(crate) const STATE: &str = "SELECT entries, plies, to_move, head, ended_at IS NOT NULL OR declined_at IS NOT NULL, \
     game FROM boards WHERE number = ?1";

// The same codes as in the table `entry_kinds`.
impl Numbered for EntryKind {
    const CODES: &'static [(Self, i64)] = &[
        (EntryKind::Move, 0),
        (EntryKind::Undo, 1),
        (EntryKind::Resign, 2),
        (EntryKind::Draw, 3),
        (EntryKind::Forfeit, 4),
        (EntryKind::Adjudge, 5),
        (EntryKind::Reopen, 6),
        (EntryKind::Void, 7),
        (EntryKind::Abandon, 8),
    ];
}

// The same codes as in the table `entry_channels`.
impl Numbered for Channel {
    const CODES: &'static [(Self, i64)] = &[
        (Channel::Mail, 0),
        (Channel::Web, 1),
        (Channel::Api, 2),
        (Channel::Shell, 3),
        (Channel::Visitor, 4),
        (Channel::Plan, 5),
        (Channel::Clock, 6),
        (Channel::Administrator, 7),
        (Channel::Robot, 8),
    ];
}

stored_as_name!(Channel, ResultReason);

from_fields!(RecordState { entries, plies, to_move, head, closed });

impl FromCells for Entry {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        Ok(Entry {
            entry: cells.take()?,
            kind: cells.take::<Code<_>>()?.0,
            ply: cells.take()?,
            seat: cells.take()?,
            text: cells.take()?,
            made_at: cells.take::<EpochSeconds>()?.0,
            via: cells.take::<Code<_>>()?.0,
            hash: cells.take::<Hash<_>>()?.0,
        })
    }
}

/// The records of boards. Entries are only appended, never changed.
impl Transaction<'_> {
    /// Lists the entries of a board's record, in order.
    pub fn entries(&self, number: BoardNumber) -> Result<Vec<Entry>> {
        all(self.db(), ENTRIES, params![number])
    }

    /// Returns the state of a board's record, and its game.
    pub(crate) fn record_state(&self, number: BoardNumber) -> Result<Option<(RecordState, String)>> {
        one(self.db(), STATE, params![number])
    }

    /// Appends an entry after [`RecordState::check_append`](super::RecordState::check_append). `to_move` is the next
    /// seat to move; `None` if the game has ended. Call this before [`Transaction::end_board`].
    pub fn add_entry(&mut self, number: BoardNumber, new: &Entry, to_move: Option<Seat>) -> Result<()> {
        let db = self.writable_board()?;
        let nowhere = format!("there is no board {number}");
        let (state, game) = self.record_state(number)?.ok_or(StoreError::Failed(nowhere))?;
        state.check_append(new)?;
        let sql = "INSERT INTO entries (board, entry, kind, ply, seat, text, made_at, via, hash) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let Entry { entry, kind, ply, seat, text, made_at, via, hash } = new;
        let (kind_code, via, made_at) = (Code(*kind), Code(*via), EpochSeconds(*made_at));
        run_later(db, sql, params![number, entry, kind_code, ply, seat, text, made_at, via, Hash(hash)])?;
        self.note_action("entry", Some(number), "(SELECT entries FROM boards WHERE number = ?3)")?;
        let turn = "UPDATE boards SET to_move = ?2, \
             player_to_move = (SELECT player FROM seats WHERE board = ?1 AND seat = ?2) WHERE number = ?1";
        run_later(db, turn, params![number, to_move])?;
        if *kind == EntryKind::Move {
            self.count_turn(game);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;

    use super::*;
    use crate::store::sql::{Db, all};
    use crate::store::sqlite::SqliteStore;
    use crate::world::World;

    /// Maps the word for each value of a type to its code.
    fn words<T: Numbered + Serialize>() -> BTreeMap<String, i64> {
        let word = |value| serde_json::to_value(value).unwrap().as_str().unwrap().to_owned();
        T::CODES.iter().map(|(value, code)| (word(*value), *code)).collect()
    }

    #[test]
    fn the_codes_match_their_tables() {
        let store = SqliteStore::in_memory(World::REAL).unwrap();
        for (table, codes) in [("entry_kinds", words::<EntryKind>()), ("entry_channels", words::<Channel>())] {
            let rows = all(Db::Sqlite(&store.db), &format!("SELECT word, code FROM {table}"), &[]);
            assert_eq!(rows.unwrap().into_iter().collect::<BTreeMap<_, _>>(), codes);
        }
    }
}
