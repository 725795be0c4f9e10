//! The location of a database.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use super::postgres::PostgresUrl;

/// The location of a database. Its display format hides the password.
#[derive(Clone, Debug)]
pub enum Location {
    /// An SQLite file.
    File(PathBuf),
    /// A PostgreSQL server.
    Postgres(PostgresUrl),
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
