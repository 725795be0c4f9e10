//! Opening a database, whichever it is.

use std::path::Path;

use super::error::Result;
use super::sqlite::SqliteStore;
use super::transaction::Store;
use crate::world::World;

/// Opens the database at a location, and makes or upgrades it if need be. The location is the path of a SQLite file,
/// which only its owner can read. `world` supplies the keys of a new database.
///
/// # Errors
/// [`StoreError::TooNew`](super::StoreError::TooNew) when a later turnpost made it, [`StoreError::Busy`](super::StoreError::Busy) when others keep it locked,
/// [`StoreError::Failed`](super::StoreError::Failed) when it cannot be made or is no such database.
pub fn open(location: &Path, world: World) -> Result<Box<dyn Store>> {
    Ok(Box::new(SqliteStore::open(location, world)?))
}
