//! A transaction on PostgreSQL.

use super::connection;
use crate::store::sql::{Cells, FromCells, Params, Row, with_dollars};
use crate::store::{Result, StoreError};

/// The `SELECT` makes PostgreSQL take the snapshot immediately.
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT one FROM server";
/// The lock precedes the snapshot, so the snapshot contains the commits of all earlier writers. The timeout limits how
/// long a writer whose machine hangs can block others.
const WRITE: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '20s'; \
     LOCK TABLE writer IN EXCLUSIVE MODE; SELECT refuse_when_moved()";
const SAVEPOINT: &str = "SAVEPOINT part";

/// The access of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// Read without a transaction.
    Glance,
    Write,
}

/// A transaction. It is rolled back when dropped.
pub(crate) struct PostgresTransaction<'a> {
    db: &'a connection::Db,
    access: Access,
    ended: bool,
}

/// Begins a transaction. After an error, no transaction is open. A write transaction begins together with its first
/// statement.
pub(crate) fn begin(db: &connection::Db, access: Access) -> Result<()> {
    db.clear();
    match access {
        Access::Read => db.batch(READ),
        Access::Glance => Ok(()),
        Access::Write => {
            db.batch_later(WRITE);
            Ok(())
        }
    }
}

impl<'a> PostgresTransaction<'a> {
    /// Returns the open transaction of this connection.
    pub(crate) fn begun(db: &'a connection::Db, access: Access) -> Self {
        PostgresTransaction { db, access, ended: false }
    }

    pub(crate) fn connection(&self) -> &'a connection::Db {
        self.db
    }

    pub(crate) fn writes(&self) -> bool {
        self.access == Access::Write
    }

    pub(crate) fn read_once<T: FromCells>(&self, sql: &str, params: Params<'_>) -> Result<Vec<T>> {
        let values = params.iter().map(|param| param.value()).collect::<Result<Vec<_>>>()?;
        let rows = self.db.query(&with_dollars(sql), &values, true)?;
        rows.iter().map(|row| Cells::of(&Row::Postgres(row)).take()).collect()
    }

    pub(crate) fn commit(mut self) -> Result<()> {
        // After a failed statement, PostgreSQL would roll back at COMMIT without reporting an error.
        if self.db.has_failed() {
            return Err(StoreError::Failed("a transaction in which a statement failed cannot be committed".to_owned()));
        }
        if self.db.has_only_queued(WRITE) {
            // Not even the BEGIN of the transaction was sent, so a commit is not necessary.
            self.ended = true;
            return Ok(());
        }
        let committed = self.db.commit();
        self.ended = !matches!(committed, Err(StoreError::Failed(_)));
        committed.map_err(|error| match error {
            StoreError::Unreachable(why) => StoreError::CommitUnknown(why),
            other => other,
        })
    }

    pub(crate) fn set_savepoint(&self) -> Result<()> {
        self.db.batch_later(SAVEPOINT);
        Ok(())
    }

    pub(crate) fn release_savepoint(&self) -> Result<()> {
        self.db.batch_later("RELEASE part");
        Ok(())
    }

    pub(crate) fn undo_to_savepoint(&self) -> Result<()> {
        if !self.db.forget_queued(SAVEPOINT) {
            self.db.batch("ROLLBACK TO part; RELEASE part")?;
            self.db.forget_failure();
        }
        self.db.forget_lasting_rows();
        Ok(())
    }
}

impl Drop for PostgresTransaction<'_> {
    fn drop(&mut self) {
        if !self.ended && self.access != Access::Glance && !self.db.forget_queued(WRITE) {
            // If the connection is broken, the server has already rolled back.
            let _ = self.db.batch("ROLLBACK");
        }
        self.db.clear();
    }
}
