//! The store on PostgreSQL: connections, transactions and migrations. Its statements are in `store::sql`.
//!
//! # How it keeps what every store guarantees
//!
//! A writing transaction first takes a lock that only writers take (the empty table `writer`), and then its snapshot.
//!
//! One that writes *alone* has no other beside it in the whole database, whatever process or machine it is in, and its
//! snapshot is what all before it have committed: the order of the locks is the serial order, and nothing fails because it
//! cannot be ordered.
//!
//! Those that are *shared* write side by side, and keep those alone out. They may write what a turn writes, leases, and
//! which letters were made and sent (`Session::writable_shared`); everything else refuses them. What belongs to
//! a board is written after its row was locked, without waiting (`Session::writable_board`): that fails when
//! another transaction has changed it since the snapshot. Notices that are due are locked as they are read
//! (`Session::claim`), but for those that another has locked. Beside that, rows are only added, or changed
//! where they are the sender's own; two that meet all the same are told by PostgreSQL (`REPEATABLE READ`). A turn is decided
//! by its board and by players and settings, which only those alone change: so nothing that decided one is changed by another
//! beside it, and what is known of a player need be read once (`Session::read_once`). Numbers come from
//! sequences, and those of changes are drawn at the commit, under a lock of their own. Readers take no lock.
//!
//! # When the connection breaks
//!
//! Beginning a transaction connects again, once. In the middle of one, what was done is undone by the server, and the call
//! fails with [`StoreError::Unreachable`]. While the commit is under way nobody knows whether it was done; that is
//! [`StoreError::CommitUnknown`]. Callers treat both as "try again", which does nothing twice: a mail has its identity, an
//! entry its place in the record, a letter its Message-ID.

mod client;
pub(super) mod connection;
mod error;
mod known_rows;
mod listener;
mod migrations;
mod tls;
mod transaction;
mod url;
mod value;
mod version;

use std::path::Path;
use std::time::Duration;

use super::transaction::Driver;
use super::{FileCheck, Listener, Result, Store, StoreError, Transaction};
use crate::store::sql::{self, Row, all};
use crate::world::World;
use connection::Db;
pub(super) use error::failed;
use transaction::Access;
pub(super) use transaction::PostgresTransaction;

pub use url::{PostgresUrl, UrlError};

/// About how long to wait before what conflicted is done again.
const AFTER_CONFLICT: Duration = Duration::from_millis(20);
/// Settings by which a crash of the server may lose what was committed.
const RISKS: &str = "SELECT name, setting FROM pg_settings \
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name";

/// Fails unless the database can be used as it is, or be set up or upgraded. Nothing is changed.
pub(super) fn look(url: &PostgresUrl) -> Result<()> {
    migrations::refuse(&Db::connect(url)?, url)
}

/// Makes the tables of an instance in an empty database; tells whether it did.
pub(super) fn create(url: &PostgresUrl, world: World) -> Result<bool> {
    migrations::create(&Db::connect(url)?, url, world)
}

/// Listens to what others commit.
pub(super) fn listen(url: &PostgresUrl) -> Result<Box<dyn Listener>> {
    Ok(Box::new(listener::PostgresListener::open(url)?))
}

/// A connection to a PostgreSQL database.
pub struct PostgresStore {
    url: PostgresUrl,
    db: Db,
    world: World,
    only_reads: bool,
}

impl PostgresStore {
    /// As [`super::open()`].
    pub fn open(url: &PostgresUrl, world: World) -> Result<Self> {
        let db = Db::connect(url)?;
        migrations::bring_up_to_date(&db, url, world)?;
        db.batch("SELECT refuse_when_moved()")?;
        Ok(PostgresStore { url: url.clone(), db, world, only_reads: false })
    }

    /// As [`super::open_read_only()`].
    pub fn open_read_only(url: &PostgresUrl, world: World) -> Result<Self> {
        let db = Db::connect(url)?;
        migrations::refuse_older(&db, url)?;
        db.batch("SELECT refuse_when_moved()")?;
        Ok(PostgresStore { url: url.clone(), db, world, only_reads: true })
    }

    /// Newer programs may have upgraded the database meanwhile.
    fn connect_again(&mut self) -> Result<()> {
        let db = Db::connect(&self.url)?;
        migrations::refuse(&db, &self.url)?;
        self.db = db;
        Ok(())
    }

    fn begin(&mut self, access: Access) -> Result<Transaction<'_>> {
        if self.only_reads && access != Access::Read {
            return Err(StoreError::only_read());
        }
        if self.db.is_closed() {
            self.connect_again()?;
        }
        match transaction::begin(&self.db, access) {
            // It may have been closed long ago, which is seen when it is used.
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

    fn write(&mut self) -> Result<Transaction<'_>> {
        self.begin(Access::Exclusive)
    }

    fn write_shared(&mut self) -> Result<Transaction<'_>> {
        self.begin(Access::Shared)
    }

    fn shares_writing(&self) -> bool {
        true
    }

    fn wait_after_conflict(&self) {
        std::thread::sleep(AFTER_CONFLICT * self.world.jitter() / 100);
    }

    /// Nothing: the server writes what was committed to its place, and removes what was deleted, by itself (autovacuum).
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// Nothing: its files are the server's, which checks them while it reads.
    fn faults(&mut self, _: FileCheck) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn risks(&mut self) -> Result<Vec<String>> {
        let read = |row: &Row<'_>| {
            let (name, value) = (row.get::<String>(0)?, row.get::<String>(1)?);
            Ok(format!("{name} = {value} in the settings of PostgreSQL"))
        };
        all(sql::Db::Postgres(&self.db), RISKS, &[], read)
    }

    fn copy_to(&mut self, _: &Path) -> Result<()> {
        Err(StoreError::NoFile)
    }
}
