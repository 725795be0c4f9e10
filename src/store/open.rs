//! The locations of databases, and functions to open them.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::{Result, StoreFaults};
use super::postgres::{self, Listener, PostgresStore, PostgresUrl};
use super::sqlite::{self, SqliteStore};
use super::transaction::Store;
use crate::world::World;

/// Opens the database at a location, and upgrades it if necessary. `world` provides random numbers.
///
/// # Errors
/// [`StoreError::Missing`](super::StoreError::Missing) or [`StoreError::Empty`](super::StoreError::Empty) if it does
/// not exist, [`StoreError::Foreign`](super::StoreError::Foreign) or
/// [`StoreError::ForeignSchema`](super::StoreError::ForeignSchema) if it is not a database of turnpost,
/// [`StoreError::TooNew`](super::StoreError::TooNew) if a newer turnpost created it,
/// [`StoreError::Busy`](super::StoreError::Busy) if it is locked,
/// [`StoreError::LogRemoved`](super::StoreError::LogRemoved) if its log is missing,
/// [`StoreError::Damaged`](super::StoreError::Damaged) or [`StoreError::Failed`](super::StoreError::Failed) if it is
/// unusable.
pub fn open(location: impl Into<Location>, world: World) -> Result<Box<dyn Store>> {
    match location.into() {
        Location::File(path) => Ok(Box::new(SqliteStore::open(&path, world)?)),
        Location::Postgres(url) => Ok(Box::new(PostgresStore::open(&url, world)?)),
    }
}

/// Opens the database at a location read-only, without upgrading it.
///
/// # Errors
/// Like [`open`]; [`StoreError::TooOld`](super::StoreError::TooOld) if it needs an upgrade.
pub fn open_read_only(location: impl Into<Location>, world: World) -> Result<Box<dyn Store>> {
    match location.into() {
        Location::File(path) => Ok(Box::new(SqliteStore::open_read_only(&path)?)),
        Location::Postgres(url) => Ok(Box::new(PostgresStore::open_read_only(&url, world)?)),
    }
}

/// Checks that a database server is reachable and its database usable, without changes. Does not check files.
///
/// # Errors
/// Like [`open`], but the database may be empty.
pub fn probe(location: &Location) -> Result<()> {
    match location {
        Location::File(_) => Ok(()),
        Location::Postgres(url) => postgres::probe(url),
    }
}

/// Subscribes to commits of other nodes. Returns `None` for an SQLite file, which sends no notifications.
///
/// # Errors
/// [`StoreError::Unreachable`](super::StoreError::Unreachable).
pub fn listen(location: &Location) -> Result<Option<Listener>> {
    match location {
        Location::File(_) => Ok(None),
        Location::Postgres(url) => Listener::open(url).map(Some),
    }
}

/// Opens a database of the current version for the simulation, with injected faults. Commits to a file do not wait for
/// the disk.
///
/// # Errors
/// Like [`open`].
pub fn open_failing(location: &Location, faults: &Arc<dyn StoreFaults>) -> Result<Box<dyn Store>> {
    match location {
        Location::File(path) => Ok(Box::new(SqliteStore::open_failing(path, faults)?)),
        Location::Postgres(url) => Ok(Box::new(PostgresStore::open_failing(url, faults)?)),
    }
}

/// Creates an empty database at a location, unless one exists; returns whether it created one. Only the owner can read
/// the file. On a server, the database must already exist, and must not have tables of another program. `world`
/// generates the keys.
///
/// # Errors
/// Any [`StoreError`](super::StoreError) if it cannot be created.
pub fn create(location: impl Into<Location>, world: World) -> Result<bool> {
    match location.into() {
        Location::File(path) => sqlite::create(&path, world),
        Location::Postgres(url) => postgres::create(&url, world),
    }
}

/// Creates a database with the content that `fill` writes, unless one exists; returns `None` if one exists. The file
/// gets its name after `fill` has succeeded, so an error or a crash leaves no database. In PostgreSQL, an error leaves
/// empty tables, and `fill` also runs if the database already has tables.
///
/// # Errors
/// The error of `fill`, or any [`StoreError`](super::StoreError) if the database cannot be created.
pub fn create_filled<T, E: From<super::StoreError>>(
    location: &Location,
    world: World,
    fill: impl FnOnce(&mut dyn Store) -> std::result::Result<T, E>,
) -> std::result::Result<Option<T>, E> {
    match location {
        Location::File(path) => sqlite::create_filled(path, world, fill),
        Location::Postgres(url) => {
            postgres::create(url, world)?;
            fill(&mut PostgresStore::open(url, world)?).map(Some)
        }
    }
}

/// Creates an empty, private database in memory.
///
/// # Errors
/// [`StoreError::Failed`](super::StoreError::Failed) if it cannot be created.
pub fn in_memory(world: World) -> Result<Box<dyn Store>> {
    Ok(Box::new(SqliteStore::in_memory(world)?))
}

/// The location of a database. It is displayed without the password.
#[derive(Clone, Debug)]
pub enum Location {
    /// An SQLite file.
    File(PathBuf),
    /// A PostgreSQL server.
    Postgres(PostgresUrl),
}

impl Location {
    /// Returns whether both locations are the same file, or the same database with the same user and options.
    pub(crate) fn is_same(&self, other: &Location) -> bool {
        match (self, other) {
            (Location::File(own), Location::File(other)) => own == other,
            (Location::Postgres(own), Location::Postgres(other)) => own.is_same(other),
            _ => false,
        }
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Location::File(path) => Display::fmt(&path.display(), f),
            Location::Postgres(url) => Display::fmt(url, f),
        }
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Location {
        Location::File(path)
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Location {
        Location::File(path.to_owned())
    }
}

impl From<&PathBuf> for Location {
    fn from(path: &PathBuf) -> Location {
        Location::File(path.clone())
    }
}

impl From<&Location> for Location {
    fn from(location: &Location) -> Location {
        location.clone()
    }
}
