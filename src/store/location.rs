//! Where a database is.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use super::postgres::PostgresUrl;

/// Where a database is. It is shown without a password.
#[derive(Clone, Debug)]
pub enum Location {
    /// In a file of SQLite.
    File(PathBuf),
    /// On a server of PostgreSQL.
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
