//! The location of the database.

use std::path::Path;

use serde::Deserialize;

use crate::store::{Location, PostgresUrl};

/// The name of the database file in the data directory.
pub const DATABASE_FILE: &str = "turnpost.db";

/// The address of a PostgreSQL database.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct DatabaseServer(PostgresUrl);

impl TryFrom<String> for DatabaseServer {
    type Error = String;

    fn try_from(text: String) -> Result<DatabaseServer, String> {
        let url = text.parse::<PostgresUrl>();
        url.map(DatabaseServer).map_err(|error| format!("this is not the address of a PostgreSQL database: {error}"))
    }
}

/// Returns the location of the database: the configured server, or the data directory.
pub(crate) fn location(server: Option<&DatabaseServer>, data: &Path) -> Location {
    match server {
        Some(DatabaseServer(url)) => Location::Postgres(url.clone()),
        None => Location::File(data.join(DATABASE_FILE)),
    }
}
