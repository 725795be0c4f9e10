//! The store on SQLite: opening the file, its settings and its migrations. Each subject's calls stand in a file of its
//! name.

mod addresses;
mod board_letters;
mod boards;
mod challenges;
mod changes;
mod clocks;
mod column;
mod comments;
mod deliveries;
mod followers;
mod history;
mod inbox;
mod letters;
mod limits;
mod lists;
mod outbox;
#[cfg(test)]
mod plans;
mod player_names;
mod players;
mod preferences;
mod query;
mod ratings;
mod record;
mod reports;
mod sessions;
mod time;
mod tokens;
mod transaction;
mod vacations;
mod webhooks;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use include_dir::{Dir, include_dir};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

use super::instance::NewKeys;
use super::{Result, Store, StoreError, Transaction};
use crate::world::World;
use query::failed;
use transaction::SqliteTransaction;

static MIGRATIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/migrations/sqlite");

/// How long a call waits for another process before it gives [`StoreError::Busy`].
const BUSY: Duration = Duration::from_secs(10);
/// The migration that makes the column of the server id.
const SERVER_ID: u32 = 1;
/// The migration that makes the column of the reply key.
const REPLY_KEY: u32 = 7;
/// How many attempts are made within [`BUSY`] at what SQLite does not wait for by itself.
const TRIES: u32 = 200;

/// A connection to a SQLite file: WAL, synchronous=FULL.
pub struct SqliteStore {
    db: Connection,
    writers: Arc<Mutex<()>>,
}

impl SqliteStore {
    /// As [`super::open()`].
    pub fn open(path: &Path, world: World) -> Result<Self> {
        create(path)?;
        // Without the flag for URIs, a path that begins with `file:` is a path.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut db = Connection::open_with_flags(path, flags).map_err(failed)?;
        db.busy_timeout(BUSY).map_err(failed)?;
        let found = refuse_newer(&db)?;
        settings(&db)?;
        if found < known() {
            migrate(&mut db, world)?;
        }
        db.set_prepared_statement_cache_capacity(128);
        Ok(SqliteStore { db, writers: writers(path) })
    }
}

/// The lock that writers of this process take before SQLite's. SQLite knows no queue: a writer that finds its lock taken
/// sleeps for a millisecond or more before it looks again, and the one that has it may be faster for ever.
fn writers(path: &Path) -> Arc<Mutex<()>> {
    static OF_FILES: Mutex<BTreeMap<PathBuf, Weak<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    let mut of_files = OF_FILES.lock().unwrap_or_else(PoisonError::into_inner);
    of_files.retain(|_, writers| writers.strong_count() > 0);
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let known = of_files.get(&path).and_then(Weak::upgrade);
    known.unwrap_or_else(|| {
        let new = Arc::default();
        of_files.insert(path, Arc::downgrade(&new));
        new
    })
}

impl Store for SqliteStore {
    fn read(&mut self) -> Result<Box<dyn Transaction + '_>> {
        Ok(Box::new(SqliteTransaction::read(&mut self.db)?))
    }

    fn write(&mut self) -> Result<Box<dyn Transaction + '_>> {
        Ok(Box::new(SqliteTransaction::write(&mut self.db, &self.writers)?))
    }

    fn settle(&mut self) -> Result<()> {
        // The checkpoint must not wait for readers: it is asked for often, and a later one will do the work.
        self.db.busy_timeout(Duration::ZERO).map_err(failed)?;
        let settled = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(failed);
        self.db.busy_timeout(BUSY).map_err(failed)?;
        match settled {
            Err(StoreError::Busy) => Ok(()),
            other => other,
        }
    }
}

/// Creates the file, readable by its owner only: it holds password hashes and letters. SQLite gives its log the same
/// mode.
fn create(path: &Path) -> Result<()> {
    // SQLite's locks belong to the process, and closing any descriptor of the file drops them all: no thread may open
    // the database between the creation of the file here and its closing.
    static CREATING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::Failed(format!("{} cannot be made: {error}", path.display()))),
    }
}

fn settings(db: &Connection) -> Result<()> {
    // Switching a new file to WAL takes a lock for which SQLite does not wait.
    patiently(|| db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(failed))?;
    let settings =
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON";
    db.execute_batch(settings).map_err(failed)
}

fn patiently(mut act: impl FnMut() -> Result<()>) -> Result<()> {
    for _ in 1..TRIES {
        match act() {
            Err(StoreError::Busy) => std::thread::sleep(BUSY / TRIES),
            other => return other,
        }
    }
    act()
}

/// The version of a database after every migration. The directory holds nothing else.
fn known() -> u32 {
    u32::try_from(MIGRATIONS.entries().len()).unwrap_or(u32::MAX)
}

/// The embedded files, in the order of their numbers.
fn migration_texts() -> Vec<&'static str> {
    let mut files: Vec<_> = MIGRATIONS.files().collect();
    files.sort_by_key(|file| file.path());
    files.into_iter().filter_map(include_dir::File::contents_utf8).collect()
}

/// The embedded files, and what SQL cannot do by itself: the keys of a database are random, so they come from `world`.
/// Each is stored in the transaction of the migration that makes its column.
fn migrations(world: World) -> Migrations<'static> {
    let numbered = (1..).zip(migration_texts());
    let migrations = numbered.map(|(version, sql)| match version {
        SERVER_ID => M::up_with_hook(sql, move |tx: &rusqlite::Transaction<'_>| {
            let NewKeys { server_id, .. } = NewKeys::draw(world);
            tx.execute("INSERT INTO server (one, server_id) VALUES (1, ?1)", [server_id])?;
            Ok(())
        }),
        REPLY_KEY => M::up_with_hook(sql, move |tx: &rusqlite::Transaction<'_>| {
            let NewKeys { reply_key, .. } = NewKeys::draw(world);
            tx.execute("UPDATE server SET reply_key = ?1", [reply_key])?;
            Ok(())
        }),
        _ => M::up(sql),
    });
    migrations.collect()
}

fn version(db: &Connection) -> Result<u32> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)
}

/// The version of the database, unless a newer program has made it.
fn refuse_newer(db: &Connection) -> Result<u32> {
    let (found, known) = (version(db)?, known());
    if found > known { Err(StoreError::TooNew { found, known }) } else { Ok(found) }
}

fn migrate(db: &mut Connection, world: World) -> Result<()> {
    let migrations = migrations(world);
    db.set_transaction_behavior(TransactionBehavior::Immediate);
    loop {
        let before = refuse_newer(db)?;
        let Err(error) = migrations.to_latest(db) else { return Ok(()) };
        // The version is read before the transaction begins. Another process may upgrade the file in between; ours
        // then fails on the key in `migrations`, and looks again.
        if version(db)? == before {
            return Err(match error {
                rusqlite_migration::Error::RusqliteError { err, .. } => failed(err),
                other => StoreError::Failed(other.to_string()),
            });
        }
    }
}
