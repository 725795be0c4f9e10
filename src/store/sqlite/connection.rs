//! Connections to a file, with their settings.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::Access;

use crate::store::{Result, StoreError};
use crate::world::Deadline;

/// How long a call waits for another process before it fails with [`StoreError::Busy`].
pub(crate) const BUSY: Duration = Duration::from_secs(10);
/// The pause between attempts at an operation for which SQLite itself does not wait.
const RETRY: Duration = Duration::from_millis(50);
/// The maximum number of cached statements of a connection. No thread regularly uses more statements than this.
const STATEMENTS: usize = 256;

/// Connects to an existing file.
pub(crate) fn connect(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(no_uri(path), flags).map_err(|error| cannot_open(path, error))?;
    db.busy_timeout(BUSY).map_err(failed)?;
    Ok(db)
}

/// Converts an error of SQLite in opening the database at this path, or its log.
pub(crate) fn cannot_open(path: &Path, error: rusqlite::Error) -> StoreError {
    if error.sqlite_error_code() != Some(ErrorCode::CannotOpen) {
        return failed(error);
    }
    // SQLite does not report which file cannot be opened, and why.
    let refused = [path.to_owned(), sibling(path, "-wal"), sibling(path, "-shm")].into_iter().find_map(|file| {
        // Do not open the file: closing it would release the locks that SQLite holds for other connections.
        let why = io::Error::from(rustix::fs::access(file.as_path(), Access::READ_OK).err()?);
        (why.kind() != ErrorKind::NotFound).then(|| refused_by_system(&file, "opened", &why))
    });
    refused.unwrap_or_else(|| failed(error))
}

/// Returns the path of a file that SQLite stores next to the database, resolving links.
pub(crate) fn sibling(database: &Path, ending: &str) -> PathBuf {
    let mut path = database.canonicalize().unwrap_or_else(|_| database.to_owned()).into_os_string();
    path.push(ending);
    PathBuf::from(path)
}

/// Connects to a file read-only.
pub(crate) fn connect_read_only(path: &Path) -> Result<Connection> {
    let db = open_read_only(path, &no_uri(path))?;
    match db.query_row("PRAGMA schema_version", [], |_| Ok(())) {
        // In a read-only directory, SQLite cannot create the index of the log. Without a log, the file does not change,
        // so it can be opened as immutable.
        Err(error)
            if matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
                && !has_log(path) =>
        {
            let name = path.to_str().ok_or_else(|| StoreError::Failed(format!("{} is not UTF-8", path.display())))?;
            let escaped = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            open_read_only(path, Path::new(&format!("file:{escaped}?immutable=1")))
        }
        _ => Ok(db),
    }
}

fn open_read_only(path: &Path, name: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let db = Connection::open_with_flags(name, flags).map_err(|error| cannot_open(path, error))?;
    db.busy_timeout(BUSY).map_err(failed)?;
    Ok(db)
}

fn has_log(path: &Path) -> bool {
    fs::metadata(sibling(path, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// Returns an equivalent path that is not a URI: SQLite is compiled to treat names that begin with `file:` as URIs.
pub(crate) fn no_uri(path: &Path) -> PathBuf {
    Path::new(".").join(path)
}

/// Configures a connection to a database of turnpost.
pub(crate) fn set_up(db: &Connection) -> Result<()> {
    // Retry, because switching a new file to WAL needs a lock for which SQLite does not wait.
    patiently(|| db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(failed))?;
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON")
        .map_err(failed)?;
    set_up_reading(db)
}

/// Configures a connection for reading.
pub(crate) fn set_up_reading(db: &Connection) -> Result<()> {
    db.execute_batch("PRAGMA trusted_schema = OFF").map_err(failed)?;
    // Without this setting, SQLite prepares a statement again for each run if the plan might depend on a parameter. The
    // plans of our statements do not, because the statements repeat the conditions of the indexes.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// Stores temporary data in memory instead of files: there may be no directory for them, and the pages of a savepoint
/// can contain erased data. Call this after an upgrade, which may sort whole tables.
pub(crate) fn use_no_temporary_files(db: &Connection) -> Result<()> {
    db.execute_batch("PRAGMA temp_store = MEMORY").map_err(failed)
}

fn patiently(mut act: impl FnMut() -> Result<()>) -> Result<()> {
    let until = Deadline::after(BUSY);
    loop {
        match act() {
            Err(StoreError::Busy) if until.left().is_some() => std::thread::sleep(RETRY),
            other => return other,
        }
    }
}

/// Converts an error of SQLite.
pub(crate) fn failed(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged(error.to_string()),
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => StoreError::Denied(error.to_string()),
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => StoreError::Disk(error.to_string()),
        _ => StoreError::Failed(error.to_string()),
    }
}

/// Returns the error for a file that the system refuses to open.
pub(crate) fn refused_by_system(path: &Path, what: &str, error: &io::Error) -> StoreError {
    let why = format!("{} cannot be {what}: {error}", path.display());
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::Denied(why),
        _ => StoreError::Failed(why),
    }
}
