//! The PostgreSQL store: connections, transactions and migrations. Its statements are in `store::sql`.
//!
//! # How it provides the guarantees of a store
//!
//! A write transaction first locks the empty table `writer`, which readers do not lock, and then takes its snapshot.
//! The transaction is the only writer in the whole database, among all processes and machines, and its snapshot
//! contains the commits of all earlier writers. Transactions are therefore serialized in the order in which they get
//! the lock. Only a change by an administrator with another program can conflict. Readers take no lock.
//!
//! # Broken connections
//!
//! Beginning a transaction reconnects once if necessary. If the connection breaks during a transaction, the server
//! rolls back, and the call fails with [`StoreError::Unreachable`]. During a commit, the result is unknown, and the
//! call fails with [`StoreError::CommitUnknown`]. Callers retry in both cases. A retry does not repeat an effect,
//! because messages have identities, entries have positions in their records, and letters have Message-IDs.

mod client;
pub(crate) mod connection;
mod migrations;
mod request;
mod tls;
mod transaction;
mod url;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::transaction::Driver;
use super::{FileCheck, Result, Store, StoreError, StoreFaults, Transaction};
use crate::store::sql::{self, all};
use crate::world::World;
pub(crate) use client::failed;
use connection::Db;
use transaction::Access;
pub(crate) use transaction::PostgresTransaction;

pub use url::{PostgresUrl, UrlError};

/// The approximate delay before retrying after a conflict.
const AFTER_CONFLICT: Duration = Duration::from_millis(20);
/// Settings with which a crash of the server may lose committed changes.
const RISKS: &str = "SELECT name, setting FROM pg_settings \
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name";

/// Checks that the database can be used, created or upgraded, without changing it.
pub(crate) fn probe(url: &PostgresUrl) -> Result<()> {
    migrations::version(&Db::connect(url)?, url).map(drop)
}

/// Creates the tables in an empty database; returns whether it was empty.
pub(crate) fn create(url: &PostgresUrl, world: World) -> Result<bool> {
    migrations::create(&Db::connect(url)?, url, world)
}

pub(crate) struct PostgresStore {
    url: PostgresUrl,
    db: Db,
    world: World,
    only_reads: bool,
}

impl PostgresStore {
    /// Like [`super::open()`].
    pub(crate) fn open(url: &PostgresUrl, world: World) -> Result<Self> {
        let db = Db::connect(url)?;
        migrations::bring_up_to_date(&db, url, Some(world))?;
        db.batch("SELECT refuse_when_moved()")?;
        Ok(PostgresStore { url: url.clone(), db, world, only_reads: false })
    }

    /// Like [`super::open_read_only()`].
    pub(crate) fn open_read_only(url: &PostgresUrl, world: World) -> Result<Self> {
        let db = Db::connect(url)?;
        migrations::bring_up_to_date(&db, url, None)?;
        db.batch("SELECT refuse_when_moved()")?;
        Ok(PostgresStore { url: url.clone(), db, world, only_reads: true })
    }

    /// Like [`super::open_failing()`].
    pub(crate) fn open_failing(url: &PostgresUrl, faults: &Arc<dyn StoreFaults>) -> Result<Self> {
        let mut store = PostgresStore::open_read_only(url, World::REAL)?;
        store.only_reads = false;
        store.db.faults = Some(Arc::clone(faults));
        Ok(store)
    }

    /// Reconnects. Checks the version again, because a newer program may have upgraded the database meanwhile.
    fn connect_again(&mut self) -> Result<()> {
        let mut db = Db::connect(&self.url)?;
        migrations::version(&db, &self.url)?;
        db.faults = self.db.faults.take();
        self.db = db;
        Ok(())
    }

    fn begin(&mut self, access: Access) -> Result<Transaction<'_>> {
        if self.only_reads && access == Access::Write {
            return Err(StoreError::only_read());
        }
        if access == Access::Write && self.db.faults.as_ref().is_some_and(|faults| faults.fails_to_begin()) {
            return Err(StoreError::Busy);
        }
        if access != Access::Read {
            // Check the connection now, because the transaction begins with its first statement, which is not retried.
            self.db.detect_close();
        }
        if self.db.is_closed() {
            self.connect_again()?;
        }
        match transaction::begin(&self.db, access) {
            // If the server closed the connection earlier, this may be the first call to notice.
            Err(StoreError::Unreachable(_)) => {
                self.connect_again()?;
                transaction::begin(&self.db, access)?;
            }
            other => other?,
        }
        Ok(Transaction::on(Driver::Postgres(PostgresTransaction::begun(&self.db, access))))
    }
}

impl Store for PostgresStore {
    fn read(&mut self) -> Result<Transaction<'_>> {
        self.begin(Access::Read)
    }

    fn glance(&mut self) -> Result<Transaction<'_>> {
        self.begin(Access::Glance)
    }

    fn write(&mut self) -> Result<Transaction<'_>> {
        self.begin(Access::Write)
    }

    fn wait_after_conflict(&self) {
        std::thread::sleep(AFTER_CONFLICT * self.world.jitter() / 100);
    }

    /// Does nothing: the server checkpoints and vacuums by itself.
    fn checkpoint(&mut self) -> Result<()> {
        Ok(())
    }

    /// Returns an empty list: the files belong to the server, which checks them when it reads them.
    fn integrity_faults(&mut self, _: FileCheck) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn unsafe_settings(&mut self) -> Result<Vec<String>> {
        let risks: Vec<(String, String)> = all(sql::Db::Postgres(&self.db), RISKS, &[])?;
        let say = |(name, value)| format!("{name} = {value} in the settings of PostgreSQL");
        Ok(risks.into_iter().map(say).collect())
    }

    fn copy_to(&mut self, _: &Path) -> Result<()> {
        Err(StoreError::NoFile)
    }
}

/// A connection that receives notifications of commits by other nodes. Notifications only reduce delays, because nodes
/// also check the database periodically.
pub struct Listener {
    url: PostgresUrl,
    /// `None` after the connection broke.
    db: Option<Db>,
}

/// Connects, and listens on the channel that the triggers of the tables notify.
fn listening(url: &PostgresUrl) -> Result<Db> {
    let db = Db::connect(url)?;
    db.batch("LISTEN turnpost")?;
    Ok(db)
}

impl Listener {
    pub(crate) fn open(url: &PostgresUrl) -> Result<Listener> {
        let db = Some(listening(url)?);
        Ok(Listener { url: url.clone(), db })
    }

    /// Waits until another node commits a change that other nodes must know, but at most for the time `most`. Returns
    /// whether there was such a change.
    pub fn wait(&mut self, most: Duration) -> Result<bool> {
        let db = match &self.db {
            Some(db) => db,
            // The notifications since the connection broke are lost, so report a change, although there may be none.
            None => {
                self.db = Some(listening(&self.url)?);
                return Ok(true);
            }
        };
        let notified = db.wait_for_others(most);
        if notified.is_err() {
            self.db = None;
        }
        notified
    }
}
