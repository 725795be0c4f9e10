//! The migrations: embedded SQL files, applied in order of their numbers. Each migration ends by inserting a row into
//! the table `migrations`.
//!
//! # Compatibility with running programs
//!
//! Nodes are upgraded one after another, so an older program may use a database that a newer one has migrated. Each
//! migration declares the oldest compatible version (`usable_from`). Adding tables, columns with a default, indexes or
//! views is compatible with all earlier versions. Obsolete tables and columns are removed one version later, by a
//! migration that declares a newer version. Such a migration fails while an older program is connected.

use std::thread;
use std::time::Duration;

use super::connection::{Db, MIGRATIONS, known};
use super::url::PostgresUrl;
use crate::store::instance::NewKeys;
use crate::store::sql::{self, cell, params, run, schema};
use crate::store::sqlite::file::migration_texts;
use crate::store::{Result, StoreError};
use crate::world::World;

/// Takes a lock so that only one program creates or upgrades the database; the others wait. The number is `turn` in
/// ASCII. The lock applies only within this database.
const ALONE: &str = "SELECT pg_advisory_xact_lock(1953854062)";

/// Excludes writers during a migration. Running programs may lock tables in a different order than the migration, which
/// would cause a deadlock.
const NO_WRITERS: &str = "LOCK TABLE writer IN EXCLUSIVE MODE";
/// The timeout of a migration, which may build an index on a large table.
const UPGRADING: Duration = Duration::from_secs(60 * 60);
/// The number of attempts if readers block a migration, and the pause between attempts.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);

/// Checks whether the schema contains any tables or views, except those of extensions.
const IS_USED: &str = "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
     AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))";
/// Checks whether the schema has our tables, identified by their columns because other programs also have a table
/// `migrations`.
const MAY_BE_OURS: &str = "SELECT (SELECT count(*) FROM pg_attribute \
         WHERE attrelid = to_regclass('migrations') AND attname IN ('version', 'name')) = 2 \
     AND (SELECT count(*) FROM pg_attribute \
         WHERE attrelid = to_regclass('server') AND attname IN ('one', 'server_id', 'reply_key')) = 3";
const VERSION: &str = "SELECT coalesce(max(version), 0)::bigint, coalesce(max(usable_from), 0)::bigint FROM migrations";
const KEYS: &str = "INSERT INTO server (one, server_id, reply_key) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";

/// Checks whether a program older than the first release created the database.
const UNRELEASED: &str = "SELECT count(*) > 0 FROM migrations WHERE version = 1 AND name <> 'schema'";

/// Returns the texts of the migrations, in the order of their numbers. The first one includes the views. Each one
/// includes the comments of the SQLite migration with the same number.
fn texts() -> Vec<String> {
    let texts = schema::texts(&MIGRATIONS, schema::postgres_views());
    texts.into_iter().zip(migration_texts()).map(|(text, commented)| text + &schema::comments(&commented)).collect()
}

/// Returns the version of the database, or 0 if it is empty. Fails if the database belongs to another program, was
/// created before the first release, or is too new.
pub(crate) fn version(db: &Db, url: &PostgresUrl) -> Result<u32> {
    let db = sql::Db::Postgres(db);
    if !cell::<bool>(db, IS_USED, &[])? {
        return Ok(0);
    }
    if !cell::<bool>(db, MAY_BE_OURS, &[])? {
        return Err(StoreError::ForeignSchema(url.to_string()));
    }
    if cell::<bool>(db, UNRELEASED, &[])? {
        return Err(StoreError::Unreleased);
    }
    let ((found, usable_from), known) = (cell::<(u32, u32)>(db, VERSION, &[])?, known());
    if usable_from > known { Err(StoreError::TooNew { found, known }) } else { Ok(found) }
}

/// Creates the tables in an empty database; returns whether it was empty.
pub(crate) fn create(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    match version(db, url) {
        Ok(0) => migrate(db, url, world),
        Ok(_) | Err(StoreError::TooNew { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Upgrades a database of an earlier version; without `world`, fails if the database needs an upgrade. Also fails if
/// the database is empty, belongs to another program, or is too new.
pub(crate) fn bring_up_to_date(db: &Db, url: &PostgresUrl, world: Option<World>) -> Result<()> {
    match (version(db, url)?, world) {
        (0, _) => Err(StoreError::Empty(url.to_string())),
        (found, _) if found >= known() => Ok(()),
        (_, Some(world)) => migrate(db, url, world).map(drop),
        (found, None) => Err(StoreError::TooOld { found, known: known() }),
    }
}

/// Applies the missing migrations; returns whether the database was empty.
fn migrate(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    for _ in 1..ATTEMPTS {
        match migrate_once(db, url, world) {
            // A recently stopped older program may still be connected for a moment.
            Err(StoreError::Busy | StoreError::OlderAtWork(_)) => thread::sleep(PAUSE),
            done => return done,
        }
    }
    migrate_once(db, url, world)
}

fn migrate_once(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    // With READ COMMITTED, the statements after the lock see the commits of the program that held it before.
    db.batch("BEGIN ISOLATION LEVEL READ COMMITTED")?;
    let migrated = apply(db, url, world);
    match migrated {
        Ok(migrated) => db.batch("COMMIT").map(|()| migrated),
        Err(error) => {
            // Report the original error. If the connection is broken, the server has already rolled back.
            let _ = db.batch("ROLLBACK");
            db.forget_failure();
            Err(error)
        }
    }
}

fn apply(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    db.batch(ALONE)?;
    let before = version(db, url)?;
    if before > 0 {
        db.batch(NO_WRITERS)?;
    }
    for sql in texts().into_iter().skip(before as usize) {
        db.batch_within(&sql, UPGRADING)?;
    }
    // The keys are random, so `world` generates them.
    if before == 0 {
        let NewKeys { server_id, reply_key } = NewKeys::draw(world);
        run(sql::Db::Postgres(db), KEYS, params![server_id, reply_key])?;
    }
    Ok(before == 0)
}
