//! A transaction on PostgreSQL.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::connection;
use crate::numbers::BoardNumber;
use crate::store::sql::{Db, Params, Row, all, params, run_some_later, with_dollars};
use crate::store::{Result, StoreError};

/// The first statement takes the snapshot immediately.
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT one FROM server";
/// The lock precedes the snapshot, which therefore contains the commits of all earlier writers. The timeout limits how
/// long a lost writer can block others.
const EXCLUSIVE: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '20s'; \
     LOCK TABLE writer IN EXCLUSIVE MODE; SET CONSTRAINTS ALL IMMEDIATE; SELECT refuse_when_moved()";
const SHARED: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '20s'; \
     LOCK TABLE writer IN ROW EXCLUSIVE MODE; SELECT refuse_when_moved()";
const SAVEPOINT: &str = "SAVEPOINT part";
/// Fails immediately if another transaction has written the board's row since the snapshot, or is writing it.
/// References to the board can still be added.
const LOCK_BOARD: &str = "SELECT 1 FROM boards WHERE number = $1 FOR NO KEY UPDATE NOWAIT";
/// Locks rows of the outbox, named `o`, until the transaction ends. Fails if a row has changed since the snapshot.
const CLAIM: &str = " FOR NO KEY UPDATE OF o SKIP LOCKED";

/// The access of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// Read without a transaction.
    Glance,
    /// Shared writing: the changes of a turn.
    Shared,
    /// Exclusive writing.
    Exclusive,
}

/// A transaction, which is rolled back when dropped.
pub(crate) struct PostgresTransaction<'a> {
    db: &'a connection::Db,
    access: Access,
    ended: bool,
    /// The boards that a shared transaction has locked.
    locked: RefCell<BTreeSet<BoardNumber>>,
    /// The locked boards at the savepoint.
    locked_before: BTreeSet<BoardNumber>,
}

/// Begins a transaction. After an error, no transaction is open. A shared one begins with its first statement.
pub(crate) fn begin(db: &connection::Db, access: Access) -> Result<()> {
    db.clear();
    let sql = match access {
        Access::Read => READ,
        Access::Glance => return Ok(()),
        Access::Shared => {
            db.batch_later(SHARED);
            return Ok(());
        }
        Access::Exclusive => EXCLUSIVE,
    };
    db.batch(sql).inspect_err(|_| {
        // The lock may fail after the transaction has begun. A broken connection has already rolled back.
        let _ = db.batch("ROLLBACK");
    })
}

impl<'a> PostgresTransaction<'a> {
    /// Returns the open transaction of this connection.
    pub(crate) fn begun(db: &'a connection::Db, access: Access) -> Self {
        PostgresTransaction { db, access, ended: false, locked: RefCell::default(), locked_before: BTreeSet::new() }
    }

    pub(crate) fn connection(&self) -> &'a connection::Db {
        self.db
    }

    pub(crate) fn writes(&self) -> bool {
        matches!(self.access, Access::Shared | Access::Exclusive)
    }

    pub(crate) fn needs_exclusive(&self) -> Result<()> {
        match self.access {
            Access::Shared => Err(StoreError::NeedsExclusive),
            Access::Read | Access::Glance | Access::Exclusive => Ok(()),
        }
    }

    /// Locks a board's row if the transaction is shared and has not locked it yet.
    pub(crate) fn lock_board(&self, number: BoardNumber) -> Result<()> {
        if self.access == Access::Shared && !self.locked.borrow().contains(&number) {
            run_some_later(Db::Postgres(self.db), LOCK_BOARD, params![number], &format!("there is no board {number}"))?;
            self.locked.borrow_mut().insert(number);
        }
        Ok(())
    }

    pub(crate) fn claim(&self) -> &'static str {
        match self.access {
            Access::Shared => CLAIM,
            // An exclusive transaction is the only writer, and a reader does not write.
            Access::Exclusive | Access::Read | Access::Glance => "",
        }
    }

    pub(crate) fn read_once<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        match self.access {
            Access::Read | Access::Glance | Access::Shared => {
                let values = params.iter().map(|param| param.value()).collect::<Result<Vec<_>>>()?;
                let rows = self.db.query(&with_dollars(sql), &values, true)?;
                rows.iter().map(|row| read(&Row::Postgres(row))).collect()
            }
            Access::Exclusive => all(Db::Postgres(self.db), sql, params, read),
        }
    }

    pub(crate) fn commit(mut self) -> Result<()> {
        // PostgreSQL would roll back without reporting an error.
        if self.db.has_failed() {
            return Err(StoreError::Failed("a transaction in which a statement failed cannot be committed".to_owned()));
        }
        if self.db.has_only_queued(SHARED) {
            // It has done nothing.
            self.ended = true;
            return Ok(());
        }
        if self.db.has_queued_checks() {
            self.db.flush()?;
        }
        self.ended = true;
        self.db.batch("COMMIT").map_err(|error| match error {
            StoreError::Unreachable(why) => StoreError::CommitUnknown(why),
            other => other,
        })
    }

    pub(crate) fn set_savepoint(&mut self) -> Result<()> {
        self.db.batch_later(SAVEPOINT);
        self.locked_before = self.locked.borrow().clone();
        Ok(())
    }

    pub(crate) fn release_savepoint(&self) -> Result<()> {
        self.db.batch_later("RELEASE part");
        Ok(())
    }

    pub(crate) fn undo_to_savepoint(&mut self) -> Result<()> {
        if !self.db.forget_queued(SAVEPOINT) {
            self.db.batch("ROLLBACK TO part; RELEASE part")?;
            self.db.forget_failure();
        }
        self.db.forget_rows();
        self.locked = RefCell::new(std::mem::take(&mut self.locked_before));
        Ok(())
    }
}

impl Drop for PostgresTransaction<'_> {
    fn drop(&mut self) {
        if !self.ended && self.access != Access::Glance && !self.db.forget_queued(SHARED) {
            // A broken connection has already rolled back.
            let _ = self.db.batch("ROLLBACK");
        }
        self.db.clear();
    }
}
