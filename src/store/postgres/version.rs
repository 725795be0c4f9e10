//! The embedded migrations, and the resulting version of the database.

use include_dir::{Dir, include_dir};

static MIGRATIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/migrations/postgres");

/// Returns the migration files, in the order of their numbers.
pub(crate) fn texts() -> Vec<&'static str> {
    let mut files: Vec<_> = MIGRATIONS.files().collect();
    files.sort_by_key(|file| file.path());
    files.into_iter().filter_map(include_dir::File::contents_utf8).collect()
}

/// Returns the version of a fully migrated database.
pub(crate) fn known() -> u32 {
    u32::try_from(texts().len()).unwrap_or(u32::MAX)
}
