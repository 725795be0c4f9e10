//! What a transaction of either database offers to the statements of a subject.

use super::db::{Db, Row};
use super::known::Known;
use super::query::all;
use super::value::Params;
use crate::numbers::BoardNumber;
use crate::store::Result;

/// A transaction in progress.
pub(in crate::store) trait Session {
    /// The connection to read from.
    fn db(&self) -> Db<'_>;

    /// Values that the transaction has read, and has not written since.
    fn known(&self) -> &Known;

    /// The connection to write to, of an exclusive transaction.
    fn writable(&self) -> Result<Db<'_>>;

    /// The connection to write to rows of a board, which no other transaction changes until this one ends.
    fn writable_board(&self, number: BoardNumber) -> Result<Db<'_>>;

    /// The connection to write to rows that concurrent transactions may write: mail, notices, letters, leases.
    fn writable_shared(&self) -> Result<Db<'_>>;

    /// The end of a query whose rows no other transaction may change until this one ends.
    fn claim(&self) -> &'static str;

    /// Counts a move on this board once the transaction is committed.
    fn count_turn(&mut self, board: BoardNumber);

    /// Reads rows that only exclusive transactions change.
    fn read_once<T>(&self, sql: &str, params: Params<'_>, read: impl FnMut(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
        all(self.db(), sql, params, read)
    }
}
