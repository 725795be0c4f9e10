//! A connection with injected faults, using SQLite's hooks.

use std::path::Path;
use std::sync::Arc;

use super::query::failed;
use super::writers::Writers;
use super::{SqliteStore, connection, file, migrations};
use crate::store::{FileCheck, Result, Store, StoreError, StoreFaults, Transaction};

/// The number of virtual machine instructions between two checks for a fault in a statement.
const INSTRUCTIONS: i32 = 200;

/// A store with injected faults.
pub(crate) struct FailingStore {
    inner: SqliteStore,
    faults: Arc<dyn StoreFaults>,
}

impl SqliteStore {
    /// Like [`crate::store::open_failing`].
    pub(crate) fn open_failing(path: &Path, faults: &Arc<dyn StoreFaults>) -> Result<FailingStore> {
        file::is_there(path)?;
        let db = connection::connect(path)?;
        migrations::refuse_newer(&db)?;
        connection::set_up(&db)?;
        db.execute_batch("PRAGMA synchronous = OFF").map_err(failed)?;
        let (running, committing) = (Arc::clone(faults), Arc::clone(faults));
        db.progress_handler(INSTRUCTIONS, Some(move || running.fails_in_statement())).map_err(failed)?;
        db.commit_hook(Some(move || committing.fails_to_commit())).map_err(failed)?;
        Ok(FailingStore {
            inner: SqliteStore::on(db, None, Arc::new(Writers::on_their_own())),
            faults: Arc::clone(faults),
        })
    }
}

impl Store for FailingStore {
    fn read(&mut self) -> Result<Transaction<'_>> {
        self.inner.read()
    }

    fn write(&mut self) -> Result<Transaction<'_>> {
        match self.faults.fails_to_begin() {
            true => Err(StoreError::Busy),
            false => self.inner.write(),
        }
    }

    fn settle(&mut self) -> Result<()> {
        self.inner.settle()
    }

    fn faults(&mut self, check: FileCheck) -> Result<Vec<String>> {
        self.inner.faults(check)
    }

    fn risks(&mut self) -> Result<Vec<String>> {
        self.inner.risks()
    }

    fn copy_to(&mut self, file: &Path) -> Result<()> {
        self.inner.copy_to(file)
    }
}
