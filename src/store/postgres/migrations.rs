//! The migrations: embedded files of SQL, applied in the order of their numbers, each ending with its row in `migrations`.

use include_dir::{Dir, include_dir};

use super::connection::Db;
use super::query::{cell, run};
use super::url::PostgresUrl;
use crate::store::instance::NewKeys;
use crate::store::{Result, StoreError};
use crate::world::World;

static MIGRATIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/migrations/postgres");

/// One program at a time makes or upgrades a database: the others wait, and find it done. The number is `turn` in ASCII,
/// and counts in this database alone.
const ALONE: &str = "SELECT pg_advisory_xact_lock(1953854062)";

/// Whether the schema holds anything of its own; extensions bring views of theirs.
const IS_USED: &str = "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
     AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))";
/// Whether there is a table of ours by its columns: other programs have a table `migrations` as well.
const MAY_BE_OURS: &str = "SELECT (SELECT count(*) FROM pg_attribute \
         WHERE attrelid = to_regclass('migrations') AND attname IN ('version', 'name')) = 2 \
     AND (SELECT count(*) FROM pg_attribute \
         WHERE attrelid = to_regclass('server') AND attname IN ('one', 'server_id', 'reply_key')) = 3";
const VERSION: &str = "SELECT coalesce(max(version), 0)::bigint FROM migrations";
const KEYS: &str = "INSERT INTO server (one, server_id, reply_key) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";

/// What a schema holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Foreign,
    /// A database of ours, of this version.
    Version(u32),
}

/// The embedded files, in the order of their numbers.
fn texts() -> Vec<&'static str> {
    let mut files: Vec<_> = MIGRATIONS.files().collect();
    files.sort_by_key(|file| file.path());
    files.into_iter().filter_map(include_dir::File::contents_utf8).collect()
}

/// The version of a database after every migration.
fn known() -> u32 {
    u32::try_from(texts().len()).unwrap_or(u32::MAX)
}

fn look(db: &Db) -> Result<Found> {
    if !cell::<bool>(db, IS_USED, &[])? {
        return Ok(Found::Nothing);
    }
    if !cell::<bool>(db, MAY_BE_OURS, &[])? {
        return Ok(Found::Foreign);
    }
    cell(db, VERSION, &[]).map(Found::Version)
}

/// Makes the tables in a database that has none; tells whether it did.
pub(super) fn create(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    match look(db)? {
        Found::Nothing => migrate(db, url, world),
        Found::Foreign => Err(StoreError::ForeignSchema(url.to_string())),
        Found::Version(_) => Ok(false),
    }
}

/// Refuses a database that is another program's, or of a later version.
pub(super) fn refuse(db: &Db, url: &PostgresUrl) -> Result<()> {
    match look(db)? {
        Found::Foreign => Err(StoreError::ForeignSchema(url.to_string())),
        Found::Version(found) if found > known() => Err(StoreError::TooNew { found, known: known() }),
        Found::Nothing | Found::Version(_) => Ok(()),
    }
}

/// Refuses a database that is not ours, and upgrades one that is of an earlier version.
pub(super) fn bring_up_to_date(db: &Db, url: &PostgresUrl, world: World) -> Result<()> {
    refuse(db, url)?;
    match look(db)? {
        Found::Nothing => Err(StoreError::Empty(url.to_string())),
        Found::Version(found) if found < known() => migrate(db, url, world).map(drop),
        Found::Foreign | Found::Version(_) => Ok(()),
    }
}

/// Applies the migrations that the database does not have yet; tells whether it was empty.
fn migrate(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    // READ COMMITTED: what is seen after waiting is what those before have committed.
    db.batch("BEGIN ISOLATION LEVEL READ COMMITTED")?;
    let migrated = apply(db, url, world);
    match migrated {
        Ok(migrated) => db.batch("COMMIT").map(|()| migrated),
        Err(error) => {
            // That error is told; a connection that is broken has rolled back, too.
            let _ = db.batch("ROLLBACK");
            Err(error)
        }
    }
}

fn apply(db: &Db, url: &PostgresUrl, world: World) -> Result<bool> {
    db.batch(ALONE)?;
    let (found, before) = match look(db)? {
        Found::Nothing => (Found::Nothing, 0),
        Found::Foreign => return Err(StoreError::ForeignSchema(url.to_string())),
        Found::Version(version) => (Found::Version(version), version),
    };
    for sql in texts().into_iter().skip(before as usize) {
        db.batch(sql)?;
    }
    // Its keys are random, so they come from `world`.
    if found == Found::Nothing {
        let NewKeys { server_id, reply_key } = NewKeys::draw(world);
        run(db, KEYS, params![server_id, reply_key])?;
    }
    Ok(found == Found::Nothing)
}
