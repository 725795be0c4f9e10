//! The store on SQLite: connections, transactions, migrations and the file. Its statements are in `store::sql`.

mod connection;
mod failing;
mod faults;
mod file;
mod log;
pub(super) mod migrations;
mod query;
mod transaction;
mod writers;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;

use super::transaction::Driver;
use super::{FileCheck, Result, Store, StoreError, Transaction};
use crate::world::World;
use connection::BUSY;
use log::Log;
pub(super) use query::failed;
pub(super) use transaction::SqliteTransaction;
use writers::Writers;

pub(super) use file::create;

/// A connection to a SQLite file: WAL, synchronous=FULL.
pub struct SqliteStore {
    pub(super) db: Connection,
    /// `None` of a database in memory, or one that is only read.
    log: Option<Log>,
    /// `None` of one that is only read.
    writers: Option<Arc<Writers>>,
}

impl SqliteStore {
    /// As [`super::open()`].
    pub fn open(path: &Path, world: World) -> Result<Self> {
        file::is_there(path)?;
        log::is_complete(path)?;
        let mut db = connection::connect(path)?;
        file::is_ours(path, &db)?;
        let found = migrations::refuse_newer(&db)?;
        connection::set_up(&db)?;
        if found < migrations::known() {
            // An upgrade of a damaged file would make it harder to restore.
            if let Some(fault) = faults::faults(&db, FileCheck::Quick)?.into_iter().next() {
                return Err(StoreError::Damaged(fault));
            }
            migrations::migrate(&mut db, world)?;
        }
        connection::use_no_temporary_files(&db)?;
        // SQLite opens the log when it first reads.
        transaction::refuse_when_moved(&db)?;
        let log = Log::of(path)?;
        Ok(SqliteStore::on(db, Some(log), Writers::of(path)))
    }

    /// As [`super::open_read_only()`].
    pub fn open_read_only(path: &Path) -> Result<Self> {
        file::is_there(path)?;
        log::is_complete(path)?;
        let db = connection::connect_read_only(path)?;
        file::is_ours(path, &db)?;
        let (found, known) = (migrations::refuse_newer(&db)?, migrations::known());
        if found < known {
            return Err(StoreError::TooOld { found, known });
        }
        connection::set_up_reading(&db)?;
        connection::use_no_temporary_files(&db)?;
        transaction::refuse_when_moved(&db)?;
        Ok(SqliteStore { db, log: None, writers: None })
    }

    /// As [`super::in_memory()`].
    pub fn in_memory(world: World) -> Result<Self> {
        let mut db = Connection::open_in_memory().map_err(failed)?;
        connection::set_up(&db)?;
        migrations::migrate(&mut db, world)?;
        Ok(SqliteStore::on(db, None, Arc::new(Writers::on_their_own())))
    }

    fn on(db: Connection, log: Option<Log>, writers: Arc<Writers>) -> Self {
        SqliteStore { db, log, writers: Some(writers) }
    }
}

impl Store for SqliteStore {
    fn read(&mut self) -> Result<Transaction<'_>> {
        Ok(Transaction::on(Driver::Sqlite(SqliteTransaction::read(&self.db, self.log.as_ref())?)))
    }

    fn write(&mut self) -> Result<Transaction<'_>> {
        let log = self.log.as_ref();
        let writers = self.writers.as_ref().ok_or_else(StoreError::only_read)?;
        let turn = Writers::turn(writers, log)?;
        Ok(Transaction::on(Driver::Sqlite(SqliteTransaction::write(&self.db, turn, log)?)))
    }

    fn settle(&mut self) -> Result<()> {
        if self.writers.is_none() {
            return Ok(());
        }
        // The checkpoint must not wait for readers: it is asked for often, and a later one will do the work.
        self.db.busy_timeout(Duration::ZERO).map_err(failed)?;
        let settled = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(failed);
        self.db.busy_timeout(BUSY).map_err(failed)?;
        match settled {
            Err(StoreError::Busy) => Ok(()),
            other => other,
        }
    }

    fn faults(&mut self, check: FileCheck) -> Result<Vec<String>> {
        faults::faults(&self.db, check)
    }

    /// None: every connection waits for the disk (`connection`).
    fn risks(&mut self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn copy_to(&mut self, file: &Path) -> Result<()> {
        self.log.as_ref().map_or(Ok(()), Log::check)?;
        let path = connection::no_uri(file);
        let name = path.to_str().ok_or_else(|| StoreError::Failed(format!("{} is not UTF-8", file.display())))?;
        // Not the backup interface of SQLite: that begins anew at each commit of another connection.
        self.db.execute("VACUUM INTO ?1", [name]).map(drop).map_err(failed)
    }
}
