//! Connections and transactions: all subjects of the store together.

use std::path::Path;

use super::error::{Failure, Result, StoreError};
use super::postgres::PostgresTransaction;
use super::sql::{Db, Known, Params, Row, all, one, params};
use super::sqlite::SqliteTransaction;
use crate::metrics;
use crate::numbers::BoardNumber;

const GAME: &str = "SELECT game FROM boards WHERE number = ?1";

/// How often something that conflicts is tried in one way, the last time in another way if there is one.
pub const ATTEMPTS: u32 = 4;

/// A connection to a database. A thread has its own: [`open`](super::open()) is called once for each.
pub trait Store: Send {
    /// Begins a transaction that sees one snapshot and changes nothing.
    fn read(&mut self) -> Result<Transaction<'_>>;
    /// Begins a transaction that writes alone. It waits for other writers up to a timeout of some seconds.
    fn write(&mut self) -> Result<Transaction<'_>>;
    /// Begins a transaction that writes beside others of its kind, if [`Store::shares_writing`]: what a turn writes, which
    /// letters are made, leased and sent, the lease of whoever chooses a move, and nothing else. Where it fails with
    /// [`StoreError::NeedsExclusive`], or with [`StoreError::Busy`] or [`StoreError::Conflict`] because another writes at the
    /// same place, the same is to be done again, in the end alone ([`write_beside`]).
    fn write_shared(&mut self) -> Result<Transaction<'_>> {
        self.write()
    }
    /// Whether transactions can write beside each other; otherwise there is one writer at a time.
    fn shares_writing(&self) -> bool {
        false
    }
    /// Waits before what met with another transaction is done again: for a time that differs, so that those that met
    /// do not meet again.
    fn wait_after_conflict(&self) {}
    /// Erases for good what was deleted (a mail that held a password, say), and moves what was committed to where it
    /// stays. Cheap when there is nothing to do; skipped while another process reads.
    fn settle(&mut self) -> Result<()>;
    /// What is wrong with the database as a file, in the words of the database; nothing when it is sound. It waits for no
    /// writer and makes none wait.
    fn faults(&mut self, check: FileCheck) -> Result<Vec<String>>;
    /// The settings of the database by which a crash may lose what was committed, in words.
    fn risks(&mut self) -> Result<Vec<String>>;
    /// Writes a copy of the database, as it is at one moment, to a new file. It waits for no writer and makes none wait.
    fn copy_to(&mut self, file: &Path) -> Result<()>;
}

/// Writes beside others, where the store lets it; some times again where another writes at the same place, and alone where
/// that does not help or it has to be alone. What `work` did is undone before it is called again.
///
/// # Errors
/// The store's, or those of `work`.
pub fn write_beside<T, E: Failure>(
    store: &mut dyn Store,
    mut work: impl FnMut(&mut Transaction<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    // Whoever writes alone waits until all others are done, and makes those wait that come after them.
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

/// Writes alone; some times again where that fails because of another program, an administrator's say, which takes no turns
/// with ours. What `work` did is undone before it is called again.
///
/// # Errors
/// The store's, or those of `work`.
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

/// How thoroughly a file is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileCheck {
    /// Every page is read.
    Quick,
    /// Indexes are compared with their tables as well, and references with the rows that they mean.
    Full,
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn read(&mut self) -> Result<Transaction<'_>> {
        (**self).read()
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

/// A transaction. The methods of each subject are defined in its file. Dropped without [`Transaction::commit`], it changes
/// nothing.
pub struct Transaction<'a> {
    driver: Driver<'a>,
    known: Known,
    /// The boards on which a move was played, counted in the metrics after the commit.
    turns: Vec<BoardNumber>,
    /// The length of `turns` at the savepoint.
    turns_before: usize,
}

/// A transaction of one of the two databases.
pub(super) enum Driver<'a> {
    Sqlite(SqliteTransaction<'a>),
    Postgres(PostgresTransaction<'a>),
}

impl<'a> Transaction<'a> {
    pub(super) fn on(driver: Driver<'a>) -> Transaction<'a> {
        Transaction { driver, known: Known::default(), turns: Vec::new(), turns_before: 0 }
    }
}

impl Transaction<'_> {
    /// Makes all its changes durable together.
    pub fn commit(self) -> Result<()> {
        let game = |board| one(self.db(), GAME, params![board], |row| row.get::<String>(0)).transpose();
        let games = self.turns.iter().filter_map(game).collect::<Result<Vec<_>>>()?;
        match self.driver {
            Driver::Sqlite(driver) => driver.commit()?,
            Driver::Postgres(driver) => driver.commit()?,
        }
        games.iter().for_each(|game| metrics::count_turn(game));
        Ok(())
    }

    /// Fails with [`StoreError::NeedsExclusive`] if it writes concurrently.
    pub fn needs_exclusive(&self) -> Result<()> {
        match &self.driver {
            Driver::Sqlite(_) => Ok(()),
            Driver::Postgres(driver) => driver.needs_exclusive(),
        }
    }

    /// Sets the only savepoint, to which later changes can be undone.
    pub fn set_savepoint(&mut self) -> Result<()> {
        self.writable_shared()?;
        self.turns_before = self.turns.len();
        match &mut self.driver {
            Driver::Sqlite(driver) => driver.set_savepoint(),
            Driver::Postgres(driver) => driver.set_savepoint(),
        }
    }

    /// Removes the savepoint and keeps the changes since.
    pub fn release_savepoint(&mut self) -> Result<()> {
        match &self.driver {
            Driver::Sqlite(driver) => driver.release_savepoint(),
            Driver::Postgres(driver) => driver.release_savepoint(),
        }
    }

    /// Removes the savepoint and undoes the changes since.
    pub fn undo_to_savepoint(&mut self) -> Result<()> {
        self.known.forget();
        self.turns.truncate(self.turns_before);
        match &mut self.driver {
            Driver::Sqlite(driver) => driver.undo_to_savepoint(),
            Driver::Postgres(driver) => driver.undo_to_savepoint(),
        }
    }

    /// The connection to read from.
    pub(super) fn db(&self) -> Db<'_> {
        match &self.driver {
            Driver::Sqlite(driver) => Db::Sqlite(driver.connection()),
            Driver::Postgres(driver) => Db::Postgres(driver.connection()),
        }
    }

    /// Values that the transaction has read, and has not written since.
    pub(super) fn known(&self) -> &Known {
        &self.known
    }

    /// The connection to write to, of an exclusive transaction.
    pub(super) fn writable(&self) -> Result<Db<'_>> {
        self.needs_exclusive()?;
        self.known.forget();
        self.writable_shared()
    }

    /// The connection to write to rows of a board, which no other transaction changes until this one ends.
    pub(super) fn writable_board(&self, number: BoardNumber) -> Result<Db<'_>> {
        let db = self.writable_shared()?;
        self.known.boards.forget();
        if let Driver::Postgres(driver) = &self.driver {
            driver.lock_board(number)?;
        }
        Ok(db)
    }

    /// The connection to write to rows that concurrent transactions may write: mail, notices, letters, leases. A reading
    /// transaction is refused here: on SQLite it would fail later, whenever another process writes.
    pub(super) fn writable_shared(&self) -> Result<Db<'_>> {
        let writes = match &self.driver {
            Driver::Sqlite(driver) => driver.writes(),
            Driver::Postgres(driver) => driver.writes(),
        };
        match writes {
            true => Ok(self.db()),
            false => Err(StoreError::Failed("a reading transaction was asked to write".to_owned())),
        }
    }

    /// The end of a query whose rows no other transaction may change until this one ends.
    pub(super) fn claim(&self) -> &'static str {
        match &self.driver {
            Driver::Sqlite(_) => "",
            Driver::Postgres(driver) => driver.claim(),
        }
    }

    /// Counts a move on this board once the transaction is committed.
    pub(super) fn count_turn(&mut self, board: BoardNumber) {
        self.turns.push(board);
    }

    /// Reads rows that only exclusive transactions change.
    pub(super) fn read_once<T>(
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
