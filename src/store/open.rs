//! Opening a database, whichever it is.

use std::path::Path;
use std::sync::Arc;

use super::error::Result;
use super::failing::StoreFaults;
use super::listener::Listener;
use super::location::Location;
use super::postgres::{self, PostgresStore};
use super::sqlite::{self, SqliteStore};
use super::transaction::Store;
use crate::world::World;

/// Opens the database at a location, and upgrades it if need be. `world` supplies the keys that an older
/// database does not have.
///
/// # Errors
/// [`StoreError::Missing`](super::StoreError::Missing) or [`StoreError::Empty`](super::StoreError::Empty) when there is
/// none, [`StoreError::Foreign`](super::StoreError::Foreign) or
/// [`StoreError::ForeignSchema`](super::StoreError::ForeignSchema) when it is something else,
/// [`StoreError::TooNew`](super::StoreError::TooNew) when a later turnpost made it,
/// [`StoreError::Busy`](super::StoreError::Busy) when others keep it locked,
/// [`StoreError::LogRemoved`](super::StoreError::LogRemoved) when its log is not there,
/// [`StoreError::Damaged`](super::StoreError::Damaged) or [`StoreError::Failed`](super::StoreError::Failed) when it cannot
/// be used.
pub fn open(location: impl Into<Location>, world: World) -> Result<Box<dyn Store>> {
    match location.into() {
        Location::File(path) => Ok(Box::new(SqliteStore::open(&path, world)?)),
        Location::Postgres(url) => Ok(Box::new(PostgresStore::open(&url, world)?)),
    }
}

/// Opens the database at a location for reading only. Nothing is written to it, so it is not upgraded.
///
/// # Errors
/// As [`open`]; [`StoreError::TooOld`](super::StoreError::TooOld) when it needs an upgrade.
pub fn open_read_only(location: impl Into<Location>, world: World) -> Result<Box<dyn Store>> {
    match location.into() {
        Location::File(path) => Ok(Box::new(SqliteStore::open_read_only(&path)?)),
        Location::Postgres(url) => Ok(Box::new(PostgresStore::open_read_only(&url, world)?)),
    }
}

/// Fails when a server cannot be reached, or its database not be used. Nothing is changed, and a file is not looked at.
///
/// # Errors
/// As [`open`], but a database may be empty.
pub fn look(location: &Location) -> Result<()> {
    match location {
        Location::File(_) => Ok(()),
        Location::Postgres(url) => postgres::look(url),
    }
}

/// Listens to what other nodes commit to a database that several can share; `None` for one that they cannot.
///
/// # Errors
/// [`StoreError::Unreachable`](super::StoreError::Unreachable).
pub fn listen(location: &Location) -> Result<Option<Box<dyn Listener>>> {
    match location {
        Location::File(_) => Ok(None),
        Location::Postgres(url) => postgres::listen(url).map(Some),
    }
}

/// Opens the database in a file, which must be of this version, as the simulation does: it fails when `faults` say so,
/// and waits for no disk.
///
/// # Errors
/// As [`open`].
pub fn open_failing(file: &Path, faults: &Arc<dyn StoreFaults>) -> Result<Box<dyn Store>> {
    Ok(Box::new(SqliteStore::open_failing(file, faults)?))
}

/// Makes an empty database at a location, unless one is there; tells whether it did. A file can be read by its owner alone.
/// On a server the database itself must be there, without tables. `world` supplies its keys.
///
/// # Errors
/// [`StoreError::Failed`](super::StoreError::Failed) when it cannot be made.
pub fn create(location: impl Into<Location>, world: World) -> Result<bool> {
    match location.into() {
        Location::File(path) => sqlite::create(&path, world),
        Location::Postgres(url) => postgres::create(&url, world),
    }
}

/// An empty database in memory, which nobody else sees.
///
/// # Errors
/// [`StoreError::Failed`](super::StoreError::Failed) when it cannot be made.
pub fn in_memory(world: World) -> Result<Box<dyn Store>> {
    Ok(Box::new(SqliteStore::in_memory(world)?))
}
