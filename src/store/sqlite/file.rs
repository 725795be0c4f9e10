//! The file of a database: its creation, its recognition, integrity checks, and migrations. Migrations are embedded SQL
//! files, applied in the order of their numbers.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use include_dir::{Dir, include_dir};
use rusqlite::{Connection, ErrorCode, Row, TransactionBehavior};

use super::connection::{self, failed, refused_by_system};
use crate::store::instance::NewKeys;
use crate::store::sql::schema;
use crate::store::{FileCheck, Result, StoreError};
use crate::world::World;

/// The application id in the header of the file: `turn` in ASCII.
const APPLICATION_ID: i32 = 0x7475_726e;

/// Like [`crate::store::create`].
pub(crate) fn create(path: &Path, world: World) -> Result<bool> {
    Ok(create_filled(path, world, |_| Ok::<(), StoreError>(()))?.is_some())
}

/// Like [`crate::store::create_filled`]. `complete` receives the path of the unfinished file.
pub(crate) fn create_filled<T, E: From<StoreError>>(
    path: &Path,
    world: World,
    complete: impl FnOnce(&Path) -> std::result::Result<T, E>,
) -> std::result::Result<Option<T>, E> {
    // Without this lock, two threads would choose the same temporary name.
    static CREATING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    let cannot = |error| refused_by_system(path, "made", &error);
    if path.try_exists().map_err(cannot)? {
        return Ok(None);
    }
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if Path::new(&log).try_exists().map_err(cannot)? {
        // Another process may have created the database and the log just now.
        if path.try_exists().map_err(cannot)? {
            return Ok(None);
        }
        // If the database were created, SQLite would apply this old log to it.
        return Err(StoreError::OrphanLog(log.into()).into());
    }
    // The database gets its final name when it is complete, so that no process sees a partial database, even after a
    // crash.
    let unfinished = path.with_added_extension(format!("new-{}", std::process::id()));
    let completed = fill(&unfinished, world).map_err(E::from).and_then(|()| complete(&unfinished));
    let made = completed.and_then(|completed| Ok(name(&unfinished, path).map_err(cannot)?.then_some(completed)));
    let removed = fs::remove_file(&unfinished);
    let made = made?;
    removed.map_err(cannot)?;
    Ok(made)
}

/// Writes the log of a database back into the file and removes the log, so that the file can be renamed.
pub(crate) fn merge_log(path: &Path) -> Result<()> {
    let db = connection::connect(path)?;
    let mode = db.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0)).map_err(failed)?;
    if mode == "delete" { Ok(()) } else { Err(StoreError::Failed(format!("{} keeps its log", path.display()))) }
}

/// Writes an empty database that only its owner can read, because it will contain password hashes and letters. SQLite
/// gives the log the same mode.
fn fill(path: &Path, world: World) -> Result<()> {
    let mut options = OpenOptions::new();
    // The file may already exist, if an earlier process with the same id crashed.
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| refused_by_system(path, "made", &error))?;
    let mut db = connection::connect(path)?;
    // The file is not needed after a crash, so its journal need not be on disk. WAL mode is switched on later, because
    // its log is a separate file, which would have to be renamed too.
    db.query_row("PRAGMA journal_mode = MEMORY", [], |_| Ok(())).map_err(failed)?;
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON").map_err(failed)?;
    migrate(&mut db, world)?;
    db.close().map_err(|(_, error)| failed(error))
}

/// Gives the file its final name durably; returns false if another process was faster.
fn name(unfinished: &Path, path: &Path) -> std::io::Result<bool> {
    match fs::hard_link(unfinished, path) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error),
    }
    match path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        Some(directory) => File::open(directory)?.sync_all().map(|()| true),
        None => Ok(true),
    }
}

/// Fails if the file is missing or empty. A file is empty only by accident. SQLite would then delete the log, which may
/// contain the data to restore the file.
pub(crate) fn is_there(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(file) if file.len() == 0 => Err(foreign(path, "it is empty")),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(StoreError::Missing(path.to_owned())),
        Err(error) => Err(refused_by_system(path, "opened", &error)),
    }
}

/// Fails if the file is not a database of turnpost. Does not change the file.
pub(crate) fn is_ours(path: &Path, db: &Connection) -> Result<()> {
    let id = match db.query_row("PRAGMA application_id", [], |row| row.get::<_, i32>(0)) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            return Err(foreign(path, "it is not an SQLite database"));
        }
        other => other.map_err(|error| connection::cannot_open(path, error))?,
    };
    if id == APPLICATION_ID { Ok(()) } else { Err(foreign(path, "it is the SQLite database of another program")) }
}

fn foreign(path: &Path, what: &'static str) -> StoreError {
    StoreError::Foreign { path: path.to_owned(), what }
}

/// Returns the damage in the file, as SQLite describes it; empty if the file is intact.
pub(crate) fn faults(db: &Connection, check: FileCheck) -> Result<Vec<String>> {
    let structure = |row: &Row<'_>| row.get::<_, String>(0);
    match check {
        FileCheck::Quick => found(db, "PRAGMA quick_check", structure),
        FileCheck::Full => {
            let mut faults = found(db, "PRAGMA integrity_check", structure)?;
            faults.extend(found(db, "PRAGMA foreign_key_check", |row| {
                let (table, parent) = (row.get::<_, String>(0)?, row.get::<_, String>(2)?);
                let row = row.get::<_, Option<i64>>(1)?.map_or_else(|| "a row".to_owned(), |id| format!("row {id}"));
                Ok(format!("{table}: {row} refers to a missing row of {parent}"))
            })?);
            Ok(faults)
        }
    }
}

/// Returns the messages of a check. If the check itself fails because the file is damaged, its error is one of them.
fn found(db: &Connection, sql: &str, read: impl FnMut(&Row<'_>) -> rusqlite::Result<String>) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let ended = (|| {
        for row in db.prepare(sql)?.query_map([], read)? {
            faults.push(row?);
        }
        Ok(())
    })();
    match ended.map_err(failed) {
        Err(StoreError::Damaged(fault)) => faults.push(fault),
        other => other?,
    }
    faults.retain(|fault| fault != "ok");
    Ok(faults)
}

static MIGRATIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/migrations/sqlite");

/// The migration that creates the table `server`. The row of this table is added afterwards.
const SCHEMA: u32 = 1;

/// Returns the version of a fully migrated database. The directory contains only migrations.
pub(crate) fn known() -> u32 {
    u32::try_from(MIGRATIONS.entries().len()).unwrap_or(u32::MAX)
}

/// Returns the texts of the migrations, in the order of their numbers. The first one includes the views.
pub(crate) fn migration_texts() -> Vec<String> {
    schema::texts(&MIGRATIONS, schema::sqlite_views())
}

fn version(db: &Connection) -> Result<u32> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)
}

/// Returns the version of the database. Fails if the database was created by a newer program, or by a program older
/// than the first release.
pub(crate) fn refuse_newer(db: &Connection) -> Result<u32> {
    let (found, known) = (version(db)?, known());
    if found > 0 {
        let first = "SELECT name = 'schema' FROM migrations WHERE version = 1";
        if !db.query_row(first, [], |row| row.get(0)).map_err(failed)? {
            return Err(StoreError::Unreleased);
        }
    }
    if found > known { Err(StoreError::TooNew { found, known }) } else { Ok(found) }
}

/// Applies the missing migrations in one transaction. Adds the keys of a new database, which are random, so `world`
/// generates them.
pub(crate) fn migrate(db: &mut Connection, world: World) -> Result<()> {
    if refuse_newer(db)? == known() {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have upgraded the file before this one got the lock.
    let found = refuse_newer(&tx)?;
    for (version, sql) in (1..).zip(migration_texts()).skip(found as usize) {
        tx.execute_batch(&sql).map_err(failed)?;
        if version == SCHEMA {
            let NewKeys { server_id, reply_key } = NewKeys::draw(world);
            let row = "INSERT INTO server (one, server_id, reply_key) VALUES (1, ?1, ?2)";
            tx.execute(row, (server_id, reply_key)).map_err(failed)?;
        }
    }
    tx.pragma_update(None, "user_version", known()).map_err(failed)?;
    tx.commit().map_err(failed)
}
