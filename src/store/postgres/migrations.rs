//! The migrations: embedded files of SQL, applied in the order of their numbers, each ending with its row in `migrations`.
//!
//! # While other programs work
//!
//! Nodes are upgraded one after the other, so an older program may use a database that a newer one has migrated. Each
//! migration says which programs can (`usable_from`): one that adds tables, columns with a default, indexes or views
//! changes nothing for those before it. What a program no longer needs is removed a version later, when no program at work
//! needs it: a migration that names a version is refused while an older program is connected.

use std::thread;
use std::time::Duration;

use super::connection::Db;
use super::url::PostgresUrl;
use super::version::{known, texts};
use crate::store::instance::NewKeys;
use crate::store::sql::params;
use crate::store::sql::{self, cell, one, run};
use crate::store::{Result, StoreError};
use crate::world::World;

/// One program at a time makes or upgrades a database: the others wait, and find it done. The number is `turn` in ASCII,
/// and counts in this database alone.
const ALONE: &str = "SELECT pg_advisory_xact_lock(1953854062)";

/// Programs at work may read tables in another order than a migration changes them, and one of the two then fails.
const NO_WRITERS: &str = "LOCK TABLE writer IN EXCLUSIVE MODE";
/// How long a migration may take. It may build an index over a large table.
const UPGRADING: Duration = Duration::from_secs(60 * 60);
/// How often that is tried, against those who read, and how long others are waited for in between.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);

/// Whether the schema holds anything of its own; extensions bring views of theirs.
const IS_USED: &str = "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
     AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))";
/// Whether there is a table of ours by its columns: other programs have a table `migrations` as well.
const MAY_BE_OURS: &str = "SELECT (SELECT count(*) FROM pg_attribute \
         WHERE attrelid = to_regclass('migrations') AND attname IN ('version', 'name')) = 2 \
     AND (SELECT count(*) FROM pg_attribute \
         WHERE attrelid = to_regclass('server') AND attname IN ('one', 'server_id', 'reply_key')) = 3";
const VERSION: &str = "SELECT coalesce(max(version), 0)::bigint, coalesce(max(usable_from), 0)::bigint FROM migrations";
const KEYS: &str = "INSERT INTO server (one, server_id, reply_key) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";

/// Whether the first migration is that of a program before the first release.
const UNRELEASED: &str = "SELECT count(*) > 0 FROM migrations WHERE version = 1 AND name <> 'schema'";

/// What a schema holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Foreign,
    /// A database of ours, of this version, and the version of the oldest programs that can use it.
    Version(u32, u32),
}

fn look(db: &Db) -> Result<Found> {
    if !cell::<bool>(sql::Db::Postgres(db), IS_USED, &[])? {
        return Ok(Found::Nothing);
    }
    if !cell::<bool>(sql::Db::Postgres(db), MAY_BE_OURS, &[])? {
        return Ok(Found::Foreign);
    }
    if cell::<bool>(sql::Db::Postgres(db), UNRELEASED, &[])? {
        return Err(StoreError::Unreleased);
    }
    let found = one(sql::Db::Postgres(db), VERSION, &[], |row| Ok(Found::Version(row.get(0)?, row.get(1)?)))?;
    found.ok_or_else(|| StoreError::Failed("the database has lost its version".to_owned()))
}

/// Makes the tables in a database that has none; tells whether it did.
pub(super) fn create(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    match look(db)? {
        Found::Nothing => migrate(db, url, world),
        Found::Foreign => Err(StoreError::ForeignSchema(url.to_string())),
        Found::Version(..) => Ok(false),
    }
}

/// Refuses a database that is another program's, or that newer programs alone can use.
pub(super) fn refuse(db: &Db, url: &PostgresUrl) -> Result<()> {
    match look(db)? {
        Found::Foreign => Err(StoreError::ForeignSchema(url.to_string())),
        Found::Version(found, usable_from) if usable_from > known() => {
            Err(StoreError::TooNew { found, known: known() })
        }
        Found::Nothing | Found::Version(..) => Ok(()),
    }
}

/// Refuses a database that is not ours, and upgrades one that is of an earlier version.
pub(super) fn bring_up_to_date(db: &Db, url: &PostgresUrl, world: World) -> Result<()> {
    refuse(db, url)?;
    match look(db)? {
        Found::Nothing => Err(StoreError::Empty(url.to_string())),
        Found::Version(found, _) if found < known() => migrate(db, url, world).map(drop),
        Found::Foreign | Found::Version(..) => Ok(()),
    }
}

/// Refuses a database that is not ours, or of another version.
pub(super) fn refuse_older(db: &Db, url: &PostgresUrl) -> Result<()> {
    refuse(db, url)?;
    match look(db)? {
        Found::Nothing => Err(StoreError::Empty(url.to_string())),
        Found::Version(found, _) if found < known() => Err(StoreError::TooOld { found, known: known() }),
        Found::Foreign | Found::Version(..) => Ok(()),
    }
}

/// Applies the migrations that the database does not have yet; tells whether it was empty.
fn migrate(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    for _ in 1..ATTEMPTS {
        match migrate_once(db, url, world) {
            // An older program that was stopped just now is connected for a moment more.
            Err(StoreError::Busy | StoreError::OlderAtWork(_)) => thread::sleep(PAUSE),
            done => return done,
        }
    }
    migrate_once(db, url, world)
}

fn migrate_once(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    // READ COMMITTED: what is seen after waiting is what those before have committed.
    db.batch("BEGIN ISOLATION LEVEL READ COMMITTED")?;
    let migrated = apply(db, url, world);
    match migrated {
        Ok(migrated) => db.batch("COMMIT").map(|()| migrated),
        Err(error) => {
            // That error is told; a connection that is broken has rolled back, too.
            let _ = db.batch("ROLLBACK");
            db.forget_failure();
            Err(error)
        }
    }
}

fn apply(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    db.batch(ALONE)?;
    let found = look(db)?;
    let before = match found {
        Found::Nothing => 0,
        Found::Foreign => return Err(StoreError::ForeignSchema(url.to_string())),
        Found::Version(version, _) => version,
    };
    if before > 0 {
        db.batch(NO_WRITERS)?;
    }
    for sql in texts().into_iter().skip(before as usize) {
        db.batch_within(sql, UPGRADING)?;
    }
    // Its keys are random, so they come from `world`.
    if found == Found::Nothing {
        let NewKeys { server_id, reply_key } = NewKeys::draw(world);
        run(sql::Db::Postgres(db), KEYS, params![server_id, reply_key])?;
    }
    Ok(found == Found::Nothing)
}
