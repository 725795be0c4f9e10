//! A transaction on PostgreSQL.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::connection;
use super::known_rows::KnownRows;
use crate::metrics;
use crate::numbers::BoardNumber;
use crate::store::sql::{Db, Known, Params, Row, Session, all, games, one, params};
use crate::store::{Result, StoreError, Transaction};

/// The snapshot is that of the first statement, which is to be now.
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT one FROM server";
/// The lock is taken before the snapshot, which therefore holds what every writer before has committed. A writer from which
/// nothing is heard, because its machine is gone, makes the others wait no longer than that.
const EXCLUSIVE: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '20s'; \
     LOCK TABLE writer IN EXCLUSIVE MODE; SET CONSTRAINTS ALL IMMEDIATE; SELECT refuse_when_moved()";
const SHARED: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '20s'; \
     LOCK TABLE writer IN ROW EXCLUSIVE MODE; SELECT refuse_when_moved()";
/// Fails at once when another transaction has written the board's row since the snapshot, or is about to. References to the
/// board can still be added.
const LOCK_BOARD: &str = "SELECT 1 FROM boards WHERE number = $1 FOR NO KEY UPDATE NOWAIT";
/// Claims rows of the outbox, named `o`, until the transaction ends. One that has changed since the snapshot makes it fail.
const CLAIM: &str = " FOR NO KEY UPDATE OF o SKIP LOCKED";

/// What a transaction may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// Write beside others what a turn writes.
    Shared,
    /// Write alone.
    Exclusive,
}

/// A transaction, rolled back when dropped.
pub(super) struct PostgresTransaction<'a> {
    db: &'a connection::Db,
    access: Access,
    ended: bool,
    done: RefCell<Done>,
    /// What was done before the savepoint.
    before: Done,
    known: Known,
    rows: KnownRows,
}

/// What a transaction has done to boards.
#[derive(Clone, Debug, Default)]
struct Done {
    /// Those on which a move was played, to be counted when it is committed.
    turns: Vec<BoardNumber>,
    /// Those that it has locked, because it does not write alone.
    locked: BTreeSet<BoardNumber>,
}

/// Begins a transaction. When that fails, there is none.
pub(super) fn begin(db: &connection::Db, access: Access) -> Result<()> {
    db.forget_failure();
    let sql = match access {
        Access::Read => READ,
        Access::Shared => SHARED,
        Access::Exclusive => EXCLUSIVE,
    };
    db.batch(sql).inspect_err(|_| {
        // The lock may not be had after the transaction has begun. A connection that is broken has rolled back, too.
        let _ = db.batch("ROLLBACK");
    })
}

impl<'a> PostgresTransaction<'a> {
    /// The transaction that was begun on this connection.
    pub(super) fn begun(db: &'a connection::Db, access: Access) -> Self {
        PostgresTransaction {
            db,
            access,
            ended: false,
            done: RefCell::default(),
            before: Done::default(),
            known: Known::default(),
            rows: KnownRows::default(),
        }
    }

    /// The connection, of a transaction that may write.
    fn writer(&self) -> Result<&'a connection::Db> {
        match self.access {
            Access::Read => Err(StoreError::Failed("a reading transaction was asked to write".to_owned())),
            Access::Shared | Access::Exclusive => Ok(self.db),
        }
    }
}

impl Session for PostgresTransaction<'_> {
    fn db(&self) -> Db<'_> {
        Db::Postgres(self.db)
    }

    fn known(&self) -> &Known {
        &self.known
    }

    fn writable(&self) -> Result<Db<'_>> {
        self.needs_exclusive()?;
        self.known.forget();
        self.writable_shared()
    }

    fn writable_board(&self, number: BoardNumber) -> Result<Db<'_>> {
        let db = self.writable_shared()?;
        self.known.boards.forget();
        if self.access == Access::Shared && !self.done.borrow().locked.contains(&number) {
            one(db, LOCK_BOARD, params![number], |_| Ok(()))?;
            self.done.borrow_mut().locked.insert(number);
        }
        Ok(db)
    }

    fn writable_shared(&self) -> Result<Db<'_>> {
        self.writer().map(Db::Postgres)
    }

    fn claim(&self) -> &'static str {
        match self.access {
            Access::Shared => CLAIM,
            // No other transaction writes, or this one does not.
            Access::Exclusive | Access::Read => "",
        }
    }

    fn count_turn(&mut self, board: BoardNumber) {
        self.done.get_mut().turns.push(board);
    }

    fn read_once<T>(&self, sql: &str, params: Params<'_>, read: impl FnMut(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
        match self.access {
            Access::Read | Access::Shared => {
                let values = params.iter().map(|param| param.value()).collect::<Result<Vec<_>>>()?;
                self.rows.all(self.db, sql, &values, read)
            }
            Access::Exclusive => all(self.db(), sql, params, read),
        }
    }
}

impl Drop for PostgresTransaction<'_> {
    fn drop(&mut self) {
        if !self.ended {
            // A connection that is broken has rolled back, too.
            let _ = self.db.batch("ROLLBACK");
        }
    }
}

impl Transaction for PostgresTransaction<'_> {
    fn commit(mut self: Box<Self>) -> Result<()> {
        // PostgreSQL would take it for a rollback, and tell no error.
        if self.db.has_failed() {
            return Err(StoreError::Failed("a transaction in which a statement failed cannot be committed".to_owned()));
        }
        let games = games(self.db(), &self.done.borrow().turns)?;
        self.ended = true;
        self.db.batch("COMMIT").map_err(|error| match error {
            StoreError::Unreachable(why) => StoreError::CommitUnknown(why),
            other => other,
        })?;
        games.iter().for_each(|game| metrics::count_turn(game));
        Ok(())
    }

    fn needs_exclusive(&self) -> Result<()> {
        match self.access {
            Access::Shared => Err(StoreError::NeedsExclusive),
            Access::Read | Access::Exclusive => Ok(()),
        }
    }

    fn set_savepoint(&mut self) -> Result<()> {
        self.writer()?.batch("SAVEPOINT part")?;
        self.before = self.done.borrow().clone();
        Ok(())
    }

    fn release_savepoint(&mut self) -> Result<()> {
        self.writer()?.batch("RELEASE part")
    }

    fn undo_to_savepoint(&mut self) -> Result<()> {
        let db = self.writer()?;
        self.known.forget();
        db.batch("ROLLBACK TO part; RELEASE part")?;
        db.forget_failure();
        self.done = RefCell::new(std::mem::take(&mut self.before));
        Ok(())
    }
}
