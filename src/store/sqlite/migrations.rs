//! The migrations: embedded SQL files, applied in the order of their numbers.

use include_dir::{Dir, include_dir};
use rusqlite::{Connection, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

use super::query::failed;
use crate::store::instance::NewKeys;
use crate::store::{Result, StoreError};
use crate::world::World;

static MIGRATIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/migrations/sqlite");

/// The migration that creates the row of the server.
const SCHEMA: u32 = 1;

/// Returns the version of a fully migrated database. The directory contains only migrations.
pub(crate) fn known() -> u32 {
    u32::try_from(MIGRATIONS.entries().len()).unwrap_or(u32::MAX)
}

/// Returns the embedded files, in the order of their numbers.
pub(crate) fn migration_texts() -> Vec<&'static str> {
    let mut files: Vec<_> = MIGRATIONS.files().collect();
    files.sort_by_key(|file| file.path());
    files.into_iter().filter_map(include_dir::File::contents_utf8).collect()
}

/// Returns the migrations. The keys of a database are random, so `world` generates them; the first migration stores
/// them.
fn migrations(world: World) -> Migrations<'static> {
    let numbered = (1..).zip(migration_texts());
    let migrations = numbered.map(|(version, sql)| match version {
        SCHEMA => M::up_with_hook(sql, move |tx: &rusqlite::Transaction<'_>| {
            let NewKeys { server_id, reply_key } = NewKeys::draw(world);
            let row = "INSERT INTO server (one, server_id, reply_key) VALUES (1, ?1, ?2)";
            tx.execute(row, (server_id, reply_key))?;
            Ok(())
        }),
        _ => M::up(sql),
    });
    migrations.collect()
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

/// Applies the missing migrations.
pub(crate) fn migrate(db: &mut Connection, world: World) -> Result<()> {
    let migrations = migrations(world);
    db.set_transaction_behavior(TransactionBehavior::Immediate);
    loop {
        let before = refuse_newer(db)?;
        let Err(error) = migrations.to_latest(db) else { return Ok(()) };
        // The version is read before the transaction begins. If another process upgrades the file in between, our
        // migration fails on the key of `migrations`, and we check the version again.
        if version(db)? == before {
            return Err(match error {
                rusqlite_migration::Error::RusqliteError { err, .. } => failed(err),
                other => StoreError::Failed(other.to_string()),
            });
        }
    }
}
