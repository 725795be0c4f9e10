//! The SQLite store: connections, transactions, migrations and the file. Its statements are in `store::sql`.

mod connection;
pub(crate) mod file;
mod transaction;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;

use super::transaction::Driver;
use super::{FileCheck, Result, Store, StoreError, StoreFaults, Transaction};
use crate::world::World;
use connection::BUSY;
pub(crate) use connection::failed;
pub(crate) use file::create;
pub(crate) use transaction::SqliteTransaction;
use transaction::{Log, Writers};

/// The number of instructions of SQLite's virtual machine between two checks for an injected fault.
const INSTRUCTIONS: i32 = 200;

/// A connection to an SQLite database, with a write-ahead log and `synchronous=FULL`.
pub(crate) struct SqliteStore {
    pub(crate) db: Connection,
    /// `None` for an in-memory or read-only database, and with injected faults.
    log: Option<Log>,
    /// `None` for a read-only database.
    writers: Option<Arc<Writers>>,
    /// The injected faults of the simulation, in which no commit waits for the disk.
    faults: Option<Arc<dyn StoreFaults>>,
}

/// Like [`super::create_filled`].
pub(crate) fn create_filled<T, E: From<StoreError>>(
    path: &Path,
    world: World,
    fill: impl FnOnce(&mut dyn Store) -> std::result::Result<T, E>,
) -> std::result::Result<Option<T>, E> {
    file::create_filled(path, world, |unfinished| {
        let filled = fill(&mut SqliteStore::open(unfinished, world)?)?;
        file::merge_log(unfinished)?;
        Ok(filled)
    })
}

impl SqliteStore {
    /// Like [`super::open()`].
    pub(crate) fn open(path: &Path, world: World) -> Result<Self> {
        file::is_there(path)?;
        transaction::is_complete(path)?;
        let mut db = connection::connect(path)?;
        file::is_ours(path, &db)?;
        let found = file::refuse_newer(&db)?;
        connection::set_up(&db)?;
        if found < file::known() {
            // Upgrading a damaged file would make it harder to restore.
            if let Some(fault) = file::faults(&db, FileCheck::Quick)?.into_iter().next() {
                return Err(StoreError::Damaged(fault));
            }
            file::migrate(&mut db, world)?;
        }
        connection::use_no_temporary_files(&db)?;
        // This statement reads from the database, so that SQLite opens the log.
        transaction::refuse_when_moved(&db)?;
        let log = Log::of(path)?;
        Ok(SqliteStore::on(db, Some(log), Writers::of(path)))
    }

    /// Like [`super::open_read_only()`].
    pub(crate) fn open_read_only(path: &Path) -> Result<Self> {
        file::is_there(path)?;
        transaction::is_complete(path)?;
        let db = connection::connect_read_only(path)?;
        file::is_ours(path, &db)?;
        let (found, known) = (file::refuse_newer(&db)?, file::known());
        if found < known {
            return Err(StoreError::TooOld { found, known });
        }
        connection::set_up_reading(&db)?;
        connection::use_no_temporary_files(&db)?;
        transaction::refuse_when_moved(&db)?;
        Ok(SqliteStore { db, log: None, writers: None, faults: None })
    }

    /// Like [`super::in_memory()`].
    pub(crate) fn in_memory(world: World) -> Result<Self> {
        let mut db = Connection::open_in_memory().map_err(failed)?;
        connection::set_up(&db)?;
        file::migrate(&mut db, world)?;
        Ok(SqliteStore::on(db, None, Arc::new(Writers::on_their_own())))
    }

    /// Like [`crate::store::open_failing`].
    pub(crate) fn open_failing(path: &Path, faults: &Arc<dyn StoreFaults>) -> Result<Self> {
        file::is_there(path)?;
        let db = connection::connect(path)?;
        file::refuse_newer(&db)?;
        connection::set_up(&db)?;
        db.execute_batch("PRAGMA synchronous = OFF").map_err(failed)?;
        let (running, committing) = (Arc::clone(faults), Arc::clone(faults));
        db.progress_handler(INSTRUCTIONS, Some(move || running.fails_in_statement())).map_err(failed)?;
        db.commit_hook(Some(move || committing.fails_to_commit())).map_err(failed)?;
        let store = SqliteStore::on(db, None, Arc::new(Writers::on_their_own()));
        Ok(SqliteStore { faults: Some(Arc::clone(faults)), ..store })
    }

    /// Begins a write transaction. If `synced` is true, its commit waits for the disk.
    fn begin(&mut self, synced: bool) -> Result<Transaction<'_>> {
        if self.faults.as_ref().is_some_and(|faults| faults.fails_to_begin()) {
            return Err(StoreError::Busy);
        }
        let synced = synced || self.faults.is_some();
        let log = self.log.as_ref();
        let writers = self.writers.as_ref().ok_or_else(StoreError::only_read)?;
        let turn = Writers::turn(writers, log)?;
        Ok(Transaction::on(Driver::Sqlite(SqliteTransaction::write(&self.db, turn, log, synced)?)))
    }

    fn on(db: Connection, log: Option<Log>, writers: Arc<Writers>) -> Self {
        SqliteStore { db, log, writers: Some(writers), faults: None }
    }
}

impl Store for SqliteStore {
    fn read(&mut self) -> Result<Transaction<'_>> {
        Ok(Transaction::on(Driver::Sqlite(SqliteTransaction::read(&self.db, self.log.as_ref())?)))
    }

    /// Reads on the writers' shared connection if it is idle, because its cache contains the pages that this process
    /// has written.
    fn glance(&mut self) -> Result<Transaction<'_>> {
        let log = self.log.as_ref();
        let tx = match self.writers.as_deref().and_then(Writers::idle) {
            Some(turn) => SqliteTransaction::glance(&self.db, turn, log)?,
            None => SqliteTransaction::read(&self.db, log)?,
        };
        Ok(Transaction::on(Driver::Sqlite(tx)))
    }

    fn write(&mut self) -> Result<Transaction<'_>> {
        self.begin(true)
    }

    fn write_unsynced(&mut self) -> Result<Transaction<'_>> {
        self.begin(false)
    }

    fn checkpoint(&mut self) -> Result<()> {
        if self.writers.is_none() {
            return Ok(());
        }
        // Do not wait for readers. If they prevent this checkpoint, a later call succeeds.
        self.db.busy_timeout(Duration::ZERO).map_err(failed)?;
        let done = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(failed);
        self.db.busy_timeout(BUSY).map_err(failed)?;
        match done {
            Err(StoreError::Busy) => Ok(()),
            other => other,
        }
    }

    fn integrity_faults(&mut self, check: FileCheck) -> Result<Vec<String>> {
        file::faults(&self.db, check)
    }

    /// Returns nothing, because `connection::set_up` makes every commit wait for the disk.
    fn unsafe_settings(&mut self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn copy_to(&mut self, file: &Path) -> Result<()> {
        self.log.as_ref().map_or(Ok(()), Log::check)?;
        let path = connection::no_uri(file);
        let name = path.to_str().ok_or_else(|| StoreError::Failed(format!("{} is not UTF-8", file.display())))?;
        // Do not use SQLite's backup interface, which starts over at each commit of another connection.
        self.db.execute("VACUUM INTO ?1", [name]).map(drop).map_err(failed)
    }
}
