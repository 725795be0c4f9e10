//! Connections and transactions, which have the methods of all subjects.

use std::path::Path;

use super::error::{Failure, Result, StoreError};
use super::postgres::PostgresTransaction;
use super::sql::{Db, Known, Params, Row, all};
use super::sqlite::SqliteTransaction;
use crate::metrics;
use crate::numbers::BoardNumber;

/// The number of attempts after conflicts. The last one may be exclusive.
pub const ATTEMPTS: u32 = 4;

/// A connection to a database. Each thread opens its own with [`open`](super::open()).
pub trait Store: Send {
    /// Begins a read-only transaction on a snapshot.
    fn read(&mut self) -> Result<Transaction<'_>>;
    /// Reads without a transaction where each statement of one takes time: what two calls return may be of two moments.
    fn glance(&mut self) -> Result<Transaction<'_>> {
        self.read()
    }
    /// Begins an exclusive transaction. Waits for other writers up to a timeout of some seconds.
    fn write(&mut self) -> Result<Transaction<'_>>;
    /// Begins a shared transaction if [`Store::shares_writing`]. It can write the changes of a turn, letters with their
    /// leases and results, and the leases of computer players. If it fails with [`StoreError::NeedsExclusive`], or with
    /// [`StoreError::Busy`] or [`StoreError::Conflict`] because of a concurrent change, retry it, finally as an
    /// exclusive transaction ([`write_beside`]). Its snapshot is that of its first statement.
    fn write_shared(&mut self) -> Result<Transaction<'_>> {
        self.write()
    }
    /// Returns whether the store supports concurrent writers.
    fn shares_writing(&self) -> bool {
        false
    }
    /// Waits before retrying after a conflict. The time is random, so that the transactions do not conflict again.
    fn wait_after_conflict(&self) {}
    /// Erases deleted data (such as a message with a password) from the disk, and checkpoints the log. Cheap if there
    /// is nothing to do; skipped while another process reads.
    fn settle(&mut self) -> Result<()>;
    /// Returns the faults of the database file, as reported by the database; empty if it is sound. Neither waits for
    /// writers nor blocks them.
    fn faults(&mut self, check: FileCheck) -> Result<Vec<String>>;
    /// Describes settings of the database with which a crash may lose committed changes.
    fn risks(&mut self) -> Result<Vec<String>>;
    /// Writes a copy of a snapshot to a new file. Neither waits for writers nor blocks them.
    fn copy_to(&mut self, file: &Path) -> Result<()>;
}

/// Runs `work` in a shared transaction if the store supports it. Retries after conflicts, and finally uses an exclusive
/// transaction, as it does if `work` requires one. Changes are rolled back before each retry.
///
/// # Errors
/// Errors of the store or of `work`.
pub fn write_beside<T, E: Failure>(
    store: &mut dyn Store,
    mut work: impl FnMut(&mut Transaction<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    // An exclusive transaction waits for all others and blocks later ones.
    for _ in 1..ATTEMPTS {
        if !store.shares_writing() {
            break;
        }
        let done = committed(store.write_shared()?, &mut work);
        match done.as_ref().err().and_then(E::of_store) {
            Some(StoreError::NeedsExclusive) => break,
            Some(StoreError::Busy | StoreError::Conflict) => store.wait_after_conflict(),
            _ => return done,
        }
    }
    write_alone(store, work)
}

/// Runs `work` in an exclusive transaction. Retries after conflicts with programs outside the queue of writers, such as
/// an administrator's. Changes are rolled back before each retry.
///
/// # Errors
/// Errors of the store or of `work`.
pub fn write_alone<T, E: Failure>(
    store: &mut dyn Store,
    mut work: impl FnMut(&mut Transaction<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    for _ in 1..ATTEMPTS {
        let done = committed(store.write()?, &mut work);
        if !matches!(done.as_ref().err().and_then(E::of_store), Some(StoreError::Conflict)) {
            return done;
        }
        store.wait_after_conflict();
    }
    committed(store.write()?, &mut work)
}

fn committed<T, E: Failure>(
    mut tx: Transaction<'_>,
    work: &mut dyn FnMut(&mut Transaction<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let done = work(&mut tx)?;
    tx.commit()?;
    Ok(done)
}

/// The extent of a file check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileCheck {
    /// Reads every page.
    Quick,
    /// Also compares indexes with their tables, and checks references.
    Full,
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn read(&mut self) -> Result<Transaction<'_>> {
        (**self).read()
    }

    fn glance(&mut self) -> Result<Transaction<'_>> {
        (**self).glance()
    }

    fn write(&mut self) -> Result<Transaction<'_>> {
        (**self).write()
    }

    fn write_shared(&mut self) -> Result<Transaction<'_>> {
        (**self).write_shared()
    }

    fn shares_writing(&self) -> bool {
        (**self).shares_writing()
    }

    fn wait_after_conflict(&self) {
        (**self).wait_after_conflict();
    }

    fn settle(&mut self) -> Result<()> {
        (**self).settle()
    }

    fn faults(&mut self, check: FileCheck) -> Result<Vec<String>> {
        (**self).faults(check)
    }

    fn risks(&mut self) -> Result<Vec<String>> {
        (**self).risks()
    }

    fn copy_to(&mut self, file: &Path) -> Result<()> {
        (**self).copy_to(file)
    }
}

/// A transaction, with the methods of all subjects. Dropping it without [`Transaction::commit`] rolls it back.
pub struct Transaction<'a> {
    driver: Driver<'a>,
    known: Known,
    /// The games of new moves, counted in the metrics after the commit.
    turns: Vec<String>,
    /// The length of `turns` at the savepoint.
    turns_before: usize,
}

/// A transaction of one of the two databases.
pub(crate) enum Driver<'a> {
    Sqlite(SqliteTransaction<'a>),
    Postgres(PostgresTransaction<'a>),
}

impl<'a> Transaction<'a> {
    pub(crate) fn on(driver: Driver<'a>) -> Transaction<'a> {
        Transaction { driver, known: Known::default(), turns: Vec::new(), turns_before: 0 }
    }
}

impl Transaction<'_> {
    /// Commits all changes atomically and durably.
    pub fn commit(self) -> Result<()> {
        match self.driver {
            Driver::Sqlite(driver) => driver.commit()?,
            Driver::Postgres(driver) => driver.commit()?,
        }
        self.turns.iter().for_each(|game| metrics::count_turn(game));
        Ok(())
    }

    /// Fails with [`StoreError::NeedsExclusive`] in a shared transaction.
    pub fn needs_exclusive(&self) -> Result<()> {
        match &self.driver {
            Driver::Sqlite(_) => Ok(()),
            Driver::Postgres(driver) => driver.needs_exclusive(),
        }
    }

    /// Sets the only savepoint.
    pub fn set_savepoint(&mut self) -> Result<()> {
        self.writable_shared()?;
        self.turns_before = self.turns.len();
        match &mut self.driver {
            Driver::Sqlite(driver) => driver.set_savepoint(),
            Driver::Postgres(driver) => driver.set_savepoint(),
        }
    }

    /// Releases the savepoint and keeps the changes since.
    pub fn release_savepoint(&mut self) -> Result<()> {
        match &self.driver {
            Driver::Sqlite(driver) => driver.release_savepoint(),
            Driver::Postgres(driver) => driver.release_savepoint(),
        }
    }

    /// Rolls back to the savepoint and releases it.
    pub fn undo_to_savepoint(&mut self) -> Result<()> {
        self.known.forget();
        self.turns.truncate(self.turns_before);
        match &mut self.driver {
            Driver::Sqlite(driver) => driver.undo_to_savepoint(),
            Driver::Postgres(driver) => driver.undo_to_savepoint(),
        }
    }

    /// Returns the connection for reading.
    pub(crate) fn db(&self) -> Db<'_> {
        match &self.driver {
            Driver::Sqlite(driver) => Db::Sqlite(driver.connection()),
            Driver::Postgres(driver) => Db::Postgres(driver.connection()),
        }
    }

    /// Returns the cache of rows that the transaction has read and not written since.
    pub(crate) fn known(&self) -> &Known {
        &self.known
    }

    /// Returns the connection for writing in an exclusive transaction.
    pub(crate) fn writable(&self) -> Result<Db<'_>> {
        self.needs_exclusive()?;
        self.known.forget();
        self.writable_shared()
    }

    /// Returns the connection for writing rows of a board, after locking the board until the end of the transaction.
    pub(crate) fn writable_board(&self, number: BoardNumber) -> Result<Db<'_>> {
        let db = self.writable_shared()?;
        self.known.boards.forget();
        if let Driver::Postgres(driver) = &self.driver {
            driver.lock_board(number)?;
        }
        Ok(db)
    }

    /// Returns the connection for writing rows that concurrent transactions may write: messages, notices, letters,
    /// leases. Fails in a read-only transaction, which on SQLite would otherwise only fail if another process writes.
    pub(crate) fn writable_shared(&self) -> Result<Db<'_>> {
        let writes = match &self.driver {
            Driver::Sqlite(driver) => driver.writes(),
            Driver::Postgres(driver) => driver.writes(),
        };
        match writes {
            true => Ok(self.db()),
            false => Err(StoreError::Failed("a reading transaction was asked to write".to_owned())),
        }
    }

    /// Returns the end of a query that locks its rows until the end of the transaction.
    pub(crate) fn claim(&self) -> &'static str {
        match &self.driver {
            Driver::Sqlite(_) => "",
            Driver::Postgres(driver) => driver.claim(),
        }
    }

    /// Counts a move in this game once the transaction is committed.
    pub(crate) fn count_turn(&mut self, game: String) {
        self.turns.push(game);
    }

    /// Reads together, if each statement is a round trip, what these calls would read. They get errors; later calls that
    /// read the same find it.
    ///
    /// # Errors
    /// The store's.
    pub fn read_ahead(&self, asks: impl FnOnce(&Self)) -> Result<()> {
        if let Db::Postgres(db) = self.db() { db.read_ahead(|| asks(self)) } else { Ok(()) }
    }

    /// Reads rows that only exclusive transactions change.
    pub(crate) fn read_once<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        match &self.driver {
            Driver::Sqlite(_) => all(self.db(), sql, params, read),
            Driver::Postgres(driver) => driver.read_once(sql, params, read),
        }
    }
}
