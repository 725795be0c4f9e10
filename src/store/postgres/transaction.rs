//! A transaction on PostgreSQL.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::connection;
use super::known_rows::KnownRows;
use crate::numbers::BoardNumber;
use crate::store::sql::{Db, Params, Row, all, one, params};
use crate::store::{Result, StoreError};

/// The first statement takes the snapshot immediately.
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT one FROM server";
/// The lock precedes the snapshot, which therefore contains the commits of all earlier writers. The timeout limits how
/// long a lost writer can block others.
const EXCLUSIVE: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '20s'; \
     LOCK TABLE writer IN EXCLUSIVE MODE; SET CONSTRAINTS ALL IMMEDIATE; SELECT refuse_when_moved()";
const SHARED: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '20s'; \
     LOCK TABLE writer IN ROW EXCLUSIVE MODE; SELECT refuse_when_moved()";
/// Fails immediately if another transaction has written the board's row since the snapshot, or is writing it.
/// References to the board can still be added.
const LOCK_BOARD: &str = "SELECT 1 FROM boards WHERE number = $1 FOR NO KEY UPDATE NOWAIT";
/// Locks rows of the outbox, named `o`, until the transaction ends. Fails if a row has changed since the snapshot.
const CLAIM: &str = " FOR NO KEY UPDATE OF o SKIP LOCKED";

/// The access of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// Shared writing: the changes of a turn.
    Shared,
    /// Exclusive writing.
    Exclusive,
}

/// A transaction, which is rolled back when dropped.
pub(in crate::store) struct PostgresTransaction<'a> {
    db: &'a connection::Db,
    access: Access,
    ended: bool,
    /// The boards that a shared transaction has locked.
    locked: RefCell<BTreeSet<BoardNumber>>,
    /// The locked boards at the savepoint.
    locked_before: BTreeSet<BoardNumber>,
    rows: KnownRows,
}

/// Begins a transaction. After an error, no transaction is open.
pub(super) fn begin(db: &connection::Db, access: Access) -> Result<()> {
    db.forget_failure();
    let sql = match access {
        Access::Read => READ,
        Access::Shared => SHARED,
        Access::Exclusive => EXCLUSIVE,
    };
    db.batch(sql).inspect_err(|_| {
        // The lock may fail after the transaction has begun. A broken connection has already rolled back.
        let _ = db.batch("ROLLBACK");
    })
}

impl<'a> PostgresTransaction<'a> {
    /// Returns the open transaction of this connection.
    pub(super) fn begun(db: &'a connection::Db, access: Access) -> Self {
        PostgresTransaction {
            db,
            access,
            ended: false,
            locked: RefCell::default(),
            locked_before: BTreeSet::new(),
            rows: KnownRows::default(),
        }
    }

    pub(in crate::store) fn connection(&self) -> &'a connection::Db {
        self.db
    }

    pub(in crate::store) fn writes(&self) -> bool {
        self.access != Access::Read
    }

    pub(in crate::store) fn needs_exclusive(&self) -> Result<()> {
        match self.access {
            Access::Shared => Err(StoreError::NeedsExclusive),
            Access::Read | Access::Exclusive => Ok(()),
        }
    }

    /// Locks a board's row if the transaction is shared and has not locked it yet.
    pub(in crate::store) fn lock_board(&self, number: BoardNumber) -> Result<()> {
        if self.access == Access::Shared && !self.locked.borrow().contains(&number) {
            one(Db::Postgres(self.db), LOCK_BOARD, params![number], |_| Ok(()))?;
            self.locked.borrow_mut().insert(number);
        }
        Ok(())
    }

    pub(in crate::store) fn claim(&self) -> &'static str {
        match self.access {
            Access::Shared => CLAIM,
            // An exclusive transaction is the only writer, and a reader does not write.
            Access::Exclusive | Access::Read => "",
        }
    }

    pub(in crate::store) fn read_once<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        match self.access {
            Access::Read | Access::Shared => {
                let values = params.iter().map(|param| param.value()).collect::<Result<Vec<_>>>()?;
                self.rows.all(self.db, sql, &values, read)
            }
            Access::Exclusive => all(Db::Postgres(self.db), sql, params, read),
        }
    }

    pub(in crate::store) fn commit(mut self) -> Result<()> {
        // PostgreSQL would roll back without reporting an error.
        if self.db.has_failed() {
            return Err(StoreError::Failed("a transaction in which a statement failed cannot be committed".to_owned()));
        }
        self.ended = true;
        self.db.batch("COMMIT").map_err(|error| match error {
            StoreError::Unreachable(why) => StoreError::CommitUnknown(why),
            other => other,
        })
    }

    pub(in crate::store) fn set_savepoint(&mut self) -> Result<()> {
        self.db.batch("SAVEPOINT part")?;
        self.locked_before = self.locked.borrow().clone();
        Ok(())
    }

    pub(in crate::store) fn release_savepoint(&self) -> Result<()> {
        self.db.batch("RELEASE part")
    }

    pub(in crate::store) fn undo_to_savepoint(&mut self) -> Result<()> {
        self.db.batch("ROLLBACK TO part; RELEASE part")?;
        self.db.forget_failure();
        self.locked = RefCell::new(std::mem::take(&mut self.locked_before));
        Ok(())
    }
}

impl Drop for PostgresTransaction<'_> {
    fn drop(&mut self) {
        if !self.ended {
            // A broken connection has already rolled back.
            let _ = self.db.batch("ROLLBACK");
        }
    }
}
