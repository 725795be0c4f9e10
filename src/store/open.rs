//! Opening a database, whichever it is.

use std::path::Path;
use std::sync::Arc;

use super::error::Result;
use super::failing::StoreFaults;
use super::sqlite::{self, SqliteStore};
use super::transaction::Store;
use crate::world::World;

/// Opens the database at a location, and upgrades it if need be. The location is the path of a SQLite file. `world`
/// supplies the keys that an older database does not have.
///
/// # Errors
/// [`StoreError::Missing`](super::StoreError::Missing) when there is none, [`StoreError::Foreign`](super::StoreError::Foreign)
/// when it is something else, [`StoreError::TooNew`](super::StoreError::TooNew) when a later turnpost made it,
/// [`StoreError::Busy`](super::StoreError::Busy) when others keep it locked,
/// [`StoreError::LogRemoved`](super::StoreError::LogRemoved) when its log is not there,
/// [`StoreError::Damaged`](super::StoreError::Damaged) or [`StoreError::Failed`](super::StoreError::Failed) when it cannot
/// be used.
pub fn open(location: &Path, world: World) -> Result<Box<dyn Store>> {
    Ok(Box::new(SqliteStore::open(location, world)?))
}

/// Opens the database at a location, which must be of this version, as the simulation does: it fails when `faults` say so,
/// and waits for no disk.
///
/// # Errors
/// As [`open`].
pub fn open_failing(location: &Path, faults: &Arc<dyn StoreFaults>) -> Result<Box<dyn Store>> {
    Ok(Box::new(SqliteStore::open_failing(location, faults)?))
}

/// Makes an empty database at a location, which only its owner can read, unless something is there; tells whether it
/// did. `world` supplies its keys.
///
/// # Errors
/// [`StoreError::Failed`](super::StoreError::Failed) when it cannot be made.
pub fn create(location: &Path, world: World) -> Result<bool> {
    sqlite::create(location, world)
}

/// An empty database in memory, which nobody else sees.
///
/// # Errors
/// [`StoreError::Failed`](super::StoreError::Failed) when it cannot be made.
pub fn in_memory(world: World) -> Result<Box<dyn Store>> {
    Ok(Box::new(SqliteStore::in_memory(world)?))
}
