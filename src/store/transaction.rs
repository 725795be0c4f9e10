//! Connections and transactions. The methods of a transaction are defined in the files of their subjects.

use std::path::Path;

use super::error::{Failure, Result, StoreError};
use super::postgres::PostgresTransaction;
use super::sql::{Db, FromCells, Known, Params, all};
use super::sqlite::SqliteTransaction;
use crate::metrics;

/// The maximum number of attempts at a transaction that conflicts with others.
const ATTEMPTS: u32 = 4;

/// A connection to a database. Each thread opens its own with [`open`](super::open()).
pub trait Store: Send {
    /// Begins a read-only transaction on a snapshot.
    fn read(&mut self) -> Result<Transaction<'_>>;
    /// Begins reading a few rows at the lowest cost. On PostgreSQL, two statements may see different states of the
    /// database; on SQLite, writers may have to wait.
    fn glance(&mut self) -> Result<Transaction<'_>> {
        self.read()
    }
    /// Begins a write transaction. There is at most one at a time in the whole database, so this waits some seconds for
    /// other writers. On PostgreSQL, the first statement waits.
    fn write(&mut self) -> Result<Transaction<'_>>;
    /// Begins a write transaction. A crash of the machine may undo its commit, but a crash of the program cannot.
    fn write_unsynced(&mut self) -> Result<Transaction<'_>> {
        self.write()
    }
    /// Waits for a random time before a retry after a conflict, so that the transactions do not conflict again.
    fn wait_after_conflict(&self) {}
    /// Erases deleted data (such as a message with a password) from the disk, and checkpoints the log. Cheap if there
    /// is nothing to do; skipped while another process reads.
    fn checkpoint(&mut self) -> Result<()>;
    /// Returns the damage that the database finds in its file; empty if the file is intact. Neither waits for writers
    /// nor blocks them.
    fn integrity_faults(&mut self, check: FileCheck) -> Result<Vec<String>>;
    /// Describes settings of the database with which a crash may lose committed changes.
    fn unsafe_settings(&mut self) -> Result<Vec<String>>;
    /// Writes a copy of a snapshot to a new file. Neither waits for writers nor blocks them.
    fn copy_to(&mut self, file: &Path) -> Result<()>;
}

/// Runs `work` in a write transaction. Retries after conflicts with programs outside the queue of writers, for example
/// an administrator's program. Changes are rolled back before each retry.
///
/// # Errors
/// Errors of the store or of `work`.
pub fn write_with_retries<T, E: Failure>(
    store: &mut dyn Store,
    mut work: impl FnMut(&mut Transaction<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    retried(store, |store| store.write(), &mut work)
}

/// Runs `work` as [`write_with_retries`] does, but does not wait for the disk: a crash of the machine may undo the
/// commit.
///
/// # Errors
/// Errors of the store or of `work`.
pub fn write_unsynced<T, E: Failure>(
    store: &mut dyn Store,
    mut work: impl FnMut(&mut Transaction<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    retried(store, |store| store.write_unsynced(), &mut work)
}

fn retried<T, E: Failure>(
    store: &mut dyn Store,
    begin: fn(&mut dyn Store) -> Result<Transaction<'_>>,
    work: &mut dyn FnMut(&mut Transaction<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    for _ in 1..ATTEMPTS {
        let done = committed(begin(store)?, work);
        if !matches!(done.as_ref().err().and_then(E::of_store), Some(StoreError::Conflict)) {
            return done;
        }
        store.wait_after_conflict();
    }
    committed(begin(store)?, work)
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

/// A transaction, with the methods of all subjects. Dropping it without [`Transaction::commit`] rolls it back.
pub struct Transaction<'a> {
    driver: Driver<'a>,
    known: Known,
    /// The inbox number of the message that is being processed.
    pub(crate) mail: Option<i64>,
    /// The games of new moves, counted in the metrics after the commit.
    turns: Vec<String>,
    /// The length of `turns` when the savepoint was set.
    turns_before: usize,
}

/// A transaction of one of the two databases.
pub(crate) enum Driver<'a> {
    Sqlite(SqliteTransaction<'a>),
    Postgres(PostgresTransaction<'a>),
}

impl<'a> Transaction<'a> {
    pub(crate) fn on(driver: Driver<'a>) -> Transaction<'a> {
        Transaction { driver, known: Known::default(), mail: None, turns: Vec::new(), turns_before: 0 }
    }
}

impl Transaction<'_> {
    /// Commits all changes atomically, and durably except after [`Store::write_unsynced`].
    pub fn commit(self) -> Result<()> {
        match self.driver {
            Driver::Sqlite(driver) => driver.commit()?,
            Driver::Postgres(driver) => driver.commit()?,
        }
        self.turns.iter().for_each(|game| metrics::count_turn(game));
        Ok(())
    }

    /// Sets the savepoint. A transaction has at most one.
    pub fn set_savepoint(&mut self) -> Result<()> {
        self.writable_queue()?;
        self.turns_before = self.turns.len();
        match &mut self.driver {
            Driver::Sqlite(driver) => driver.set_savepoint(),
            Driver::Postgres(driver) => driver.set_savepoint(),
        }
    }

    /// Removes the savepoint and keeps the changes made after it.
    pub fn release_savepoint(&mut self) -> Result<()> {
        match &self.driver {
            Driver::Sqlite(driver) => driver.release_savepoint(),
            Driver::Postgres(driver) => driver.release_savepoint(),
        }
    }

    /// Rolls back to the savepoint and removes it.
    pub fn undo_to_savepoint(&mut self) -> Result<()> {
        self.known.forget();
        self.mail = None;
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

    /// Returns the cache of rows that the transaction has read and has not changed since.
    pub(crate) fn known(&self) -> &Known {
        &self.known
    }

    /// Returns the connection for writing any row. Forgets all cached rows, so that they are read again.
    pub(crate) fn writable(&self) -> Result<Db<'_>> {
        self.known.forget();
        if let Db::Postgres(db) = self.db() {
            db.forget_lasting_rows();
        }
        self.writable_queue()
    }

    /// Returns the connection for writing rows of boards. Forgets the cached boards.
    pub(crate) fn writable_board(&self) -> Result<Db<'_>> {
        self.known.boards.forget();
        self.writable_queue()
    }

    /// Returns the connection for writing rows that are never cached: messages, notices, letters, leases. Fails in a
    /// read-only transaction. SQLite itself would fail only if another process wrote.
    pub(crate) fn writable_queue(&self) -> Result<Db<'_>> {
        let writes = match &self.driver {
            Driver::Sqlite(driver) => driver.writes(),
            Driver::Postgres(driver) => driver.writes(),
        };
        match writes {
            true => Ok(self.db()),
            false => Err(StoreError::Failed("a read-only transaction cannot write".to_owned())),
        }
    }

    /// Adds a move in this game to the metrics when the transaction is committed.
    pub(crate) fn count_turn(&mut self, game: String) {
        self.turns.push(game);
    }

    /// On PostgreSQL, calls `asks`, and reads the rows of all its queries in one round trip. The queries themselves
    /// return errors in `asks`; the next query with the same statement returns the cached rows. On SQLite, does
    /// nothing.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn read_ahead(&self, asks: impl FnOnce(&Self)) -> Result<()> {
        if let Db::Postgres(db) = self.db() { db.read_ahead(|| asks(self)) } else { Ok(()) }
    }

    /// Reads rows that change rarely. PostgreSQL is queried once, and the rows stay in the cache until
    /// [`Transaction::writable`] is called, without which they cannot change.
    pub(crate) fn read_once<T: FromCells>(&self, sql: &str, params: Params<'_>) -> Result<Vec<T>> {
        match &self.driver {
            Driver::Sqlite(_) => all(self.db(), sql, params),
            Driver::Postgres(driver) => driver.read_once(sql, params),
        }
    }
}
