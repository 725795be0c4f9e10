//! The embedded migrations, and the version of the database that they make.

use include_dir::{Dir, include_dir};

static MIGRATIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/migrations/postgres");

/// The files, in the order of their numbers.
pub(super) fn texts() -> Vec<&'static str> {
    let mut files: Vec<_> = MIGRATIONS.files().collect();
    files.sort_by_key(|file| file.path());
    files.into_iter().filter_map(include_dir::File::contents_utf8).collect()
}

/// The version of a database after every migration.
pub(super) fn known() -> u32 {
    u32::try_from(texts().len()).unwrap_or(u32::MAX)
}
