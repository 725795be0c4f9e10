//! The migrations: embedded SQL files, applied in the order of their numbers.

use include_dir::{Dir, include_dir};
use rusqlite::{Connection, TransactionBehavior};

use super::connection::failed;
use crate::store::instance::NewKeys;
use crate::store::sql::schema;
use crate::store::{Result, StoreError};
use crate::world::World;

static MIGRATIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/migrations/sqlite");

/// The migration that creates the row of the server.
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

/// Returns the version of the database. Fails for versions of newer programs and from before the first release.
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

/// Applies the missing migrations, in one transaction. The keys of a database are random, so `world` generates them; the
/// first migration stores them.
pub(crate) fn migrate(db: &mut Connection, world: World) -> Result<()> {
    if refuse_newer(db)? == known() {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have upgraded the file before this one had its lock.
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
