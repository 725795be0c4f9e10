//! The file of a database: creating and recognizing it, and its integrity checks.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, ErrorCode, Row};

use super::connection;
use super::connection::{failed, refused_by_system};
use super::migrations::migrate;
use crate::store::{FileCheck, ForeignFile, Result, StoreError};
use crate::world::World;

/// The application id in the header of the file: `turn` in ASCII.
const APPLICATION_ID: i32 = 0x7475_726e;

/// Like [`crate::store::create`].
pub(crate) fn create(path: &Path, world: World) -> Result<bool> {
    // Two threads would choose the same temporary name.
    static CREATING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    let cannot = |error| refused_by_system(path, "made", &error);
    if path.try_exists().map_err(cannot)? {
        return Ok(false);
    }
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if Path::new(&log).try_exists().map_err(cannot)? {
        // Another process may have just created the database, and its log afterwards.
        if path.try_exists().map_err(cannot)? {
            return Ok(false);
        }
        // SQLite would apply the log to the new database.
        return Err(StoreError::OrphanLog(log.into()));
    }
    // The database gets its name when it is complete, so that other processes and crashes never leave a partial one.
    let unfinished = path.with_added_extension(format!("new-{}", std::process::id()));
    let made = fill(&unfinished, world).and_then(|()| name(&unfinished, path).map_err(cannot));
    let removed = fs::remove_file(&unfinished);
    let made = made?;
    removed.map_err(cannot)?;
    Ok(made)
}

/// Writes an empty database that only its owner can read, because it will contain password hashes and letters. SQLite
/// gives the log the same mode.
fn fill(path: &Path, world: World) -> Result<()> {
    let mut options = OpenOptions::new();
    // The file may be a remnant of a crashed process with the same id.
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| refused_by_system(path, "made", &error))?;
    let mut db = connection::connect(path)?;
    // A file that a crash leaves behind is useless, so the journal need not be on disk. A log would be a second file
    // with another name.
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

/// Rejects missing and empty files. An empty file is an accident, and its log may contain the data to restore it, which
/// SQLite would delete.
pub(crate) fn is_there(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(file) if file.len() == 0 => Err(foreign(path, ForeignFile::Empty)),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(StoreError::Missing(path.to_owned())),
        Err(error) => Err(refused_by_system(path, "opened", &error)),
    }
}

/// Rejects files of other kinds or programs, without changing them.
pub(crate) fn is_ours(path: &Path, db: &Connection) -> Result<()> {
    let id = match db.query_row("PRAGMA application_id", [], |row| row.get::<_, i32>(0)) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            return Err(foreign(path, ForeignFile::NotSqlite));
        }
        other => other.map_err(failed)?,
    };
    if id == APPLICATION_ID { Ok(()) } else { Err(foreign(path, ForeignFile::OtherProgram)) }
}

fn foreign(path: &Path, what: ForeignFile) -> StoreError {
    StoreError::Foreign { path: path.to_owned(), what }
}

/// Returns the faults of the file; empty if it is sound.
pub(crate) fn faults(db: &Connection, check: FileCheck) -> Result<Vec<String>> {
    let structure = |row: &Row<'_>| row.get::<_, String>(0);
    match check {
        FileCheck::Quick => found(db, "PRAGMA quick_check", structure),
        FileCheck::Full => {
            let mut faults = found(db, "PRAGMA integrity_check", structure)?;
            faults.extend(found(db, "PRAGMA foreign_key_check", |row| {
                let (table, parent) = (row.get::<_, String>(0)?, row.get::<_, String>(2)?);
                let row = row.get::<_, Option<i64>>(1)?.map_or_else(|| "a row".to_owned(), |id| format!("row {id}"));
                Ok(format!("{table}: {row} refers to a row of {parent} that is not there"))
            })?);
            Ok(faults)
        }
    }
}

/// Returns the rows of a check. An error because of the damage counts as a fault, too.
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
